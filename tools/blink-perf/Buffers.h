//===- Buffers.h - the buffers of one rank ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Allocated once for the largest case. Inputs and expected results are
// Samples'; nothing here knows how the runtime reduces.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_BUFFERS_H
#define BLINK_TOOLS_BLINKPERF_BUFFERS_H

#include "tools/blink-perf/Backend.h"
#include "tools/blink-perf/Cases.h"

namespace blink::perf {

/// Memory of a rank, with its twin on the host.
class Memory {
public:
  /// `shared`: what the rank uses is blinkMemAlloc's. Throws std::bad_alloc and
  /// what the back end throws.
  Memory(Backend &backend, int rank, size_t bytes, bool shared);

  uint8_t *host() { return host_.get(); }
  /// Where the back end finds what is at `offset` of host().
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
  std::shared_ptr<uint8_t> memory_, host_; ///< the same on the host
};

class Buffers {
public:
  /// Large enough for every one of the cases. `shared`: as of Memory.
  Buffers(Backend &backend, int rank, const std::vector<Case> &cases,
          bool shared);

  /// Registers the buffers with the rank's communicator, together with all
  /// other ranks, and ends that. Errors: as of blinkCommRegister.
  blinkResult_t enroll(blinkComm_t comm);
  blinkResult_t withdraw(blinkComm_t comm);

  const void *send(const Case &c, bool inPlace);
  void *recv(const Case &c, bool inPlace);

  /// Writes zeros everywhere. Memory that nobody has written would be one page
  /// that all reads share, faster than any other.
  void clear();
  /// Writes the inputs of `seed`, and elsewhere in the output what no result
  /// is likely to be.
  void fill(const Case &c, bool inPlace, uint64_t seed);
  /// Compares every element of the output; returns how many differ in any bit.
  /// `reduced`: element by element, what a reduction of all inputs gives.
  uint64_t countWrong(const Case &c, bool inPlace, uint64_t seed,
                      const uint8_t *reduced);

private:
  int rank_;
  Memory input_, output_; ///< in place the output serves as both
  void *handles_[2] = {}; ///< of the two, registered
};

/// Writes elements [begin, end) of what the reduction of all inputs of `seed`
/// must be, each at its place from `out`.
void writeReduced(const Case &c, uint64_t seed, size_t begin, size_t end,
                  uint8_t *out);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_BUFFERS_H
