// One pass after the other, on a machine small enough to know the answer: two
// GPUs and a link each way. Every byte crosses both links once.
// RUN: blink-opt %s --collective-pack-trees | FileCheck %s --check-prefix=PACK
// RUN: blink-opt %s --collective-pack-trees --collective-select-trees | FileCheck %s --check-prefix=SELECT
// RUN: blink-opt %s --collective-pack-trees --collective-select-trees --collective-expand-folds \
// RUN:   | FileCheck %s --check-prefix=FOLDS
// RUN: blink-opt %s --collective-pack-trees --collective-select-trees --collective-expand-folds \
// RUN:   --collective-assign-lanes --collective-tune-chunks=chunk-bytes=32768 --collective-verify-schedule \
// RUN:   | FileCheck %s --check-prefix=LANES

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.all_reduce @pair gpus [0, 1] links <nvlink>

// PACK-NOT:    collective.all_reduce
// PACK:        collective.forest all_reduce @pair gpus [0, 1] links <nvlink> algbw 2.500000e+01 bound 2.500000e+01 prices [
// PACK:        collective.tree @{{.*}} share {{[1-9]}}

// SELECT:      collective.forest all_reduce
// SELECT-SAME: algbw 2.500000e+01 bound 2.500000e+01
// SELECT-NEXT: collective.tree @t0 root [[R:[01]]] block 0 share 1 of 1 up [{{.*}}] down [{{.*}}]
// SELECT-NEXT: }

// FOLDS:       collective.schedule all_reduce
// FOLDS-NOT:   chunk_bytes
// FOLDS:       collective.share @t0 root [[R:[01]]] block 0 part 1 of 1 depth 1
// FOLDS-NEXT:  collective.channel @c0 peer share @t0 from [[C:[01]]] to [[R]] slots 1 via [{{[ab]}}]
// FOLDS-NEXT:  collective.channel @c1 peer share @t0 from [[R]] to [[C]] slots 1 via [{{[ab]}}]
// FOLDS-NEXT:  collective.rank 0 {
// FOLDS-NOT:   collective.lane
// FOLDS-DAG:   collective.fold @t0 (input[0], @c0) -> (output[0], @c1) completes
// FOLDS-DAG:   collective.fold @t0 (input[0]) -> (@c0)
// FOLDS-DAG:   collective.fold @t0 (@c1) -> (output[0])

// LANES:       chunk_bytes 32768
// LANES:       slots 4
// LANES:       slots 4
// LANES:       collective.rank 0 {
// LANES-NEXT:    collective.lane {
// LANES-NEXT:      collective.fold
