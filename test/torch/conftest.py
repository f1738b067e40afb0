"""What the tests share: the back end they run for, and what others lack."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything starts threads
os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")

import pytest
import torch
import torch.distributed as dist

torch.set_num_threads(1)


def pytest_addoption(parser):
    parser.addoption("--backend", default="blink", help="the back end under test: blink, or gloo to test the tests")


def pytest_configure(config):
    config.addinivalue_line("markers", "only_blink(reason): what is tested other back ends do not have")
    backend = config.getoption("--backend")
    if not dist.is_backend_available(backend):
        raise pytest.UsageError(f"no back end {backend}: pip install the checkout, as tools/test-torch.sh does")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--backend") == "blink":
        return
    for item in items:
        for mark in item.iter_markers("only_blink"):
            item.add_marker(pytest.mark.skip(reason=f"only blink: {mark.args[0]}"))


@pytest.fixture
def backend(request):
    return request.config.getoption("--backend")
