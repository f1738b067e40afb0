// What is well formed and wrong all the same.
// RUN: blink-opt %s --split-input-file --verify-diagnostics --collective-verify-schedule

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// Rank 1 gets the data twice, and a broadcast has nothing to reduce.
// expected-error @below {{result: }}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 15.0 bound 30.0 prices [1.0] chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.channel @back peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c, @back) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c, @back) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 30.0 latency 0.5
}
// Both ranks wait for the other's second fold.
// expected-error @below {{progress: }}
collective.schedule all_reduce @pair gpus [0, 1] links <nvlink> algbw 30.0 bound 30.0 prices [0.5, 0.5] chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 2 depth 1
  collective.share @t1 root 1 block 0 part 1 of 2 depth 1
  collective.channel @u0 peer share @t0 from 1 to 0 slots 3 via [b]
  collective.channel @d0 peer share @t0 from 0 to 1 slots 3 via [a]
  collective.channel @u1 peer share @t1 from 0 to 1 slots 3 via [a]
  collective.channel @d1 peer share @t1 from 1 to 0 slots 3 via [b]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0], @u0) -> (output[0], @d0) completes
      collective.fold @t1 (input[0]) -> (@u1)
    }
    collective.lane { collective.fold @t1 (@d1) -> (output[0]) }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t1 (input[0], @u1) -> (output[0], @d1) completes
      collective.fold @t0 (input[0]) -> (@u0)
    }
    collective.lane { collective.fold @t0 (@d0) -> (output[0]) }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// Promises more than the link has.
// expected-error @below {{bandwidth: }}
// expected-error @below {{certificate: }}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 40.0 bound 30.0 prices [1.0] chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// Claims a bound that the prices do not prove.
// expected-error @below {{certificate: }}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 31.0 prices [1.0] chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 {
    // expected-error @below {{has no lane yet: run collective-assign-lanes first}}
    collective.fold @t0 (input[0]) -> (output[0], @c)
  }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// expected-error @below {{has no chunk_bytes yet: run collective-tune-chunks first}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// Small messages end up with the wrong data, large ones do not: the error is
// at the schedule that is wrong.
// expected-error @below {{result: variant 0: }}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] protocol low_latency max_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (@c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] min_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// The other way round.
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] protocol low_latency max_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}
// expected-error @below {{result: variant 1: }}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] min_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (@c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @both {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 30.0 latency 0.5
}
// A lane that waits for what stands behind it, in the small variant alone.
// expected-error @below {{progress: variant 0: deadlock}}
// expected-error @below {{in-place: variant 0: }}
collective.schedule all_reduce @both gpus [0, 1] links <nvlink> algbw 30.0 bound 30.0 prices [0.5, 0.5] protocol low_latency max_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @u peer share @t0 from 1 to 0 slots 2 via [b]
  collective.channel @d peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0], @u) -> (output[0], @d) completes } }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@d) -> (output[0])
      collective.fold @t0 (input[0]) -> (@u)
    }
  }
}
collective.schedule all_reduce @both gpus [0, 1] links <nvlink> algbw 30.0 bound 30.0 prices [0.5, 0.5] min_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @u peer share @t0 from 1 to 0 slots 2 via [b]
  collective.channel @d peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0], @u) -> (output[0], @d) completes } }
  collective.rank 1 {
    collective.lane { collective.fold @t0 (input[0]) -> (@u) }
    collective.lane { collective.fold @t0 (@d) -> (output[0]) }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// A gap in the sizes.
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] max_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}
// expected-error @below {{begins at 5000 bytes, expected 4096, where the variant before it ends}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] min_bytes 5000 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// Two for the same sizes.
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0]  chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}
// expected-error @below {{repeats the collective and allocation of another one, which has no max_bytes}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] min_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// No schedule for large messages.
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] max_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}
// expected-error @below {{is the last variant of its collective and allocation, but ends at 8192 bytes}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] min_bytes 4096 max_bytes 8192 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// A program has one rate.
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] max_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}
// expected-error @below {{states another algbw, bound, price, relay, order of sums or accumulation}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 29.0 bound 30.0 prices [1.0] min_bytes 4096 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 30.0 latency 0.5
}
// None for small ones.
// expected-error @below {{is the first of its collective and allocation, but begins at 16 bytes, not at 0}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 30.0 bound 30.0 prices [1.0] min_bytes 16 chunk_bytes 1024 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 3 via [a]
  collective.rank 0 { collective.lane { collective.fold @t0 (input[0]) -> (output[0], @c) } }
  collective.rank 1 { collective.lane { collective.fold @t0 (@c) -> (output[0]) } }
}
