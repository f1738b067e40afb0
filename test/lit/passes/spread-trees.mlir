// A tree with a fold above what a lane moves (50 GB/s each way) becomes equal
// ones. The root loads a byte and stores two: 210 GB/s become fifths, and more
// for messages that are too short for lanes to work side by side; with one
// denominator for all trees of a block. The forest's rate, bound and prices
// stay, and so do trees of share 0.
// RUN: blink-opt %s --collective-spread-trees | FileCheck %s
// RUN: blink-opt %s --collective-spread-trees=max-lanes=1 | FileCheck %s --check-prefix=WHOLE
// RUN: blink-opt %s --collective-spread-trees=max-trees=2 | FileCheck %s --check-prefix=WHOLE
// RUN: not blink-opt %s --collective-spread-trees=max-lanes=1025 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not blink-opt %s --collective-spread-trees=max-trees=4294967295 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not blink-opt %s --collective-select-trees=max-trees=4294967295 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not blink-opt %s --collective-add-latency-variant=max-lanes=4294967295 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not blink-opt %s --collective-tune-chunks=chunk-bytes=4294967295 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: {{.*}} is 4294967295, expected
// RUN: not blink-opt %s --collective-pack-trees=slack=nan 2>&1 | FileCheck %s --check-prefix=SLACK
// SLACK: slack must be at least 0 and below 1
// RUN: blink-opt %s --collective-spread-trees --collective-expand-folds --collective-assign-lanes --collective-tune-chunks --collective-verify-schedule | FileCheck %s --check-prefix=LANES
// MANY: max-lanes is 1025, expected 0 to 1024

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 175.0 latency 0.5
}

// CHECK: collective.forest broadcast @pair {{.*}} algbw 1.750000e+02 bound 1.750000e+02
// CHECK-NEXT: collective.tree @t0 root 0 block 0 share 4 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t1 root 0 block 0 share 4 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t2 root 0 block 0 share 4 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t3 root 0 block 0 share 4 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t4 root 0 block 0 share 4 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t5 root 0 block 0 share 4 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t6 root 0 block 0 share 0 of 1 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t7 root 0 block 0 share 1 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t8 root 0 block 0 share 1 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t9 root 0 block 0 share 1 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t10 root 0 block 0 share 1 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t11 root 0 block 0 share 1 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NEXT: collective.tree @t12 root 0 block 0 share 1 of 30 up [] down [0 -> 1 via [a]]
// CHECK-NOT: collective.tree

// WHOLE: collective.tree {{.*}} share 4 of 5
// WHOLE: collective.tree {{.*}} share 1 of 5

// LANES: collective.rank 0 {
// LANES-COUNT-12: collective.lane
// LANES-NOT: collective.lane
// LANES: collective.rank 1 {
// LANES-COUNT-12: collective.lane
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 175.0 bound 175.0 prices [1.0] {
  collective.tree @t0 root 0 block 0 share 4 of 5 up [] down [0 -> 1 via [a]]
  collective.tree @t1 root 0 block 0 share 0 of 1 up [] down [0 -> 1 via [a]]
  collective.tree @t2 root 0 block 0 share 1 of 5 up [] down [0 -> 1 via [a]]
}
