// RUN: blink-opt %s --split-input-file --verify-diagnostics --collective-pack-trees

collective.topology @apart {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// expected-error @below {{cannot reach}}
collective.all_reduce @apart gpus [0, 1] links <nvlink>
