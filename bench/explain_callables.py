"""Sums by NumPy and PyTorch, for bench/explain-survey: each takes one array."""

import numpy

try:
    import torch
except ImportError:
    torch = None


def set_threads(count):
    if torch is not None:
        torch.set_num_threads(count)


def numpy_sum(x):
    return numpy.sum(x)


def numpy_reversed(x):
    return numpy.sum(x[::-1])


def numpy_strided(x):
    """A column of a matrix: its terms do not lie side by side."""
    return numpy.sum(numpy.stack([x, x], axis=1), axis=0)[1]


def _tensor(x):
    """bfloat16 comes from ml_dtypes, which torch does not know."""
    return (torch.from_numpy(x.view(numpy.int16)).view(torch.bfloat16) if x.dtype.name == "bfloat16" else
            torch.from_numpy(x))


def torch_sum(x):
    return _tensor(x).sum()


def torch_dot(x):
    x = _tensor(x)
    return torch.dot(x, torch.ones_like(x))


def torch_matmul(x):
    x = _tensor(x)
    return torch.matmul(torch.ones(3, x.shape[0], dtype=x.dtype), x)[1]


def torch_linear(x):
    x = _tensor(x)
    return torch.nn.functional.linear(x[None], torch.ones(5, x.shape[0], dtype=x.dtype))[0, 4]
