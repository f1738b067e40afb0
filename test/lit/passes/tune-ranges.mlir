// The model of time lets low_latency end at 128 KiB. In simulations the large
// variant is as fast from 112 KiB on. Schedules that have chunks stay as they are.
// RUN: blink-opt %s --collective-add-latency-variant --collective-expand-folds --collective-assign-lanes -o %t
// RUN: FileCheck %s --check-prefix=MODEL --input-file=%t
// RUN: blink-opt %t --collective-tune-ranges --collective-tune-chunks --collective-verify-schedule | FileCheck %s
// RUN: blink-opt %t --collective-tune-chunks -o %t.chunks
// RUN: blink-opt %t.chunks --collective-tune-ranges | diff %t.chunks -
// MODEL:      collective.schedule broadcast {{.*}} protocol low_latency max_bytes 131072 {
// MODEL:      collective.schedule broadcast {{.*}} min_bytes 131072 {
// CHECK:      collective.schedule broadcast {{.*}} protocol low_latency max_bytes 114688 chunk_bytes 57344 {
// CHECK:      collective.schedule broadcast {{.*}} min_bytes 114688 chunk_bytes

collective.topology @ring {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.6
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.6
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.6
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.6
  collective.link @l02 nvlink @gpu0 -> @gpu2 bandwidth 25.0 latency 2.0
  collective.link @l20 nvlink @gpu2 -> @gpu0 bandwidth 25.0 latency 2.0
}

collective.forest broadcast @ring gpus [0, 1, 2] links <nvlink> root 0 algbw 50.0 bound 50.0 prices [1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
  collective.tree @a root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
  collective.tree @b root 0 block 0 share 1 of 2 up [] down [0 -> 2 via [l02], 2 -> 1 via [l21]]
}
