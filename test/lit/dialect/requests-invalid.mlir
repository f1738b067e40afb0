// RUN: blink-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{names no collective.topology: @nowhere}}
collective.all_reduce @nowhere gpus [0] links <nvlink>

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{names GPU 1, but @one has GPUs 0 to 0}}
collective.all_reduce @one gpus [1] links <nvlink>

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{names GPU 0 twice}}
collective.all_gather @one gpus [0, 0] links <nvlink>

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{has no GPUs}}
collective.all_gather @one gpus [] links <nvlink>

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{has root 1, but ranks 0 to 0}}
collective.broadcast @one gpus [0] links <nvlink> root 1

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @+1 {{link kinds must be in the order of their definition, none twice: nvlink stands after pcie}}
collective.broadcast @one gpus [0] links <pcie, nvlink> root 0
