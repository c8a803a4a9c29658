# Nothing is realized: what there is to see is the graph after each statement.
from tinygrad import Tensor

x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
y = x + 2
z = y.softmax()
