"""PyTorch's collectives by Blink: the back end ``blink`` of ``torch.distributed``.

    torch.distributed.init_process_group("blink")

From torch 2.15 on nothing needs to be imported: the package is found by its entry point. Before that,
``import blink_torch`` registers the back end; see docs/pytorch.md.
"""

import importlib.resources

import torch
import torch.distributed

try:
    from . import _core
except ImportError as error:
    raise ImportError(
        f"blink_torch does not fit this PyTorch, {torch.__version__} ({error}): build it again where that is installed, "
        "`pip install --force-reinstall --no-deps --no-build-isolation blink-collectives` from Blink's sources"
    ) from error

ProcessGroupBlink = _core.ProcessGroupBlink

__all__ = ["ProcessGroupBlink", "register"]


def _create(options, group_options):
    """What ``torch.distributed`` calls for each group that this rank is in."""
    timeout = options.timeout if group_options is None else group_options._timeout
    return _core.create(options.store, options.group_rank, options.group_size, timeout, options.group_id)


def register():
    """Makes ``blink`` known to ``torch.distributed``. Called by its entry points, and when this is imported; again it does nothing."""
    built, here = _core.torch_version[:2], tuple(int(part) for part in torch.__version__.split(".")[:2])
    if built != here:
        raise ImportError(
            f"blink_torch was built for PyTorch {built[0]}.{built[1]}, and this is {torch.__version__}: build it again "
            "from Blink's sources, `pip install --force-reinstall --no-deps --no-build-isolation .`"
        )
    if hasattr(torch.distributed.Backend, "BLINK"):
        return
    torch.distributed.Backend.register_backend("blink", _create, extended_api=True, devices=["cpu", "cuda"])


_core.set_host_schedules(str(importlib.resources.files(__name__) / "shared-memory-16.sched"))
if torch.distributed.is_available():
    register()
