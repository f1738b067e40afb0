// An allreduce's tree over two ranks goes in halves with a root at each, over
// the same links. A tree that
// somebody asked to stay alone does, and so does one of a broadcast
// (spread-trees.mlir).
// RUN: blink-opt %s --collective-spread-trees | FileCheck %s
// RUN: blink-opt %s --collective-spread-trees=max-trees=1 | FileCheck %s --check-prefix=ONE
// RUN: blink-opt %s --collective-spread-trees --collective-expand-folds | FileCheck %s --check-prefix=FOLDS
// RUN: blink-opt %s --collective-spread-trees --collective-expand-folds --collective-assign-lanes --collective-tune-chunks --collective-verify-schedule

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 20.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 20.0 latency 0.5
}

// CHECK: collective.forest all_reduce @pair {{.*}} algbw 2.000000e+01 bound 2.000000e+01
// CHECK-NEXT: collective.tree @t0 root 0 block 0 share 1 of 2 up [1 -> 0 via [b]] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t1 root 1 block 0 share 1 of 2 up [0 -> 1 via [a]] down [1 -> 0 via [b]]
// CHECK-NOT: collective.tree

// ONE: collective.tree @t0 root 1 block 0 share 1 of 1 up [0 -> 1 via [a]]
// ONE-NOT: collective.tree

// FOLDS: collective.rank 0 {
// FOLDS: collective.fold @t0 (input[0], @c0) -> (output[0], @c1) completes
// FOLDS: collective.rank 1 {
// FOLDS: collective.fold @t1 (input[0], @c2) -> (output[0], @c3) completes
collective.forest all_reduce @pair gpus [0, 1] links <nvlink> algbw 20.0 bound 20.0 prices [0.5, 0.5] {
  collective.tree @t0 root 1 block 0 share 1 of 1 up [0 -> 1 via [a]] down [1 -> 0 via [b]]
}
