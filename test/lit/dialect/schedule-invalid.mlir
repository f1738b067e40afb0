// RUN: blink-opt %s --split-input-file --verify-diagnostics

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has chunks of at least 80 bytes, expected a multiple of 64}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 least 4 of 80 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has at least 0 chunks, expected 1 to 65535}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 least 0 of 4096 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has chunk_bytes 100, expected a multiple of 16}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 100 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{broadcast needs a root}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has 1 prices for 2 links}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  // expected-error @below {{carries nothing: expected a share > 0}}
  collective.share @t0 root 0 block 0 part 0 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has shares of block 0 that add up to 1 / 2, not to one}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 2 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  // expected-error @below {{has root 5, but ranks 0 to 1}}
  collective.share @t0 root 5 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  // expected-error @below {{has 0 slots, expected 1 to 1024}}
  collective.channel @c peer share @t0 from 0 to 1 slots 0 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  // expected-error @below {{is peer and has a window; only network channels have}}
  collective.channel @c peer share @t0 from 0 to 1 slots 2 window 1 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  // expected-error @below {{has a window of 3 and 2 slots, expected 0 to 2}}
  collective.channel @c network share @t0 from 0 to 1 slots 2 window 3 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  // expected-error @below {{joins rank 1 to itself}}
  collective.channel @c peer share @t0 from 1 to 1 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  // expected-error @below {{has an end at rank 2, but ranks 0 to 1}}
  collective.channel @c peer share @t0 from 0 to 2 slots 2 via [a]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  // expected-error @below {{has a path that arrives at gpu0 and goes on over link "b", which begins at gpu1}}
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [b]
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

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      // expected-error @below {{names channel @d, which does not exist}}
      collective.fold @t0 (input[0]) -> (output[0], @d)
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      // expected-error @below {{of rank 0 reads @c, which ends at rank 1}}
      collective.fold @t0 (input[0], @c) -> (output[0])
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  // expected-error @below {{is never written}}
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0])
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  // expected-error @below {{is never read}}
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
      // expected-error @below {{reads @c, which another fold reads already}}
      collective.fold @t0 (input[0], @c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      // expected-error @below {{lists @c twice}}
      collective.fold @t0 (@c, @c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      // expected-error @below {{needs at least one source and one destination}}
      collective.fold @t0 (@c) -> ()
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      // expected-error @below {{writes its input; only output may be written}}
      collective.fold @t0 (input[0]) -> (input[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      // expected-error @below {{has a negative block}}
      collective.fold @t0 (input[-1]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    // expected-error @below {{has no fold}}
    collective.lane {
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    // expected-error @below {{does not belong here: a rank holds either lanes or loose folds}}
    collective.fold @t0 (@c) -> (output[0])
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has programs for 1 of 2 ranks}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
    }
  }
  // expected-error @below {{is rank 2, expected rank 1}}
  collective.rank 2 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 2 depth 1
  collective.share @t1 root 0 block 0 part 1 of 2 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      // expected-error @below {{of @t1 uses @c, which carries @t0}}
      collective.fold @t1 (input[0]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
      // expected-error @below {{names no collective.share: @t7}}
      collective.fold @t7 (input[0]) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      // expected-error @below {{expected a channel (@name), input[block] or output[block]}}
      collective.fold @t0 (inptu[0]) -> (output[0], @c)
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has max_bytes 16, expected more than min_bytes, 4096}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] min_bytes 4096 max_bytes 16 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 1 via [a]
  collective.rank 0 { collective.fold @t0 (input[0]) -> (output[0], @c) }
  collective.rank 1 { collective.fold @t0 (@c) -> (output[0]) }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  collective.share @t0 root 0 block 0 part 1 of 2 depth 1
  collective.share @t1 root 0 block 0 part 1 of 2 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.channel @d peer share @t1 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c) delay 3
      // expected-error @below {{has a delay of 2 after one of 3 in its lane; expected no less}}
      collective.fold @t1 (input[0]) -> (output[0], @d) delay 2
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
      collective.fold @t1 (@d) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  collective.share @t0 root 0 block 0 part 1 of 2 depth 1
  collective.share @t1 root 0 block 0 part 1 of 2 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 2 via [a]
  collective.channel @d peer share @t1 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c) delay 3
      // expected-error @below {{32-bit signless integer attribute whose value is non-negative whose maximum value is 65535}}
      collective.fold @t1 (input[0]) -> (output[0], @d) delay 65536
    }
  }
  collective.rank 1 {
    collective.lane {
      collective.fold @t0 (@c) -> (output[0])
      collective.fold @t1 (@d) -> (output[0])
    }
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule all_reduce @pair gpus [0, 1] links <nvlink> accumulate f32 algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @up peer share @t0 from 1 to 0 slots 2 via [b]
  collective.channel @down peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    // expected-error @below {{writes a sum of some ranks to the output, which has no room for f32, in which the schedule accumulates}}
    collective.fold @t0 (input[0], @up) -> (output[0], @down)
  }
  collective.rank 1 {
    collective.fold @t0 (input[0]) -> (@up)
    collective.fold @t0 (@down) -> (output[0])
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
collective.schedule reduce @pair gpus [0, 1] links <nvlink> root 1 accumulate f32 algbw 25.0 bound 25.0 prices [1.0, 1.0] {
  collective.share @t0 root 1 block 0 part 1 of 1 depth 1
  collective.channel @up peer share @t0 from 1 to 0 slots 2 via [b]
  collective.channel @down peer share @t0 from 0 to 1 slots 2 via [a]
  collective.rank 0 {
    collective.fold @t0 (input[0], @up) -> (@down)
  }
  collective.rank 1 {
    collective.fold @t0 (input[0]) -> (@up)
    // expected-error @below {{writes a sum of some ranks to the output}}
    collective.fold @t0 (@down) -> (output[0])
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has programs for 0 of 2 ranks}}
collective.schedule all_gather @pair gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] symmetry [#collective.renaming<steps 2 nodes[1, 0]>] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 4 via [a]
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has programs for 4 of 2 ranks}}
collective.schedule all_gather @pair gpus [0, 1] links <nvlink> algbw 50.0 bound 50.0 prices [1.0, 1.0] symmetry [#collective.renaming<steps 2 nodes[1, 0]>] chunk_bytes 65536 {
  collective.share @t0 root 0 block 0 part 1 of 1 depth 1
  collective.channel @c peer share @t0 from 0 to 1 slots 4 via [a]
  collective.rank 0 {
    collective.lane {
      collective.fold @t0 (input[0]) -> (output[0], @c)
      collective.fold @t0 (@c) -> (output[1])
    }
  }
  collective.rank 1 {
  }
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has 1 times of 2 sizes, expected two or more of each}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 attributes {time_bytes = array<i64: 0, 4096>, time_us = array<f64: 1.0>} {
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has 1 times of 1 sizes, expected two or more of each}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 attributes {time_bytes = array<i64: 0>, time_us = array<f64: 1.0>} {
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has 0 times of 2 sizes, expected two or more of each}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 attributes {time_bytes = array<i64: 0, 4096>} {
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has a time of 1 bytes, expected sizes that ascend from 0}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 attributes {time_bytes = array<i64: 1, 4096>, time_us = array<f64: 1.0, 2.0>} {
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has a time of 4096 bytes, expected sizes that ascend from 0}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 attributes {time_bytes = array<i64: 0, 4096, 4096>, time_us = array<f64: 1.0, 2.0, 3.0>} {
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{has a time of -1.000000e+00 microseconds, expected at least 0}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 attributes {time_bytes = array<i64: 0, 4096>, time_us = array<f64: -1.0, 2.0>} {
}

// -----

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// expected-error @below {{takes less time for the last size than for the one before it}}
collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0 algbw 25.0 bound 25.0 prices [1.0, 1.0] chunk_bytes 65536 attributes {time_bytes = array<i64: 0, 4096>, time_us = array<f64: 1.0, 0.5>} {
}
