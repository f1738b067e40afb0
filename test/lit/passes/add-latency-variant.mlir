// Beside each forest one for small messages: low, of low latency, with the
// same rate and proof; and what is no business of the pass stays as it is.
// RUN: blink-opt %s --collective-add-latency-variant | FileCheck %s
// RUN: blink-opt %s --collective-add-latency-variant | blink-opt --collective-add-latency-variant | FileCheck %s
// RUN: blink-opt %s --collective-add-latency-variant=max-ranks=2 | FileCheck %s --check-prefix=FEW
// RUN: blink-opt %s --collective-add-latency-variant --collective-expand-folds --collective-assign-lanes \
// RUN:   --collective-tune-chunks --collective-verify-schedule | FileCheck %s --check-prefix=LANES
// RUN: blink-opt %s --collective-add-latency-variant --collective-select-trees | FileCheck %s
// RUN: blink-opt %s --collective-add-latency-variant=max-one-hop-ranks=2 | FileCheck %s --check-prefix=HOP2
// RUN: blink-opt %s --collective-add-latency-variant=max-one-hop-ranks=1 | FileCheck %s --check-prefix=HOP1
// HOP1-NOT: collective.schedule

// A ring whose links 0 - 2 are slow to start: the way over 1 is shorter, 1.2 us
// and two steps against 4 us and one.
collective.topology @ring {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @l01 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.6
  collective.link @l10 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.6
  collective.link @l12 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.6
  collective.link @l21 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.6
  collective.link @l02 nvlink @gpu0 -> @gpu2 bandwidth 25.0 latency 4.0
  collective.link @l20 nvlink @gpu2 -> @gpu0 bandwidth 25.0 latency 4.0
}

// Small: a copy from one to two places moves 1.5 bytes a byte, 0.094 ns in one
// lane; the links take 0.08, so there are two trees. 1 + 0.6 to rank 1, as much again to rank 2: 3.2 us, and 2 bytes a byte
// at 25 GB/s. Large: 2 + 0.6 + 2 + 4 over rank 2: 8.6 us, and 50 GB/s; the second
// hop waits for a chunk. 128 KiB take 13.7 us and 8.6 + 2.6 + 2.6 = 13.8 us; 160
// KiB 16.3 us and, with a quarter of a chunk more, 8.6 + 3.3 + 2.6 + 0.5 = 15.0.
// CHECK:      collective.forest broadcast @ring gpus [0, 1, 2] links <nvlink> root 0 algbw 5.000000e+01 bound 5.000000e+01 prices [1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00, 0.000000e+00] protocol low_latency max_bytes 163840 {
// CHECK-NEXT:   collective.tree @t0 root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
// CHECK-NEXT:   collective.tree @t1 root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
// CHECK-NEXT: }
// CHECK-NEXT: collective.forest broadcast @ring {{.*}} min_bytes 163840 {
// CHECK-NEXT:   @a root 0 block 0 share 1 of 2
// CHECK-NEXT:   @b root 0 block 0 share 1 of 2
// CHECK-NEXT: }
// FEW:        collective.forest broadcast
// FEW-NOT:    _bytes
// FEW:        collective.forest all_reduce
// LANES:      collective.schedule broadcast {{.*}} protocol low_latency max_bytes 163840 chunk_bytes 81920 {
// LANES:      slots 2 via [l01]
// LANES:      slots 2 via [l12]
// LANES:      collective.schedule broadcast {{.*}} min_bytes 163840 chunk_bytes
// LANES:      slots 4
collective.forest broadcast @ring gpus [0, 1, 2] links <nvlink> root 0 algbw 50.0 bound 50.0 prices [1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
  collective.tree @a root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01], 1 -> 2 via [l12]]
  collective.tree @b root 0 block 0 share 1 of 2 up [] down [0 -> 2 via [l02], 2 -> 1 via [l21]]
}

// In one hop: 1 + 4 us over the slow links, and nothing more, since they are
// served first and what comes over them is read last. One tree: the root that
// gives the least, not that of the trees there are; 1.6 us there and 1.6 us
// back, and 0.25 for the second child each time: 3.7 us. So no hop here.
// CHECK:      collective.forest all_reduce {{.*}} protocol low_latency max_bytes
// CHECK-NEXT:   root 1 block 0 share 1 of 4 up [{{0 -> 1 via \[l01\], 2 -> 1 via \[l21\]|2 -> 1 via \[l21\], 0 -> 1 via \[l01\]}}] down [{{0|1}} -> {{.*}}]
// CHECK-COUNT-3: root 1 block 0 share 1 of 4
// CHECK:      collective.forest all_reduce {{.*}} min_bytes
// CHECK-NEXT:   root 0
collective.forest all_reduce @ring gpus [0, 1, 2] links <nvlink> algbw 25.0 bound 37.5 prices [0.25, 0.25, 0.25, 0.25, 0.25, 0.25] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [l10], 2 -> 0 via [l20]] down [0 -> 1 via [l01], 0 -> 2 via [l02]]
}

