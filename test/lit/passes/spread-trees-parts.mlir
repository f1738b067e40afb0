// Trees are split into the parts that selection has chosen, which is told of the
// same lanes, unless there may be only so many trees.
// RUN: blink-opt %s --collective-spread-trees=max-lanes=2 | FileCheck %s
// RUN: blink-opt %s --collective-spread-trees='max-lanes=2 max-trees=2' | FileCheck %s --check-prefix=FEW

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 175.0 latency 0.5
}

// CHECK-NOT: collective.parts
// CHECK-COUNT-3: collective.tree {{.*}} share 4 of 15
// CHECK-NEXT: collective.tree {{.*}} share 3 of 15
// CHECK-NOT: collective.tree

// FEW-NOT: collective.parts
// FEW-COUNT-2: collective.tree
// FEW-NOT: collective.tree
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 175.0 bound 175.0 prices [1.0] attributes {collective.parts = array<i32: 3, 1>} {
  collective.tree @t0 root 0 block 0 share 4 of 5 up [] down [0 -> 1 via [a]]
  collective.tree @t1 root 0 block 0 share 1 of 5 up [] down [0 -> 1 via [a]]
}
