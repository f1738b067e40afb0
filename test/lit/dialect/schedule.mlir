// Level 4 parses, prints and comes back, with folds loose and in lanes.
// RUN: blink-opt %s | FileCheck %s
// RUN: blink-opt %s | blink-opt | FileCheck %s
// RUN: blink-opt %s --mlir-print-op-generic | blink-opt | FileCheck %s

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}

// CHECK:      collective.schedule all_reduce @pair gpus [0, 1] links <nvlink> algbw 2.500000e+01 bound 2.500000e+01 prices [1.000000e+00, 1.000000e+00] chunk_bytes 65536 least 16 of 32768 attributes {time_bytes = array<i64: 0, 68719476736>, time_us = array<f64: 1.250000e+00, 2.750000e+06>} {
// CHECK-NEXT:   collective.share @t0 root 0 block 0 part 1 of 1 depth 1
// CHECK-NEXT:   collective.channel @up peer share @t0 from 1 to 0 slots 4 via [b]
// CHECK-NEXT:   collective.channel @down staged share @t0 from 0 to 1 slots 2 via [a]
// CHECK-NEXT:   collective.rank 0 {
// CHECK-NEXT:     collective.lane {
// CHECK-NEXT:       collective.fold @t0 (input[0], @up) -> (output[0], @down) completes delay 1
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   collective.rank 1 {
// CHECK-NEXT:     collective.lane {
// CHECK-NEXT:       collective.fold @t0 (input[0]) -> (@up){{$}}
// CHECK-NEXT:       collective.fold @t0 (@down) -> (output[0]) delay 2
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
collective.schedule all_reduce @pair gpus [0, 1] links <nvlink> algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 least 16 of 32768 attributes {time_bytes = array<i64: 0, 68719476736>, time_us = array<f64: 1.25, 2.75e6>} {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @up peer share @t0 from 1 to 0 slots 4 via [b]
  collective.channel @down staged share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0], @up) -> (output[0], @down) completes delay 1
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (@up)
      collective.fold @t0 (@down) -> (output[0]) delay 2
    }
  }
}

// CHECK:      collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 1
// CHECK:        collective.rank 1 {
// CHECK-NEXT:     collective.fold @t0 (input[0]) -> (output[0], @c)
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 1 algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  collective.share @t0 root 1 block 0 part 1 of 1 depth 1
  collective.channel @c network share @t0 from 1 to 0 slots 1 via [b]
  collective.rank 0 {
    collective.fold @t0 (@c) -> (output[0])
  }
  collective.rank 1 {
    collective.fold @t0 (input[0]) -> (output[0], @c)
  }
}

// CHECK:      collective.schedule broadcast @pair {{.*}} prices [{{.*}}] protocol low_latency min_bytes 16 max_bytes 4096 chunk_bytes 1024 {
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] protocol low_latency min_bytes 16 max_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 1 via [a]
  collective.rank 0 {
    collective.fold @t0 (input[0]) -> (output[0], @c)
  }
  collective.rank 1 {
    collective.fold @t0 (@c) -> (output[0])
  }
}

// What one rank of each orbit does.
// CHECK:      collective.schedule all_gather @pair gpus [0, 1] {{.*}} symmetry [#collective.renaming<steps 2 nodes[1, 0]>] chunk_bytes 65536 {
// CHECK:        collective.rank 0 {
// CHECK-NEXT:     collective.lane {
// CHECK-NEXT:       collective.fold @t0 (input[0]) -> (output[0], @c)
// CHECK-NEXT:       collective.fold @t0 (@c) -> (output[1])
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
collective.schedule all_gather @pair gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] symmetry [#collective.renaming<steps 2 nodes[1, 0]>] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 4 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
      collective.fold @t0 (@c) -> (output[1])
    }
  }
}
