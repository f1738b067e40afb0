//===- Buffers.cpp - the buffers of one rank ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Buffers.h"

#include "tools/blink-perf/Shared.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace blink::perf {
namespace {

/// Returns the bytes of the largest input or output; in place, of the larger
/// one.
size_t most(const std::vector<Case> &cases, int rank, bool output) {
  size_t most = 0;
  for (const Case &c : cases)
    if (rank < c.numRanks)
      most = std::max(most, output ? size_t(c.bytes()) : c.inputBytes());
  return most;
}

std::shared_ptr<uint8_t> allocateOnHost(size_t bytes, bool shared) {
  // The kernel does not back pages that no case touches.
  void *memory = nullptr;
  if (!shared)
    memory = std::aligned_alloc(kPage, bytes);
  else if (blinkMemAlloc(&memory, bytes) != blinkSuccess)
    throw std::runtime_error(blinkGetLastError(nullptr));
  if (!memory)
    throw std::bad_alloc();
  if (!shared)
    return {static_cast<uint8_t *>(memory), std::free};
  // After a failure the memory may still be registered.
  return {static_cast<uint8_t *>(memory), blinkMemFree};
}

} // namespace

Memory::Memory(Backend &backend, int rank, size_t bytes, bool shared)
    : backend_(backend), size_(wholePages(std::max<size_t>(bytes, 1))),
      memory_(backend.allocate(rank, size_, shared)),
      host_(allocateOnHost(size_, shared && !memory_)) {
  if (!memory_)
    memory_ = host_;
}

Buffers::Buffers(Backend &backend, int rank, const std::vector<Case> &cases,
                 bool shared)
    : rank_(rank), input_(backend, rank, most(cases, rank, false), shared),
      output_(backend, rank, most(cases, rank, true), shared) {}

blinkResult_t Buffers::enroll(blinkComm_t comm) {
  blinkResult_t result =
      blinkCommRegister(comm, input_.at(0), input_.size(), &handles_[0]);
  if (result == blinkSuccess)
    result =
        blinkCommRegister(comm, output_.at(0), output_.size(), &handles_[1]);
  return result;
}

blinkResult_t Buffers::withdraw(blinkComm_t comm) {
  blinkResult_t result = blinkCommDeregister(comm, handles_[0]);
  if (result == blinkSuccess)
    result = blinkCommDeregister(comm, handles_[1]);
  return result;
}

const void *Buffers::send(const Case &c, bool inPlace) {
  if (rank_ >= c.numRanks)
    return nullptr; // a relay
  return (inPlace ? output_ : input_).at(c.inputOffset(rank_, inPlace));
}

void *Buffers::recv(const Case &c, bool inPlace) {
  return rank_ >= c.numRanks ? nullptr
                             : output_.at(c.outputOffset(rank_, inPlace));
}

void Buffers::clear() {
  for (Memory *memory : {&input_, &output_}) {
    std::memset(memory->host(), 0, memory->size());
    memory->upload(memory->size());
  }
}

void Buffers::fill(const Case &c, bool inPlace, uint64_t seed) {
  if (rank_ >= c.numRanks)
    return;
  const size_t outputBytes = inPlace ? size_t(c.bytes()) : c.outputBytes();
  if (c.receives(rank_) || inPlace)
    std::memset(output_.host(), 0xff, outputBytes);
  if (c.sends(rank_)) {
    uint8_t *to =
        (inPlace ? output_ : input_).host() + c.inputOffset(rank_, inPlace);
    c.samples(seed).inputs(rank_, 0, c.count * c.inputBlocks(), to);
    if (!inPlace)
      input_.upload(c.inputBytes());
  }
  if (c.receives(rank_) || inPlace)
    output_.upload(outputBytes);
}

uint64_t Buffers::countWrong(const Case &c, bool inPlace, uint64_t seed,
                             const uint8_t *reduced) {
  if (!c.receives(rank_))
    return 0;
  const Samples samples = c.samples(seed);
  const size_t size = sizeOf(c.type);
  const size_t offset = c.outputOffset(rank_, inPlace);
  output_.download(offset + c.outputBytes());
  const uint8_t *got = output_.host() + offset;
  const size_t first = c.firstElement(rank_);
  const auto differing = [&](const uint8_t *want, size_t count) {
    uint64_t wrong = 0;
    if (std::memcmp(got, want, count * size) != 0)
      for (size_t i = 0; i < count; ++i)
        wrong += std::memcmp(got + i * size, want + i * size, size) != 0;
    got += count * size;
    return wrong;
  };
  if (c.reduces())
    return differing(reduced + first * size, c.count);
  uint64_t wrong = 0;
  constexpr size_t kAtOnce = 512;
  uint8_t want[kAtOnce * sizeof(double)];
  for (uint32_t block = 0; block < c.outputBlocks(); ++block)
    for (size_t i = 0; i < c.count; i += kAtOnce) {
      const size_t count = std::min(kAtOnce, c.count - i);
      samples.inputs(c.sourceOf(rank_, block), first + i, count, want);
      wrong += differing(want, count);
    }
  return wrong;
}

void writeReduced(const Case &c, uint64_t seed, size_t begin, size_t end,
                  uint8_t *out) {
  c.samples(seed).reduced(begin, end - begin, out + begin * sizeOf(c.type));
}

} // namespace blink::perf
