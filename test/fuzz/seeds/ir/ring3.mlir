// A custom algorithm, written by hand: a broadcast around a ring of three GPUs,
// half of the buffer each way.
collective.topology @ring3 {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @gpu2 gpu
  collective.link @gpu0.gpu1 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.7
  collective.link @gpu1.gpu2 nvlink @gpu1 -> @gpu2 bandwidth 25.0 latency 0.7
  collective.link @gpu2.gpu0 nvlink @gpu2 -> @gpu0 bandwidth 25.0 latency 0.7
  collective.link @gpu1.gpu0 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.7
  collective.link @gpu2.gpu1 nvlink @gpu2 -> @gpu1 bandwidth 25.0 latency 0.7
  collective.link @gpu0.gpu2 nvlink @gpu0 -> @gpu2 bandwidth 25.0 latency 0.7
}
collective.schedule broadcast @ring3 gpus [0, 1, 2] links <nvlink> root 0
    algbw 50.0 bound 50.0 prices [1.0, 0.0, 0.0, 0.0, 0.0, 1.0] chunk_bytes 65536 {
  collective.share @right root 0 block 0 part 1 of 2 depth 2
  collective.share @left root 0 block 0 part 1 of 2 depth 2
  collective.channel @r0 peer share @right from 0 to 1 slots 2 via [gpu0.gpu1]
  collective.channel @r1 peer share @right from 1 to 2 slots 2 via [gpu1.gpu2]
  collective.channel @l0 peer share @left from 0 to 2 slots 2 via [gpu0.gpu2]
  collective.channel @l1 peer share @left from 2 to 1 slots 2 via [gpu2.gpu1]
  collective.rank 0 {
    collective.fold @right (input[0]) -> (output[0], @r0)
    collective.fold @left (input[0]) -> (output[0], @l0)
  }
  collective.rank 1 {
    collective.fold @right (@r0) -> (output[0], @r1)
    collective.fold @left (@l1) -> (output[0])
  }
  collective.rank 2 {
    collective.fold @right (@r1) -> (output[0])
    collective.fold @left (@l0) -> (output[0], @l1)
  }
}
