// RUN: blink-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has no gpu node}}
collective.topology @t {
  collective.node @sw switch
}

// -----

collective.topology @t {
  // expected-error @below {{only a nic has a device}}
  collective.node @cpu0 cpu {device = "eth1"}
}

// -----

collective.topology @t {
  // expected-error @below {{only a switch can multicast or reduce}}
  collective.node @gpu0 gpu {multicast}
}

// -----

collective.topology @t {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  // expected-error @below {{bandwidth must be 0.001 to 1000000 GB/s}}
  collective.link @l nvlink @gpu0 -> @gpu1 bandwidth 0.0 latency 0.0
}

// -----

collective.topology @t {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  // expected-error @below {{bandwidth must be 0.001 to 1000000 GB/s}}
  collective.link @l nvlink @gpu0 -> @gpu1 bandwidth 0x7FF8000000000000 latency 0.0
}

// -----

collective.topology @t {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  // expected-error @below {{latency must be 0 to 1000000 us}}
  collective.link @l nvlink @gpu0 -> @gpu1 bandwidth 1.0 latency -1.0
}

// -----

collective.topology @t {
  collective.node @gpu0 gpu
  // expected-error @below {{joins @gpu0 to itself}}
  collective.link @l nvlink @gpu0 -> @gpu0 bandwidth 1.0 latency 0.0
}

// -----

collective.topology @t {
  collective.node @gpu0 gpu
  // expected-error @below {{ends at @gpu1, which is not a collective.node of this topology}}
  collective.link @l nvlink @gpu0 -> @gpu1 bandwidth 1.0 latency 0.0
}

// -----

collective.topology @t {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @l nvlink @gpu0 -> @gpu1 bandwidth 1.0 latency 0.0
  // expected-error @below {{joins nodes that a link of the same kind joins already}}
  collective.link @m nvlink @gpu0 -> @gpu1 bandwidth 1.0 latency 0.0
}
