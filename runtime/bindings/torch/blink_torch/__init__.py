"""The back end ``blink`` of ``torch.distributed``, which runs PyTorch's collectives by Blink.

    torch.distributed.init_process_group("blink")

The package need not be imported, because PyTorch finds it by its entry points; importing it has the same effect. Its
compiled library is loaded with the first group. See docs/pytorch.md.
"""

import atexit
import datetime
import importlib.resources
import threading

__all__ = ["register"]

# PyTorch is imported within functions only, because it imports this package while it is being imported itself, even if
# this package was imported first.
_loading = threading.Lock()
_loaded = None
_REBUILD = (
    "build it where that is installed, from Blink's sources: "
    "pip install --force-reinstall --no-deps ."
)


def register():
    """Registers ``blink`` with ``torch.distributed``, as importing the package does. Calling it again has no effect."""
    import torch.distributed as dist

    if dist.is_available() and not hasattr(dist.Backend, "BLINK"):
        dist.Backend.register_backend("blink", _create, extended_api=True, devices=["cpu", "cuda"])


def _create(options, group_options):
    """Called by ``torch.distributed`` for each group that this rank is in."""
    timeout = options.timeout if group_options is None else group_options._timeout
    return _load().create(options.store, options.group_rank, options.group_size, timeout, options.group_id)


def _load():
    """Returns the compiled library, which works with one version of PyTorch only."""
    global _loaded
    with _loading:
        if _loaded is None:
            _loaded = _import()
        return _loaded


def _import():
    import torch

    try:
        from . import _core
    except ImportError as error:
        raise ImportError(f"blink_torch has nothing for PyTorch {torch.__version__} ({error}): {_REBUILD}") from error
    built, here = _core.torch_version, torch.__version__.split("+")[0]
    if built.rsplit(".", 1)[0] != here.rsplit(".", 1)[0]:
        raise ImportError(f"blink_torch was built for PyTorch {built}, and this is {here}: {_REBUILD}")
    _core.set_host_schedules(str(importlib.resources.files(__name__) / "shared-memory-16.sched"))
    atexit.register(_core.finish_callbacks, datetime.timedelta(seconds=10))
    return _core


register()
