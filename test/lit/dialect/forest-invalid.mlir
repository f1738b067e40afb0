// RUN: blink-opt %s --split-input-file --verify-diagnostics

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{broadcast needs a root}}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{all_reduce has no root}}
collective.forest all_reduce @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{algbw and bound must be > 0 GB/s}}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 0.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{prices must be >= 0 and finite}}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [-1.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has 3 prices for 4 links of the topology}}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has no share of block 0}}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has shares of block 0 that add up to 1 / 2, not to one}}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has share 3 / 2, expected 0 to 1}}
  collective.tree @t0 root 0 block 0 share 3 of 2 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
  // expected-error @below {{has denominator 3, but another of block 0 has 2}}
  collective.tree @t1 root 0 block 0 share 1 of 3 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
  // expected-error @below {{repeats the name @t0}}
  collective.tree @t0 root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has root 1 in a forest of root 0}}
  collective.tree @t0 root 1 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{of root 0 carries block 1, expected 0}}
  collective.tree @t0 root 0 block 1 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has down edges that reach 2 of 3 ranks}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{rank 1 has a child but no way to the root before it}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [1 -> 2 via [l12], 0 -> 1 via [l01]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has down edges that give rank 1 two parents, or the root one}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 0 -> 1 via [l01]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has an edge at rank 7, but ranks 0 to 2}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 7 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has up edges, which the collective does not use}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [l10]] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{names link "l99", which the topology does not have}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l99]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has a path through GPU gpu1; GPUs do not relay}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01, l12], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has an empty path from rank 0 to rank 1}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [], 1 -> 2 via [l12]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has a path through GPU gpu1; GPUs do not relay}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 2 via [l01, l12], 2 -> 1 via [l21]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has a path that ends at gpu1, but rank 2 is gpu2}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 0 -> 2 via [l01]]
}

// -----

collective.topology @tri {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.forest broadcast @tri gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  // expected-error @below {{has a path that arrives at gpu0 and goes on over link "l12", which begins at gpu1}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 0 -> 2 via [l12]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has max_bytes 4096, expected more than min_bytes, 4096}}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] min_bytes 4096 max_bytes 4096 {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has min_bytes -1, expected >= 0}}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] min_bytes -1 {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has max_bytes 0, expected more than min_bytes, 0}}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] max_bytes 0 {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest reduce @pair gpus [0, 1] links <nvlink> root 1 sums chain algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  // expected-error @below {{has 1 up edges, one for each part of a sum is 2}}
  collective.tree @t0 root 1 block 0 share 1 of 1 up [0 -> 1 via [a]] down []
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest reduce @pair gpus [0, 1] links <nvlink> root 1 sums chain algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  // expected-error @below {{adds ranks 0 to 1 at two ranks, 1 and 0}}
  collective.tree @t0 root 1 block 0 share 1 of 1 up [0 -> 1 via [a], 1 -> 0 via [b]] down []
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest reduce @pair gpus [0, 1] links <nvlink> root 0 sums chain algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  // expected-error @below {{makes its sum at rank 1, the root is 0}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [0 -> 1 via [a], 1 -> 1 via []] down []
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest reduce @pair gpus [0, 1] links <nvlink> root 1 sums chain algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  // expected-error @below {{has an up edge from rank 1 where the sum of ranks 0 to 0 is at rank 0}}
  collective.tree @t0 root 1 block 0 share 1 of 1 up [1 -> 1 via [], 1 -> 1 via []] down []
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest reduce @pair gpus [0, 1] links <nvlink> root 1 sums chain algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  // expected-error @below {{has an empty path from rank 0 to rank 1}}
  collective.tree @t0 root 1 block 0 share 1 of 1 up [0 -> 1 via [], 1 -> 1 via []] down []
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{broadcast has no sums}}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 sums chain algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}

// -----

collective.topology @four {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.node @gpu3 gpu
  collective.link @a nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu2 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @c nvlink @gpu3 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest reduce @four gpus [0, 1, 2, 3] links <nvlink> root 0 sums halves algbw 25.0 bound 25.0 prices [1.0, 1.0, 1.0] {
  // expected-error @below {{adds the sum of ranks 2 to 3 second at rank 0, which makes it: a fold adds one after the other}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [0 -> 0 via [], 1 -> 0 via [a], 0 -> 0 via [], 2 -> 0 via [b], 3 -> 0 via [c], 0 -> 0 via []] down []
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{broadcast accumulates nothing}}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 accumulate f32 algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}

// -----

