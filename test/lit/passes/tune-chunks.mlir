// A chunk size given by hand is kept; one hop gets the largest, since nothing
// waits for the pipeline to fill; slots are set.
// RUN: blink-opt %s --collective-tune-chunks | FileCheck %s

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
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
// For small messages: the largest is one chunk, and the second slot is for the
// next call.
// CHECK: broadcast {{.*}} protocol low_latency max_bytes 5000 chunk_bytes 5008 {
// CHECK: slots 2
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] protocol low_latency max_bytes 5000 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 1 via [a]
  collective.rank 0 { collective.fold @t0 (input[0]) -> (output[0], @c) }
  collective.rank 1 { collective.fold @t0 (@c) -> (output[0]) }
}
