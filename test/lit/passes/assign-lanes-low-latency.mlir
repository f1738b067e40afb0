// What can start at once stands first in lanes: each rank's own block before
// those of others, those of neighbours before what they forward.
// RUN: blink-opt %s --collective-expand-folds --collective-assign-lanes=max-lanes=2 | FileCheck %s
// RUN: blink-opt %s --collective-expand-folds --collective-assign-lanes=max-lanes=1 | FileCheck %s --check-prefix=ONE
// RUN: blink-opt %s --collective-expand-folds --collective-assign-lanes=max-lanes=1 --collective-tune-chunks \
// RUN:   --collective-verify-schedule -o /dev/null

collective.topology @chain {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}
// CHECK-LABEL: collective.rank 2 {
// CHECK-NEXT:    collective.lane {
// CHECK-NEXT:      collective.fold @t2 (input[0])
// CHECK-NEXT:    }
// CHECK-NEXT:    collective.lane {
// CHECK-NEXT:      collective.fold @t1 (@c3) -> (output[1])
// CHECK-NEXT:      collective.fold @t0 (@c1) -> (output[0])
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// ONE-LABEL:   collective.rank 0 {
// ONE-NEXT:      collective.lane {
// ONE-NEXT:        collective.fold @t0 (input[0]) -> (output[0], @c0)
// ONE-NEXT:        collective.fold @t1 (@c2) -> (output[1])
// ONE-NEXT:        collective.fold @t2 (@c5) -> (output[2])
// ONE-LABEL:   collective.rank 1 {
// ONE-NEXT:      collective.lane {
// ONE-NEXT:        collective.fold @t1 (input[0])
// ONE-NEXT:        collective.fold @t0 (@c0)
// ONE-NEXT:        collective.fold @t2 (@c4)
// ONE-LABEL:   collective.rank 2 {
// ONE-NEXT:      collective.lane {
// ONE-NEXT:        collective.fold @t2 (input[0])
// ONE-NEXT:        collective.fold @t1 (@c3) -> (output[1])
// ONE-NEXT:        collective.fold @t0 (@c1) -> (output[0])
collective.forest all_gather @chain gpus [0, 1, 2] links <nvlink> algbw 37.5 bound 37.5 prices [0.0, 0.0, 1.0, 0.0] protocol low_latency {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
  collective.tree @t1 root 1 block 1 share 1 of 1 up [] down [1 -> 0 via [l10], 1 -> 2 via [l12]]
  collective.tree @t2 root 2 block 2 share 1 of 1 up [] down [2 -> 1 via [l21], 1 -> 0 via [l10]]
}
