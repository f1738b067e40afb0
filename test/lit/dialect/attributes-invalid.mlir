// RUN: blink-opt %s --split-input-file --verify-diagnostics
// What requests and forests may have as attributes, and nothing else of the dialect. Passes used to ignore what they
// could not read.

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{has an attribute "collective.ordre", which is not known here}}
collective.all_reduce @one gpus [0] links <nvlink> {collective.ordre = "rank"}

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{collective.order is 3 : i64, expected "invariant" or "rank"}}
collective.all_reduce @one gpus [0] links <nvlink> {collective.order = 3}

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{collective.accumulate is "none", expected "f32"}}
collective.all_reduce @one gpus [0] links <nvlink> {collective.accumulate = "none"}

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{collective.max_peers is -1 : i32, expected an i32 of 0 or more}}
collective.all_reduce @one gpus [0] links <nvlink> {collective.max_peers = -1 : i32}

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{collective.phases is false, expected no value: leave it out for no}}
collective.all_reduce @one gpus [0] links <nvlink> {collective.phases = false}

// -----

collective.topology @one {
  // expected-error @below {{has an attribute "collective.in_switch", which is not known here}}
  collective.node @gpu0 gpu {collective.in_switch}
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{collective.parts is array<i32: -1>, expected an array of i32 from 1 to 1024}}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0] attributes {collective.parts = array<i32: -1>} {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01]]
}

// -----

// expected-error @below {{collective.options is ["allreduce"], expected a list of "name=value"}}
module attributes {collective.options = ["allreduce"]} {
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{collective.tree_order is "turn", expected "given", "copies" or "roots"}}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0] attributes {collective.tree_order = "turn"} {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{collective.mixed_lanes is false, expected no value: leave it out for no}}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0] attributes {collective.mixed_lanes = false} {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01]]
}

// -----

collective.topology @one {
  collective.node @gpu0 gpu
}
// expected-error @below {{has an attribute "collective.medium", which is not known here}}
collective.all_reduce @one gpus [0] links <nvlink> {collective.medium}