// Two GPUs: in one hop 1 + 0.6 us, and 0.25 for a lane's second fold. A lane
// moves 2.5 bytes a byte at 16 GB/s, 0.16 ns; the links take 0.08, so two lanes
// exchange a half each. A tree takes two hops, and no less a byte: it is left
// out. Large: 2 (2 + 0.6) = 5.2 us, half of the bytes, and chunks: four, of
// which three cost a turn and one passes before the second hop begins, and from
// 256 KiB on a tag, 0.25. 256 KiB take 1.85 + 21.0 = 22.8 us and 5.2 + 10.5 + 3 x
// 2 + 2.6 + 0.25 = 24.6, 320 KiB 28.1 us and 5.2 + 13.1 + 3 x 2 + 3.3 + 0.25 = 27.8.
// CHECK:      collective.schedule all_reduce @ring gpus [0, 1] {{.*}} protocol low_latency max_bytes 327680 {
// CHECK-NEXT:   collective.share @t0 root 0 block 0 part 1 of 2 depth 1
// CHECK-NEXT:   collective.share @t1 root 0 block 0 part 1 of 2 depth 1
// CHECK-NEXT:   collective.channel @c0 peer share @t0 from 0 to 1 slots 1 via [l01]
// CHECK-NEXT:   collective.channel @c1 peer share @t0 from 1 to 0 slots 1 via [l10]
// CHECK-NEXT:   collective.channel @c2 peer share @t1 from 0 to 1 slots 1 via [l01]
// CHECK-NEXT:   collective.channel @c3 peer share @t1 from 1 to 0 slots 1 via [l10]
// CHECK-NEXT:   collective.rank 0 {
// CHECK-NEXT:     collective.lane {
// CHECK-NEXT:       collective.fold @t0 (input[0]) -> (@c0)
// CHECK-NEXT:       collective.fold @t0 (input[0], @c1) -> (output[0]) completes
// CHECK-NEXT:     }
// CHECK-NEXT:     collective.lane {
// CHECK-NEXT:       collective.fold @t1 (input[0]) -> (@c2)
// CHECK-NEXT:       collective.fold @t1 (input[0], @c3) -> (output[0]) completes
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   collective.rank 1 {
// CHECK-NEXT:     collective.lane {
// CHECK-NEXT:       collective.fold @t0 (input[0]) -> (@c1)
// CHECK-NEXT:       collective.fold @t0 (@c0, input[0]) -> (output[0]) completes
// CHECK-NEXT:     }
// CHECK:      collective.forest all_reduce @ring gpus [0, 1] {{.*}} min_bytes 327680 {
// HOP2:       collective.schedule all_reduce @ring gpus [0, 1]
// HOP2:       collective.forest all_reduce @ring gpus [0, 1] {{.*}} min_bytes 327680 {
// LANES:      collective.schedule all_reduce @ring gpus [0, 1] {{.*}} max_bytes 327680 chunk_bytes 163840 {
// LANES:      slots 2 via [l01]
// LANES:      collective.schedule all_reduce @ring gpus [0, 1] {{.*}} min_bytes 327680 chunk_bytes
collective.forest all_reduce @ring gpus [0, 1] links <nvlink> algbw 25.0 bound 25.0 prices [1.0, 1.0, 0.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [l10]] down [0 -> 1 via [l01]]
}

// The trees of a block, one for each of two lanes.
// CHECK:      collective.forest all_gather {{.*}} protocol low_latency
// CHECK-NEXT:   root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01]]
// CHECK-NEXT:   root 0 block 0 share 1 of 2 up [] down [0 -> 1 via [l01]]
// CHECK-NEXT:   root 1 block 1 share 1 of 2 up [] down [1 -> 0 via [l10]]
// CHECK-NEXT:   root 1 block 1 share 1 of 2 up [] down [1 -> 0 via [l10]]
// CHECK-NEXT: }
collective.forest all_gather @ring gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0, 0.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [l01]]
  collective.tree @t1 root 1 block 1 share 1 of 1 up [] down [1 -> 0 via [l10]]
}

// A gather: chains of data that is different for each rank, up to where large
// messages go without slots.
// CHECK:      collective.forest gather {{.*}} protocol low_latency max_bytes [[DIRECT:[0-9]+]] {
// CHECK:      collective.forest gather {{.*}} min_bytes [[DIRECT]] {
collective.forest gather @ring gpus [0, 1] links <nvlink> root 0 algbw 50.0 bound 50.0 prices [0.0, 1.0, 0.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [l10]] down []
}
// One rank: a copy.
// CHECK:      collective.forest all_reduce @ring gpus [2]
// CHECK-NOT:  low_latency
collective.forest all_reduce @ring gpus [2] links <nvlink> algbw 0x7FF0000000000000 bound 0x7FF0000000000000 prices [0.0, 0.0, 0.0, 0.0, 0.0, 0.0] {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [] down []
}

// Made for some sizes by somebody: kept.
// CHECK:      collective.forest reduce {{.*}} max_bytes 1000 {
// CHECK:      collective.forest reduce {{.*}} protocol low_latency min_bytes 1000 {
// CHECK-NOT:  collective.forest
collective.forest reduce @ring gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [0.0, 1.0, 0.0, 0.0, 0.0, 0.0] max_bytes 1000 {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [l10]] down []
}
collective.forest reduce @ring gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [0.0, 1.0, 0.0, 0.0, 0.0, 0.0] protocol low_latency min_bytes 1000 {
  collective.tree @t0 root 0 block 0 share 1 of 1 up [1 -> 0 via [l10]] down []
}
