// Times are stated once. The least message takes 0.5 us of latency and 2 us until rank 1 has noticed it.
// RUN: blink-opt %s --collective-estimate-times | FileCheck %s
// RUN: blink-opt %s --collective-estimate-times -o %t && blink-opt %t --collective-estimate-times | diff %t -
// Those that are there stay.
// RUN: sed 's/us = array<f64: 2.5/us = array<f64: 2.25/' %t | blink-opt --collective-estimate-times | FileCheck %s --check-prefix=KEPT
// KEPT: time_us = array<f64: 2.250000e+00,

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
}

// CHECK: time_bytes = array<i64: 0, {{.*}}68719476736>, time_us = array<f64: 2.500000e+00, {{.*}}>
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 4 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}
