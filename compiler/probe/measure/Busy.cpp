//===- Busy.cpp - whether a machine is quiet enough to measure ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/Busy.h"

#include "compiler/probe/Nvml.h"
#include "compiler/support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

using namespace blink;

static constexpr int kSamples = 40;
static constexpr std::chrono::milliseconds kBetween{5};
static constexpr double kMostLoad = 0.1; ///< of the processors
/// A display or a monitoring program may use this much of a GPU.
static constexpr unsigned kMostPercent = 5;

char BusyMachine::ID;

void BusyMachine::log(llvm::raw_ostream &out) const {
  out << "the machine is busy: " << why_
      << "; --measure again when it is quiet";
}

llvm::Error blink::busyMachine(std::string why) {
  return llvm::make_error<BusyMachine>(std::move(why));
}

/// Returns how many threads run now without the calling one, from a line such
/// as "0.20 0.18 0.12 1/80 11206".
static std::optional<int> running(llvm::StringRef sysfs) {
  auto file = llvm::MemoryBuffer::getFileAsStream(sysfs + "/../proc/loadavg");
  if (!file)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 5> words;
  (*file)->getBuffer().split(words, ' ');
  int number = 0;
  if (words.size() < 4 || words[3].split('/').first.getAsInteger(10, number) ||
      number < 1)
    return std::nullopt;
  return number - 1;
}

llvm::Error blink::expectQuiet(llvm::StringRef sysfs,
                               const Inventory &inventory) {
  for (const GpuUse &use : askGpuUse(inventory))
    if (use.percent > kMostPercent || use.processes > 0)
      return busyMachine(
          llvm::formatv("gpu{0} works {1} % of the time, for {2} "
                        "processes",
                        use.gpu, use.percent, use.processes));
  int sum = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    std::optional<int> number = running(sysfs);
    if (!number)
      return llvm::Error::success();
    sum += *number;
    std::this_thread::sleep_for(kBetween);
  }
  const double load = static_cast<double>(sum) / kSamples;
  // All processors of the machine, even if this process may use only some.
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (load > kMostLoad * static_cast<double>(processors))
    return busyMachine(llvm::formatv("{0:F1} threads run on its {1} processors",
                                     load, processors));
  return llvm::Error::success();
}
