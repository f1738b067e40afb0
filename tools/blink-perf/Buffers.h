//===- Buffers.h - the buffers of one rank ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Allocated once for the largest case. Inputs and expected results come from
// Samples; nothing here depends on how the runtime reduces.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_BUFFERS_H
#define BLINK_TOOLS_BLINKPERF_BUFFERS_H

#include "tools/blink-perf/Backend.h"
#include "tools/blink-perf/Cases.h"

namespace blink::perf {

/// Memory of a rank, with a copy on the host.
class Memory {
public:
  /// `shared`: the rank's memory comes from blinkMemAlloc. Throws
  /// std::bad_alloc and what the back end throws.
  Memory(Backend &backend, int rank, size_t bytes, bool shared);

  uint8_t *host() { return host_.get(); }
  /// Returns where the back end has the data at `offset` of host().
  uint8_t *at(size_t offset) { return memory_.get() + offset; }
  size_t size() const { return size_; }
  void upload(size_t bytes) {
    backend_.upload(memory_.get(), host_.get(), bytes);
  }
  void download(size_t bytes) {
    backend_.download(host_.get(), memory_.get(), bytes);
  }

private:
  Backend &backend_;
  size_t size_;
  std::shared_ptr<uint8_t> memory_, host_; ///< identical on the host
};

class Buffers {
public:
  /// Allocates enough for each of the cases. `shared`: as in Memory.
  Buffers(Backend &backend, int rank, const std::vector<Case> &cases,
          bool shared);

  /// enroll() registers the buffers with the rank's communicator, together with
  /// all other ranks; withdraw() ends that. Errors: those of blinkCommRegister.
  blinkResult_t enroll(blinkComm_t comm);
  blinkResult_t withdraw(blinkComm_t comm);

  const void *send(const Case &c, bool inPlace);
  void *recv(const Case &c, bool inPlace);

  /// Writes zeros everywhere. Otherwise all reads of untouched memory would
  /// share one page, and be faster than any real memory.
  void clear();
  /// Writes the inputs of `seed`, and fills the rest of the output with values
  /// that are unlikely as results.
  void fill(const Case &c, bool inPlace, uint64_t seed);
  /// Compares every element of the output; returns how many differ in any bit.
  /// `reduced`: the elements of the reduction of all inputs.
  uint64_t countWrong(const Case &c, bool inPlace, uint64_t seed,
                      const uint8_t *reduced);

private:
  int rank_;
  Memory input_, output_; ///< in place, the output is also the input
  void *handles_[2] = {}; ///< registrations of the two
};

/// Writes elements [begin, end) of the expected reduction of all inputs of
/// `seed`, each at its place in `out`.
void writeReduced(const Case &c, uint64_t seed, size_t begin, size_t end,
                  uint8_t *out);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_BUFFERS_H
