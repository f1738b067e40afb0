// In one lane four trees take turns, which costs medium messages more than it
// gains them: they have one tree. Between servers it takes a forest that the
// selection has left.
// RUN: blink-opt %s --split-input-file --collective-add-medium-variants=max-lanes=1 -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: blink-opt %t --split-input-file --collective-add-medium-variants=max-lanes=1 | diff - %t
// RUN: blink-opt %t --split-input-file --collective-spread-trees --collective-select-trees --collective-add-latency-variant -o %t.other
// RUN: FileCheck %s --input-file=%t.other --check-prefix=OTHER
// RUN: blink-opt %s --split-input-file --collective-add-medium-variants=max-lanes=1 --collective-expand-folds \
// RUN:   --collective-assign-lanes=max-lanes=1 --collective-tune-ranges --collective-tune-chunks \
// RUN:   --collective-verify-schedule | FileCheck %s --check-prefix=LANES
// RUN: not blink-opt %s --split-input-file --collective-add-medium-variants=max-lanes=4294967295 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: max-lanes
// LANES: collective.schedule broadcast @pair {{.*}} max_bytes
// LANES-NOT: collective.{{tree_order|mixed_lanes}}

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}

// CHECK:      collective.forest broadcast @pair {{.*}} algbw 2.500000e+01 {{.*}} max_bytes [[END:[0-9]+]] {
// CHECK-NEXT:   share 1 of 1 up [] down [0 -> 1 via [l01]]
// CHECK-NEXT: }
// CHECK-NEXT: collective.forest broadcast @pair {{.*}} min_bytes [[END]] attributes {collective.tree_order = "given"} {
// CHECK-COUNT-4: share 1 of 4
// CHECK-NEXT: }
// OTHER-COUNT-2: collective.forest broadcast @pair
collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0] {
  collective.tree @a root 0 block 0 share 1 of 4 up [] down [0 -> 1 via [l01]]
  collective.tree @b root 0 block 0 share 1 of 4 up [] down [0 -> 1 via [l01]]
  collective.tree @c root 0 block 0 share 1 of 4 up [] down [0 -> 1 via [l01]]
  collective.tree @d root 0 block 0 share 1 of 4 up [] down [0 -> 1 via [l01]]
}

// -----

collective.topology @servers {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @nic0 nic
  collective.node @nic1 nic
  collective.link @out pcie @gpu0 -> @nic0 bandwidth 25.0 latency 1.0
  collective.link @over network @nic0 -> @nic1 bandwidth 25.0 latency 5.0
  collective.link @in pcie @nic1 -> @gpu1 bandwidth 25.0 latency 1.0
}
// CHECK-NOT:  collective.medium
// CHECK:      collective.forest broadcast @servers
// CHECK-COUNT-2: share 1 of 2
// CHECK-NEXT: }
// CHECK-NOT:  collective.forest
collective.forest broadcast @servers gpus [0, 1] links <pcie, network> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0] {
  collective.tree @a root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [out, over, in]]
  collective.tree @b root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [out, over, in]]
}

// -----

collective.topology @servers {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @nic0 nic
  collective.node @nic1 nic
  collective.link @out pcie @gpu0 -> @nic0 bandwidth 25.0 latency 1.0
  collective.link @over network @nic0 -> @nic1 bandwidth 25.0 latency 5.0
  collective.link @in pcie @nic1 -> @gpu1 bandwidth 25.0 latency 1.0
}
// CHECK:      collective.forest broadcast @servers {{.*}} max_bytes [[END:[0-9]+]] {
// CHECK-NEXT:   share 1 of 1
// CHECK-NEXT: }
// CHECK-NEXT: collective.forest broadcast @servers {{.*}} min_bytes [[END]] {
// CHECK-COUNT-2: share 1 of 2
// CHECK-NEXT: }
// CHECK-NOT:  collective.forest
collective.forest broadcast @servers gpus [0, 1] links <pcie, network> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0] attributes {collective.medium} {
  collective.tree @a root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [out, over, in]]
}
collective.forest broadcast @servers gpus [0, 1] links <pcie, network> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0] {
  collective.tree @a root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [out, over, in]]
  collective.tree @b root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [out, over, in]]
}

// The one for smaller chunks has the same trees, and is not needed any more.
// -----

collective.topology @servers {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @nic0 nic
  collective.node @nic1 nic
  collective.link @out pcie @gpu0 -> @nic0 bandwidth 25.0 latency 1.0
  collective.link @over network @nic0 -> @nic1 bandwidth 25.0 latency 5.0
  collective.link @in pcie @nic1 -> @gpu1 bandwidth 25.0 latency 1.0
}
// CHECK:      collective.forest broadcast @servers {{.*}} max_bytes [[END:[0-9]+]] {
// CHECK-NEXT:   share 1 of 1
// CHECK-NEXT: }
// CHECK-NEXT: collective.forest broadcast @servers {{.*}} min_bytes [[END]] {
// CHECK-COUNT-2: share 1 of 2
// CHECK-NEXT: }
// CHECK-NOT:  collective.forest
collective.forest broadcast @servers gpus [0, 1] links <pcie, network> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0] attributes {collective.medium} {
  collective.tree @a root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [out, over, in]]
}
collective.forest broadcast @servers gpus [0, 1] links <pcie, network> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0] protocol simple max_bytes 65536 {
  collective.tree @a root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [out, over, in]]
  collective.tree @b root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [out, over, in]]
}
collective.forest broadcast @servers gpus [0, 1] links <pcie, network> root 0 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0] min_bytes 65536 {
  collective.tree @a root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [out, over, in]]
  collective.tree @b root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [out, over, in]]
}
