"""Two small networks and the handwritten digits of scikit-learn, for trainings that tests and tools/bench-torch run."""

import hashlib

import torch
from torch import nn


class Cnn(nn.Module):
    """Convolutions with batch norms, whose buffers DDP broadcasts; `width` channels."""

    def __init__(self, width=32):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten())
        self.classes = nn.Sequential(nn.Linear(2 * width * 16, 4 * width), nn.ReLU(), nn.Linear(4 * width, 10))

    def forward(self, images):
        return self.classes(self.features(images.reshape(-1, 1, 8, 8)))


class Transformer(nn.Module):
    """Encoder layers over the eight rows of an image."""

    def __init__(self, width=64, layers=2, heads=4):
        super().__init__()
        self.rows = nn.Linear(8, width)
        self.places = nn.Parameter(torch.zeros(8, width))
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True)
                                    for _ in range(layers))
        self.classes = nn.Linear(width, 10)

    def forward(self, images):
        value = self.rows(images.reshape(-1, 8, 8)) + self.places
        for layer in self.layers:
            value = layer(value)
        return self.classes(value.mean(1))


MODELS = {"cnn": Cnn, "transformer": Transformer}


def make(name, seed=0, **sizes):
    """The same network on every rank."""
    torch.manual_seed(seed)
    return MODELS[name](**sizes)


def digits():
    """1797 images of 8 by 8, from 0 to 1, and what they show; in an order of their own, not that of who wrote them."""
    from sklearn.datasets import load_digits

    data = load_digits()
    order = torch.randperm(len(data.target), generator=torch.Generator().manual_seed(0))
    images = torch.tensor(data.images, dtype=torch.float32) / 16
    return images[order], torch.tensor(data.target, dtype=torch.int64)[order]


def batches(images, labels, rank, ranks, size, steps, seed=0):
    """`steps` batches of `size` for each rank: the ranks' parts of one order that all of them know."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.cat([torch.randperm(len(images), generator=generator)
                       for _ in range(-(-steps * ranks * size // len(images)))])
    for step in range(steps):
        first = (step * ranks + rank) * size
        chosen = order[first:first + size]
        yield images[chosen], labels[chosen]


def fingerprint(tensors):
    """A hash of the tensors' bits."""
    found = hashlib.sha256()
    for tensor in tensors:
        found.update(tensor.detach().contiguous().view(torch.uint8).numpy().tobytes() if tensor.dim() else
                     tensor.detach().reshape(1).view(torch.uint8).numpy().tobytes())
    return found.hexdigest()[:16]
