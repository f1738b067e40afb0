// Level 3 parses, prints and comes back.
// RUN: blink-opt %s | FileCheck %s
// RUN: blink-opt %s | blink-opt | FileCheck %s
// RUN: blink-opt %s --mlir-print-op-generic | blink-opt | FileCheck %s

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @sw switch
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @"to switch" pcie @gpu0 -> @sw bandwidth 25.0 latency 0.5
  collective.link @c pcie @sw -> @gpu1 bandwidth 25.0 latency 0.5
}
// CHECK:      collective.forest all_reduce @pair gpus [0, 1] links <nvlink, pcie> algbw 2.500000e+01 bound 2.500000e+01 prices [1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00] {
// CHECK-NEXT:   collective.tree @t0 root 0 block 0 share 1 of 3 up [1 -> 0 via [b]] down [0 -> 1 via [a]]
// CHECK-NEXT:   collective.tree @t1 root 1 block 0 share 2 of 3 up [0 -> 1 via ["to switch", c]] down [1 -> 0 via [b]]
// CHECK-NEXT:   collective.tree @t2 root 1 block 0 share 0 of 1 up [0 -> 1 via [a]] down [1 -> 0 via [b]]
// CHECK-NEXT: }
collective.forest all_reduce @pair gpus [0, 1] links <nvlink, pcie> algbw 25.0 bound 25.0 prices [1.0, 1.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 3 up [1 -> 0 via [b]] down [0 -> 1 via [a]]
  collective.tree @t1 root 1 block 0 share 2 of 3 up [0 -> 1 via ["to switch", c]] down [1 -> 0 via [b]]
  collective.tree @t2 root 1 block 0 share 0 of 1 up [0 -> 1 via [a]] down [1 -> 0 via [b]]
}
// CHECK:      collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 1
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 1 algbw 25.0 bound 25.0 prices [1.0, 1.0, 0.0, 0.0] {
  collective.tree @t0 root 1 block 0 share 1 of 1 up [] down [1 -> 0 via [b]]
}
// For some sizes alone, and how they are sent.
// CHECK:      collective.forest broadcast @pair {{.*}} prices [{{.*}}] protocol low_latency max_bytes 4096 {
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0, 0.0, 0.0] protocol low_latency max_bytes 4096 {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}
// CHECK:      collective.forest broadcast @pair {{.*}} prices [{{.*}}] protocol simple min_bytes 4096 max_bytes 8192 {
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0, 0.0, 0.0] protocol simple min_bytes 4096 max_bytes 8192 {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}
// Sums in one order: an edge for each part.
// CHECK:      collective.forest reduce @pair {{.*}} root 1 sums chain algbw
// CHECK-NEXT:   collective.tree @t0 root 1 block 0 share 1 of 1 up [0 -> 1 via [a], 1 -> 1 via []] down []
collective.forest reduce @pair gpus [0, 1] links <nvlink> root 1 sums chain algbw 25.0 bound 25.0 prices [1.0, 1.0, 0.0, 0.0] {
  collective.tree @t0 root 1 block 0 share 1 of 1 up [0 -> 1 via [a], 1 -> 1 via []] down []
}
// Sums of narrow types that are rounded once.
// CHECK:      collective.forest reduce @pair {{.*}} root 1 accumulate f32 algbw
collective.forest reduce @pair gpus [0, 1] links <nvlink> root 1 accumulate f32 algbw 25.0 bound 25.0 prices [1.0, 1.0, 0.0, 0.0] {
  collective.tree @t0 root 1 block 0 share 1 of 1 up [0 -> 1 via [a]] down []
}

collective.topology @box {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @s switch {multicast, reduce}
  collective.link @gpu0.s nvlink @gpu0 -> @s bandwidth 25.0 latency 0.5
  collective.link @gpu1.s nvlink @gpu1 -> @s bandwidth 25.0 latency 0.5
  collective.link @s.gpu0 nvlink @s -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @s.gpu1 nvlink @s -> @gpu1 bandwidth 25.0 latency 0.5
}
// A switch works for a tree.
// CHECK:      collective.tree @t0 root 0 {{.*}} down [0 -> 1 via [gpu0.s, s.gpu1]] switch <reduce multicast via [gpu0.s, s.gpu0]>
// CHECK-NEXT: collective.tree @t1 root 1 {{.*}} down [1 -> 0 via [gpu1.s, s.gpu0]] switch <multicast via [gpu1.s, s.gpu1]>
collective.forest all_reduce @box gpus [0, 1] links <nvlink> algbw 12.5 bound 25.0 prices [1.0, 1.0, 1.0, 1.0] {
  collective.tree @t0 root 0 block 0 share 1 of 2 up [1 -> 0 via [gpu1.s, s.gpu0]] down [0 -> 1 via [gpu0.s, s.gpu1]] switch <reduce multicast via [gpu0.s, s.gpu0]>
  collective.tree @t1 root 1 block 0 share 1 of 2 up [0 -> 1 via [gpu0.s, s.gpu1]] down [1 -> 0 via [gpu1.s, s.gpu0]] switch <multicast via [gpu1.s, s.gpu1]>
}
// One tree for each orbit of roots.
// CHECK:      collective.forest all_gather @ring gpus [0, 1] {{.*}} prices [{{.*}}] symmetry [#collective.renaming<steps 2 nodes[1, 0]>] {
collective.topology @ring {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.forest all_gather @ring gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] symmetry [#collective.renaming<steps 2 nodes[1, 0]>] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
}
