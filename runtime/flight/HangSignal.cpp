//===- HangSignal.cpp - pictures on SIGUSR2 -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/HangSignal.h"

#include "runtime/Fork.h"
#include "runtime/Log.h"
#include "runtime/QuietThread.h"
#include "runtime/flight/HangReport.h"
#include "runtime/flight/PictureReader.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace blink::runtime {
namespace {

/// The event by which the handler wakes the thread, and the process that owns
/// it: a forked child inherits the handler and its parent's event. The owner is
/// stored with release after the event, so a handler that sees the process sees
/// its event.
std::atomic<int> event{-1};
std::atomic<pid_t> owner{0};
static_assert(std::atomic<int>::is_always_lock_free, "for a signal handler");

extern "C" void askForPicture(int) {
  const int error = errno;
  const uint64_t one = 1;
  if (owner.load(std::memory_order_acquire) == getpid()) [[maybe_unused]]
    const ssize_t done =
        write(event.load(std::memory_order_relaxed), &one, sizeof(one));
  errno = error;
}

/// Writes pictures of the process's own jobs.
void answer() {
  const auto self = uint64_t(getpid());
  std::string text, json;
  for (const JobPicture &job : readJobs()) {
    if (std::none_of(job.ranks.begin(), job.ranks.end(),
                     [&](const RankPicture &rank) {
                       return rank.known && rank.process == self;
                     }))
      continue;
    const Diagnosis found = diagnose(job);
    text += toText(job, found);
    json += (json.empty() ? "" : ",\n") + toJson(job, found, /*history=*/true);
  }
  const char *folder = std::getenv("BLINK_HANG_DIR");
  if (!folder || !*folder) {
    std::fputs(text.c_str(), stderr);
    return;
  }
  const std::string path = std::string(folder) + "/blink-hang.process" +
                           std::to_string(self) + ".json";
  if (Status status = writeWhole(path, "[" + json + "]\n"); !status.ok())
    log(LogLevel::warn, -1, "BLINK_HANG_DIR: ", status.text);
}

/// The thread's function; runs until the process ends.
void serve(int wakes) {
  for (uint64_t times;;) {
    const ssize_t got = read(wakes, &times, sizeof(times));
    if (got == ssize_t(sizeof(times)))
      answer();
    else if (got >= 0 || errno != EINTR)
      return;
  }
}

Status take() {
  struct sigaction now{};
  if (sigaction(SIGUSR2, nullptr, &now) != 0 ||
      (now.sa_handler != SIG_DFL && now.sa_handler != askForPicture))
    return {blinkInvalidUsage, "the application handles SIGUSR2 itself"};
  const int wakes = eventfd(0, EFD_CLOEXEC);
  if (wakes < 0)
    return {blinkSystemError, std::strerror(errno)};
  std::thread thread;
  if (Status started = startQuietThread(thread, [wakes] { serve(wakes); });
      !started.ok()) {
    close(wakes);
    return started;
  }
  thread.detach();
  event.store(wakes, std::memory_order_relaxed);
  owner.store(getpid(), std::memory_order_release);
  struct sigaction ours{};
  ours.sa_handler = askForPicture;
  ours.sa_flags = SA_RESTART;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGUSR2, &ours, nullptr);
  return {};
}

} // namespace

void takeHangSignal() {
  static ForkSafeMutex &mutex = *new ForkSafeMutex;
  static pid_t asked = 0; // the process that has looked
  const char *wanted = std::getenv("BLINK_HANG_SIGNAL");
  if (!wanted || std::strcmp(wanted, "1") != 0)
    return;
  const std::lock_guard<ForkSafeMutex> lock(mutex);
  if (asked == getpid())
    return;
  asked = getpid();
  if (Status status = take(); !status.ok())
    log(LogLevel::warn, -1, "BLINK_HANG_SIGNAL: ", status.text);
}

} // namespace blink::runtime
