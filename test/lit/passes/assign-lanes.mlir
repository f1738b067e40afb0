// A fold has a lane of its own while there are enough; then up folds share
// lanes with up folds, balanced by what they move, in the order (delay, distance
// along the data, tree).
// RUN: blink-opt %s --collective-assign-lanes | FileCheck %s --check-prefix=OWN
// RUN: blink-opt %s --collective-assign-lanes=max-lanes=3 | FileCheck %s --check-prefix=THREE
// RUN: blink-opt %s --collective-assign-lanes=max-lanes=2 | FileCheck %s --check-prefix=TWO
// RUN: blink-opt %s --collective-assign-lanes=max-lanes=1 | FileCheck %s --check-prefix=ONE
// RUN: not blink-opt %s --collective-assign-lanes=max-lanes=1025 2>&1 | FileCheck %s --check-prefix=MANY
// Whatever the lanes, nothing deadlocks:
// RUN: blink-opt %s --collective-assign-lanes=max-lanes=1 --collective-tune-chunks --collective-verify-schedule -o /dev/null
// RUN: blink-opt %s --collective-assign-lanes=max-lanes=2 --collective-tune-chunks --collective-verify-schedule -o /dev/null

// MANY: max-lanes is 1025, expected 0 to 1024

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 30.0 latency 0.5
}

// All trees are rooted at rank 1, so rank 0 has three up and three down folds.
collective.schedule all_reduce @pair gpus [0, 1] links <nvlink> algbw 30.0 bound 30.0 prices [0.5, 0.5] {
  collective.share @t0 root 1 block 0 part 1 of 6 depth 1
  collective.share @t1 root 1 block 0 part 2 of 6 depth 1
  collective.share @t2 root 1 block 0 part 3 of 6 depth 1
  collective.channel @u0 peer share @t0 from 0 to 1 slots 1 via [a]
  collective.channel @u1 peer share @t1 from 0 to 1 slots 1 via [a]
  collective.channel @u2 peer share @t2 from 0 to 1 slots 1 via [a]
  collective.channel @d0 peer share @t0 from 1 to 0 slots 1 via [b]
  collective.channel @d1 peer share @t1 from 1 to 0 slots 1 via [b]
  collective.channel @d2 peer share @t2 from 1 to 0 slots 1 via [b]
  collective.rank 0 {
    collective.fold @t0 (input[0]) -> (@u0)
    collective.fold @t0 (@d0) -> (output[0])
    collective.fold @t1 (input[0]) -> (@u1)
    collective.fold @t1 (@d1) -> (output[0])
    collective.fold @t2 (input[0]) -> (@u2)
    collective.fold @t2 (@d2) -> (output[0])
  }
  collective.rank 1 {
    collective.fold @t0 (input[0], @u0) -> (output[0], @d0) completes
    collective.fold @t1 (input[0], @u1) -> (output[0], @d1) completes
    collective.fold @t2 (input[0], @u2) -> (output[0], @d2) completes
  }
}

// OWN-LABEL:   collective.rank 0 {
// OWN-COUNT-6:   collective.lane {
// OWN-NOT:       collective.lane
// OWN-LABEL:   collective.rank 1 {
// OWN-COUNT-3:   collective.lane {

// Up and down are as much, so one of them gets the odd lane. As all of rank 0 is
// passive with zero copy, what would make a lane too full mixes with others.
// THREE-LABEL: collective.rank 0 {
// THREE-NEXT:    collective.lane {
// THREE-NEXT:      collective.fold @t2 (input[0]) -> (@u2){{$}}
// THREE-NEXT:      collective.fold @t0 (@d0) -> (output[0]) delay 2
// THREE-NEXT:    }
// THREE-NEXT:    collective.lane {
// THREE-NEXT:      collective.fold @t0 (input[0]) -> (@u0){{$}}
// THREE-NEXT:      collective.fold @t1 (input[0]) -> (@u1){{$}}
// THREE-NEXT:    }
// THREE-NEXT:    collective.lane {
// THREE-NEXT:      collective.fold @t1 (@d1) -> (output[0]) delay 2
// THREE-NEXT:      collective.fold @t2 (@d2) -> (output[0]) delay 2
// THREE-NEXT:    }
// THREE-NEXT:  }

// Up: all three; down: all three.
// TWO-LABEL:   collective.rank 0 {
// TWO-NEXT:      collective.lane {
// TWO-NEXT:        collective.fold @t0 (input[0]) -> (@u0){{$}}
// TWO-NEXT:        collective.fold @t1 (input[0]) -> (@u1){{$}}
// TWO-NEXT:        collective.fold @t2 (input[0]) -> (@u2){{$}}
// TWO-NEXT:      }
// TWO-NEXT:      collective.lane {
// TWO-NEXT:        collective.fold @t0 (@d0) -> (output[0]) delay 2
// TWO-NEXT:        collective.fold @t1 (@d1) -> (output[0]) delay 2
// TWO-NEXT:        collective.fold @t2 (@d2) -> (output[0]) delay 2
// TWO-NEXT:      }
// The heaviest has a lane of its own, the other two share one.
// TWO-LABEL:   collective.rank 1 {
// TWO-NEXT:      collective.lane {
// TWO-NEXT:        collective.fold @t2
// TWO-NEXT:      }
// TWO-NEXT:      collective.lane {
// TWO-NEXT:        collective.fold @t0
// TWO-NEXT:        collective.fold @t1
// TWO-NEXT:      }

// ONE-LABEL:   collective.rank 0 {
// ONE-NEXT:      collective.lane {
// ONE-NEXT:        collective.fold @t0 (input[0]) -> (@u0){{$}}
// ONE-NEXT:        collective.fold @t1 (input[0]) -> (@u1){{$}}
// ONE-NEXT:        collective.fold @t2 (input[0]) -> (@u2){{$}}
// ONE-NEXT:        collective.fold @t0 (@d0) -> (output[0]) delay 2
