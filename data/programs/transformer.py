# A transformer of 12 layers, forward and backward. Layers of one shape share their kernels' code, so a few dozen texts are launched hundreds of times;
# open the kernel of a layer's scores, and see on the timeline which others are the same.
# kernel: 112
from tinygrad import Tensor, nn

LAYERS, HEADS, SIZE, LENGTH, WORDS = 12, 2, 8, 8, 20


class Block:
    def __init__(self):
        self.norm1, self.norm2 = nn.RMSNorm(SIZE), nn.RMSNorm(SIZE)
        self.qkv, self.out = nn.Linear(SIZE, 3 * SIZE, bias=False), nn.Linear(SIZE, SIZE, bias=False)
        self.up, self.down = nn.Linear(SIZE, 2 * SIZE, bias=False), nn.Linear(2 * SIZE, SIZE, bias=False)

    def attention(self, x):
        q, k, v = self.qkv(x).reshape(LENGTH, 3, HEADS, SIZE // HEADS).permute(1, 2, 0, 3).chunk(3)
        y = q.scaled_dot_product_attention(k, v, is_causal=True)
        return self.out(y.reshape(HEADS, LENGTH, -1).transpose(0, 1).reshape(LENGTH, SIZE))

    def __call__(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(self.up(self.norm2(x)).relu())


class Transformer:
    def __init__(self):
        self.words, self.places = nn.Embedding(WORDS, SIZE), nn.Embedding(LENGTH, SIZE)
        self.blocks = [Block() for _ in range(LAYERS)]
        self.norm, self.head = nn.RMSNorm(SIZE), nn.Linear(SIZE, WORDS, bias=False)

    def __call__(self, text):
        x = self.words(text) + self.places(Tensor.arange(LENGTH))
        return self.head(self.norm(x.sequential(self.blocks)))


Tensor.manual_seed(3)
model = Transformer()
weights = nn.state.get_parameters(model)
Tensor.realize(*weights)
text = Tensor([3, 1, 4, 1, 5, 9, 2, 6, 5])
loss = model(text[:-1]).sparse_categorical_crossentropy(text[1:])
loss.backward()
Tensor.realize(loss, *[w.grad for w in weights])
print(f"loss {loss.item():.4f}")
print(f"gradient of the first layer {model.blocks[0].up.weight.grad.square().sum().sqrt().item():.4f}")
