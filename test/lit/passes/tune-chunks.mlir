// A chunk size given by hand is kept; one hop gets the largest, since nothing
// waits for the pipeline to fill; slots are set.
// RUN: blink-opt %s --collective-tune-chunks | FileCheck %s

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
collective.topology @both {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 30.0 latency 0.5
}
// CHECK: broadcast {{.*}} chunk_bytes 1024 {
// CHECK: slots 3
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.fold @t0 (input[0]) -> (output[0], @c) }
  collective.rank 1 { collective.fold @t0 (@c) -> (output[0]) }
}
// CHECK: broadcast {{.*}} chunk_bytes 1048576 {
// CHECK: slots 4
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 1 via [a]
  collective.rank 0 { collective.fold @t0 (input[0]) -> (output[0], @c) }
  collective.rank 1 { collective.fold @t0 (@c) -> (output[0]) }
}
// For small messages: the largest is two chunks, for two slots.
// CHECK: broadcast {{.*}} protocol low_latency max_bytes 5000 chunk_bytes 2512 {
// CHECK: slots 2
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] protocol low_latency max_bytes 5000 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 1 via [a]
  collective.rank 0 { collective.fold @t0 (input[0]) -> (output[0], @c) }
  collective.rank 1 { collective.fold @t0 (@c) -> (output[0]) }
}
// A lane that sends and then receives begins a chunk only after a round trip of
// the one before it: one chunk.
// CHECK: all_reduce {{.*}} protocol low_latency max_bytes 5000 chunk_bytes 5008 {
// CHECK: slots 2
collective.schedule all_reduce @both gpus [0, 1] links <nvlink> algbw 30.0 bound 30.0 prices [0.5, 0.5] protocol low_latency max_bytes 5000 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 1 via [a]
  collective.channel @d peer share @t0 from 1 to 0 slots 1 via [b]
  collective.rank 0 { collective.lane {
    collective.fold @t0 (input[0]) -> (@c)
    collective.fold @t0 (input[0], @d) -> (output[0]) completes
  } }
  collective.rank 1 { collective.lane {
    collective.fold @t0 (input[0]) -> (@d)
    collective.fold @t0 (@c, input[0]) -> (output[0]) completes
  } }
}
// In lanes of their own the same folds do not wait for each other.
// CHECK: all_reduce {{.*}} chunk_bytes 2512 {
collective.schedule all_reduce @both gpus [1, 0] links <nvlink> algbw 30.0 bound 30.0 prices [0.5, 0.5] protocol low_latency max_bytes 5000 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 1 via [b]
  collective.channel @d peer share @t0 from 1 to 0 slots 1 via [a]
  collective.rank 0 {
    collective.lane { collective.fold @t0 (input[0]) -> (@c) }
    collective.lane { collective.fold @t0 (input[0], @d) -> (output[0]) completes }
  }
  collective.rank 1 {
    collective.lane { collective.fold @t0 (input[0]) -> (@d) }
    collective.lane { collective.fold @t0 (@c, input[0]) -> (output[0]) completes }
  }
}
