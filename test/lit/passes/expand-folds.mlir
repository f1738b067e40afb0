// Every collective's folds, on a chain of three GPUs with hand-written trees.
// RUN: blink-opt %s --split-input-file --collective-expand-folds | FileCheck %s
// Channels get names that trees do not have.
// RUN: sed 's/@t0/@c0/g' %s | blink-opt --split-input-file --collective-expand-folds -o /dev/null

collective.topology @chain {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.5
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.5
}

// CHECK-LABEL: collective.schedule broadcast
// CHECK-NEXT:    collective.share @t0 root 0 block 0 part 1 of 1 depth 2
// CHECK-NEXT:    collective.channel @c0 peer share @t0 from 0 to 1 slots 1 via [l01]
// CHECK-NEXT:    collective.channel @c1 peer share @t0 from 1 to 2 slots 1 via [l12]
// CHECK-NEXT:    collective.rank 0 {
// CHECK-NEXT:      collective.fold @t0 (input[0]) -> (output[0], @c0)
// CHECK-NEXT:    }
// CHECK-NEXT:    collective.rank 1 {
// CHECK-NEXT:      collective.fold @t0 (@c0) -> (output[0], @c1)
// CHECK-NEXT:    }
// CHECK-NEXT:    collective.rank 2 {
// CHECK-NEXT:      collective.fold @t0 (@c1) -> (output[0])
// CHECK-NEXT:    }
collective.forest broadcast @chain gpus [0, 1, 2] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
  // A candidate: dropped.
  collective.tree @t1 root 0 block 0 share 0 of 1 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
}

// CHECK-LABEL: collective.schedule reduce
// CHECK-NEXT:    collective.share @t0 root 1 block 0 part 1 of 1 depth 1
// CHECK:         collective.rank 0 {
// CHECK-NEXT:      collective.fold @t0 (input[0]) -> (@c0)
// CHECK-NEXT:    }
// CHECK-NEXT:    collective.rank 1 {
// CHECK-NEXT:      collective.fold @t0 (input[0], @c0, @c1) -> (output[0]) completes
// CHECK-NEXT:    }
collective.forest reduce @chain gpus [0, 1, 2] links <nvlink> root 1 algbw 25.0 bound 25.0 prices [1.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 1 block 0 share 1 of 1 up [0 -> 1 via [l01], 2 -> 1 via [l21]] down []
}

// CHECK-LABEL: collective.schedule all_reduce
// CHECK:         collective.rank 1 {
// CHECK-NEXT:      collective.fold @t0 (input[0], @c0) -> (@c1)
// CHECK-NEXT:      collective.fold @t0 (@c2) -> (output[0], @c3)
// CHECK-NEXT:      collective.fold @t1 (input[0], @c4, @c5) -> (output[0], @c6, @c7) completes
// CHECK-NEXT:    }
// CHECK-NEXT:    collective.rank 2 {
// CHECK-NEXT:      collective.fold @t0 (input[0], @c1) -> (output[0], @c2) completes
// CHECK-NEXT:      collective.fold @t1 (input[0]) -> (@c5)
// CHECK-NEXT:      collective.fold @t1 (@c7) -> (output[0])
collective.forest all_reduce @chain gpus [0, 1, 2] links <nvlink> algbw 25.0 bound 25.0 prices [1.0, 0.0, 1.0, 0.0] {
  collective.tree @t0 root 2 block 0 share 1 of 3
      up [0 -> 1 via [l01], 1 -> 2 via [l12]] down [2 -> 1 via [l21], 1 -> 0 via [l10]]
  collective.tree @t1 root 1 block 0 share 2 of 3
      up [0 -> 1 via [l01], 2 -> 1 via [l21]] down [1 -> 0 via [l10], 1 -> 2 via [l12]]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}

// CHECK-LABEL: collective.schedule all_gather
// CHECK:         collective.rank 0 {
// CHECK-NEXT:      collective.fold @t0 (input[0]) -> (output[0], @c0)
// CHECK-NEXT:      collective.fold @t1 (@c1) -> (output[1])
// CHECK-NEXT:    }
collective.forest all_gather @pair gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [a]]
  collective.tree @t1 root 1 block 1 share 1 of 1 up [] down [1 -> 0 via [b]]
}

// CHECK-LABEL: collective.schedule reduce_scatter
// CHECK:         collective.rank 0 {
// CHECK-NEXT:      collective.fold @t0 (input[0], @c0) -> (output[0]) completes
// CHECK-NEXT:      collective.fold @t1 (input[1]) -> (@c1)
// CHECK-NEXT:    }
// CHECK-NEXT:    collective.rank 1 {
// CHECK-NEXT:      collective.fold @t0 (input[0]) -> (@c0)
// CHECK-NEXT:      collective.fold @t1 (input[1], @c1) -> (output[0]) completes
collective.forest reduce_scatter @pair gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [b]] down []
  collective.tree @t1 root 1 block 1 share 1 of 1 up [0 -> 1 via [a]] down []
}
