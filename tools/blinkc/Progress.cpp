//===- Progress.cpp - watching a solver from the command line -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;

/// Seconds until the first display, as shorter work needs none, and between
/// displays.
static constexpr double kFirstShown = 1, kShownEvery = 0.2;

/// Inputs from this many bytes on are announced.
static constexpr size_t kLargeInput = 16 << 10;

/// Returns to the begin of the line and clears it (ECMA-48).
static constexpr char kClearLine[] = "\r\x1b[K";

Progress::Progress(double limit)
    : limit_(limit), terminal_(llvm::sys::Process::StandardErrIsDisplayed()),
      nextShown_(kFirstShown) {}

Progress::~Progress() { end(); }

void Progress::end() {
  if (shown_)
    llvm::errs() << kClearLine;
  shown_ = false;
}

SolveWatcher Progress::watcher() {
  return [this](const SolveStatus &status) { return show(status); };
}

WorkWatcher Progress::work() {
  return {watcher(), [this](const std::string &what) {
            step_ = what;
            say(what);
          }};
}

std::function<void(size_t, size_t)> Progress::classes(std::string what) {
  return [this, what = std::move(what)](size_t done, size_t all) {
    say(llvm::formatv("{0}: {1} of {2} classes", what, done, all).str());
  };
}

std::function<void(uint64_t, uint64_t)> Progress::part(std::string what) {
  return [this, what = std::move(what)](uint64_t done, uint64_t all) {
    const double seconds = watch_.seconds();
    if (seconds < nextShown_)
      return;
    say(llvm::formatv("{0}: {1:F1} s, {2:F1} %", what, seconds,
                      100 * double(done) / double(all))
            .str());
    nextShown_ = seconds + kShownEvery;
  };
}

void Progress::begin(llvm::StringRef path, size_t bytes) {
  if (terminal_ && bytes >= kLargeInput)
    write(llvm::formatv("looking for paths on the machine of {0}", path).str());
}

void Progress::say(llvm::StringRef what) {
  if (terminal_ && watch_.seconds() >= kFirstShown)
    write(what);
}

void Progress::write(llvm::StringRef what) {
  llvm::errs() << kClearLine << what;
  llvm::errs().flush();
  shown_ = true;
}

bool Progress::show(const SolveStatus &status) {
  double seconds = watch_.seconds();
  if (terminal_ && seconds >= nextShown_) {
    std::string text =
        llvm::formatv("{0}: {1:F1} s, {2} rounds, {3:F3} of at most {4:F3} "
                      "GB/s, {5:F2} %",
                      step_, seconds, status.iterations, status.rate,
                      status.bound, 100 * status.rate / status.bound);
    if (status.maxDepth > 0)
      text += ", trees of depth " + std::to_string(status.maxDepth);
    say(text);
    nextShown_ = seconds + kShownEvery;
  }
  stopped_ |= expired();
  return !stopped_;
}
