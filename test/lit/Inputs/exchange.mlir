// An allreduce of two ranks that send each other their input: each must send before, in place, it overwrites it.
collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @gpu0.gpu1 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.7
  collective.link @gpu1.gpu0 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.7
}
collective.schedule all_reduce @pair gpus [0, 1] links <nvlink>
    algbw 25.0 bound 25.0 prices [0.5, 0.5] {
  collective.share @all root 0 block 0 part 1 of 1 depth 1
  collective.channel @right peer share @all from 0 to 1 slots 4 via [gpu0.gpu1]
  collective.channel @left peer share @all from 1 to 0 slots 4 via [gpu1.gpu0]
  collective.rank 0 {
    collective.lane {
      collective.fold @all (input[0]) -> (@right)
      collective.fold @all (input[0], @left) -> (output[0]) completes
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @all (input[0]) -> (@left)
      collective.fold @all (@right, input[0]) -> (output[0]) completes
    }
  }
}
