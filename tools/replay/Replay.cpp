//===- Replay.cpp - run a schedule on real data and check it --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/replay/Replay.h"

#include "schedules/ScheduleFile.h"
#include "schedules/Text.h"
#include "tools/replay/SampledCall.h"

#include <chrono>
#include <cstring>

using namespace blink;

namespace {

using Bytes = std::vector<uint8_t>;

/// One replay: buffers of all ranks, and the reference they are held against.
class Session {
public:
  Session(const sched::Program &program, const ReplayOptions &options)
      : options_(options), call_{program.collective(),
                                 program.root(),
                                 static_cast<int>(program.allocation()->size()),
                                 options.type,
                                 options.op,
                                 0},
        numPrograms_(static_cast<int>(sched::numPrograms(program))),
        samples_(call_.samples(options.seed)) {
    call_.count = options.bytes / call_.unit();
  }

  ReplayResult run(const std::vector<uint8_t> &file);

private:
  bool iterate(const std::vector<blinkComm_t> &comms, ReplayResult &result);
  void fill();
  void check(ReplayResult &result);
  Bytes expected(int rank, uint32_t block) const;
  uint8_t *input(int rank) {
    return (options_.inPlace ? outputs_ : inputs_)[rank].data() +
           call_.inputOffset(rank, options_.inPlace);
  }
  uint8_t *output(int rank) {
    return outputs_[rank].data() + call_.outputOffset(rank, options_.inPlace);
  }

  const ReplayOptions &options_;
  SampledCall call_;
  int numPrograms_; ///< ranks and relays
  Samples samples_;
  std::vector<Bytes> inputs_, outputs_;
};

/// What block `block` of `rank`'s output must be.
Bytes Session::expected(int rank, uint32_t block) const {
  Bytes bytes(call_.blockBytes());
  const uint64_t first = call_.firstElement(rank);
  const int source = call_.sourceOf(rank, block);
  const size_t size = sizeOf(call_.type);
  for (size_t i = 0; i < call_.count; ++i) {
    void *out = bytes.data() + i * size;
    call_.reduces() ? samples_.reduced(first + i, out)
                    : samples_.input(source, first + i, out);
  }
  return bytes;
}

void Session::fill() {
  const size_t size = sizeOf(call_.type);
  const size_t elements = call_.count * call_.inputBlocks();
  for (int rank = 0; rank < call_.numRanks; ++rank)
    for (size_t i = 0; i < elements; ++i)
      samples_.input(rank, i, input(rank) + i * size);
}

void Session::check(ReplayResult &result) {
  const bool sameOnAllRanks =
      call_.inputBlocks() == 1 && !isPairwise(call_.collective);
  const size_t elementSize = sizeOf(call_.type);
  std::vector<Bytes> reference;
  for (int rank = 0; rank < call_.numRanks; ++rank) {
    if (!call_.receives(rank))
      continue;
    if (reference.empty() || !sameOnAllRanks) {
      reference.clear();
      for (uint32_t block = 0; block < call_.outputBlocks(); ++block)
        reference.push_back(expected(rank, block));
    }
    for (uint32_t block = 0; block < call_.outputBlocks(); ++block) {
      const uint8_t *got = output(rank) + block * call_.blockBytes();
      const uint8_t *want = reference[block].data();
      result.checked += call_.count;
      if (call_.count == 0 || std::memcmp(got, want, call_.blockBytes()) == 0)
        continue;
      for (size_t i = 0; i < call_.count; ++i)
        if (std::memcmp(got + i * elementSize, want + i * elementSize,
                        elementSize) != 0 &&
            result.wrong++ == 0)
          result.firstWrong =
              textOf("rank ", rank, ", block ", block, ", element ", i);
    }
  }
}

bool Session::iterate(const std::vector<blinkComm_t> &comms,
                      ReplayResult &result) {
  fill();
  if (!options_.inPlace)
    for (Bytes &output : outputs_)
      std::fill(output.begin(), output.end(), uint8_t(0xff));
  auto start = std::chrono::steady_clock::now();
  blinkGroupStart();
  for (int rank = 0; rank < numPrograms_; ++rank) {
    const bool isRelay = rank >= call_.numRanks;
    // GroupEnd returns what a call was refused for.
    call_.make(isRelay ? nullptr : input(rank),
               isRelay ? nullptr : output(rank), comms[rank], nullptr);
  }
  blinkResult_t code = blinkGroupEnd();
  result.seconds.push_back(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  if (code != blinkSuccess) {
    result.error = blinkGetLastError(nullptr);
    return false;
  }
  check(result);
  return true;
}

ReplayResult Session::run(const std::vector<uint8_t> &file) {
  ReplayResult result;
  result.bytes = call_.bytes();
  for (int rank = 0; rank < call_.numRanks; ++rank) {
    inputs_.emplace_back(options_.inPlace ? 0 : call_.inputBytes());
    outputs_.emplace_back(options_.inPlace ? call_.bytes()
                                           : call_.outputBytes());
  }
  if (options_.inPlace && !call_.hasInPlace()) {
    result.error = textOf("there is no ", EnumNameCollective(call_.collective),
                          " in place");
    return result;
  }
  blinkSchedule_t schedule = nullptr;
  std::vector<blinkComm_t> comms(numPrograms_, nullptr);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = options_.timeoutMs;
  if (blinkScheduleOpenMemory(file.data(), file.size(), &schedule) !=
          blinkSuccess ||
      blinkCommInitAll(comms.data(), numPrograms_, nullptr, schedule,
                       &config) != blinkSuccess) {
    result.error = blinkGetLastError(nullptr);
    blinkScheduleClose(schedule);
    return result;
  }
  for (int i = 0; i < options_.iterations; ++i)
    if (!iterate(comms, result))
      break;
  for (blinkComm_t comm : comms)
    blinkCommDestroy(comm);
  blinkScheduleClose(schedule);
  return result;
}

} // namespace

ReplayResult blink::replay(const std::vector<uint8_t> &file,
                           const sched::Program &program,
                           const ReplayOptions &options) {
  return Session(program, options).run(file);
}