collective.topology @box {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @s switch {multicast}
  collective.link @gpu0.s nvlink @gpu0 -> @s bandwidth 25.0 latency 0.5
  collective.link @gpu1.s nvlink @gpu1 -> @s bandwidth 25.0 latency 0.5
  collective.link @s.gpu0 nvlink @s -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @s.gpu1 nvlink @s -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @d nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest all_reduce @box gpus [0, 1] links <nvlink> algbw 12.5 bound 25.0 prices [1.0, 1.0, 1.0, 1.0, 0.0] {
  // expected-error @below {{has s reduce, which its node does not say it can}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [gpu1.s, s.gpu0]] down [0 -> 1 via [gpu0.s, s.gpu1]] switch <reduce multicast via [gpu0.s, s.gpu0]>
}

// -----

collective.topology @box {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @s switch {multicast, reduce}
  collective.link @gpu0.s nvlink @gpu0 -> @s bandwidth 25.0 latency 0.5
  collective.link @gpu1.s nvlink @gpu1 -> @s bandwidth 25.0 latency 0.5
  collective.link @s.gpu0 nvlink @s -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @s.gpu1 nvlink @s -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @d nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest all_reduce @box gpus [0, 1] links <nvlink> algbw 12.5 bound 25.0 prices [1.0, 1.0, 1.0, 1.0, 0.0] {
  // expected-error @below {{has a path that ends at gpu1, but rank 0 is gpu0}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [gpu1.s, s.gpu0]] down [0 -> 1 via [gpu0.s, s.gpu1]] switch <reduce via [gpu0.s, s.gpu1]>
}

// -----

collective.topology @box {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @s switch {multicast, reduce}
  collective.link @gpu0.s nvlink @gpu0 -> @s bandwidth 25.0 latency 0.5
  collective.link @gpu1.s nvlink @gpu1 -> @s bandwidth 25.0 latency 0.5
  collective.link @s.gpu0 nvlink @s -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @s.gpu1 nvlink @s -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @d nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest all_reduce @box gpus [0, 1] links <nvlink> algbw 12.5 bound 25.0 prices [1.0, 1.0, 1.0, 1.0, 0.0] {
  // expected-error @below {{names link "t", which the topology does not have}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [gpu1.s, s.gpu0]] down [0 -> 1 via [gpu0.s, s.gpu1]] switch <reduce via [gpu0.s, t]>
}

// -----

collective.topology @box {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @s switch {multicast, reduce}
  collective.link @gpu0.s nvlink @gpu0 -> @s bandwidth 25.0 latency 0.5
  collective.link @gpu1.s nvlink @gpu1 -> @s bandwidth 25.0 latency 0.5
  collective.link @s.gpu0 nvlink @s -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @s.gpu1 nvlink @s -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @d nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest all_reduce @box gpus [0, 1] links <nvlink> algbw 12.5 bound 25.0 prices [1.0, 1.0, 1.0, 1.0, 0.0] {
  // expected-error @below {{has a switch reduce and an edge 1 -> 0 that is not from one link to it to one from it, at the root}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [d]] down [0 -> 1 via [gpu0.s, s.gpu1]] switch <reduce via [gpu0.s, s.gpu0]>
}

// -----

collective.topology @box {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @s switch {multicast, reduce}
  collective.link @gpu0.s nvlink @gpu0 -> @s bandwidth 25.0 latency 0.5
  collective.link @gpu1.s nvlink @gpu1 -> @s bandwidth 25.0 latency 0.5
  collective.link @s.gpu0 nvlink @s -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @s.gpu1 nvlink @s -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @d nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest all_reduce @box gpus [0, 1] links <nvlink> algbw 12.5 bound 25.0 prices [1.0, 1.0, 1.0, 1.0, 0.0] {
  // expected-error @below {{expected reduce, multicast or both}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [d]] down [0 -> 1 via [gpu0.s, s.gpu1]] switch <via [gpu0.s, s.gpu0]>
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has a symmetry, which one root, relays or sums in an order have not}}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 50.0 bound 50.0 prices [1.0, 1.0] symmetry [#collective.renaming<steps 2 nodes[1, 0]>] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has a renaming of 3 steps, expected 2 or more, which divide the 2 ranks}}
collective.forest all_gather @pair gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] symmetry [#collective.renaming<steps 3 nodes[1, 0]>] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has a renaming of 2 steps, expected 2 or more, which divide the 2 ranks}}
collective.forest all_gather @pair gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] symmetry [#collective.renaming<steps 2 nodes [1, 0]>, #collective.renaming<steps 2 nodes[1, 0]>] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has shares of block 0 that add up to 2 / 1, not to one}}
collective.forest all_reduce @pair gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] symmetry [#collective.renaming<steps 2 nodes[1, 0]>] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [b]] down [0 -> 1 via [a]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has shares of 2 blocks with 2 images, of 2 blocks}}
collective.forest all_gather @pair gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] symmetry [#collective.renaming<steps 2 nodes[1, 0]>] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
  collective.tree @t1 root 1 block 1 share 1 of 1 up [] down [1 -> 0 via [b]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b pcie @gpu0 -> @gpu1 bandwidth 12.0 latency 0.5
}
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 12.0 bound 25.0 prices [1.0, 0.0] {
  // expected-error @below {{names link "b", which is pcie, but links of #collective.link_kinds<nvlink> alone may be used}}
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [b]]
}
