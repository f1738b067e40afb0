// RUN: blink-opt %s --split-input-file --verify-diagnostics --collective-estimate-times
// Before the passes that it needs, the pass says which. It used to estimate 0 us, or to read what is not there.

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has no chunk_bytes yet: run collective-tune-chunks first}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0] {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 4 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 4 via [a]
  collective.rank 0 {
    // expected-error @below {{has no lane yet: run collective-assign-lanes first}}
    collective.fold @t0 (input[0]) -> (output[0], @c)
  }
  collective.rank 1 { collective.fold @t0 (@c) -> (output[0]) }
}
