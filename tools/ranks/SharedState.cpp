//===- SharedState.cpp - what the workers of a run share ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/ranks/SharedState.h"

#include <chrono>
#include <climits>
#include <cstring>
#include <linux/futex.h>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace blink {
namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void wake(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// Sleeps while the word is `value`, for at most 100 ms.
void sleepOn(std::atomic<uint32_t> &word, uint32_t value) {
  const timespec limit{0, 100000000};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

} // namespace

SharedState::SharedState(int numWorkers, size_t roomBytes)
    : numWorkers_(numWorkers) {
  constexpr size_t kPage = 4096;
  const size_t roomAt = (sizeof(Head) + kPage - 1) / kPage * kPage;
  size_ = roomAt + roomBytes;
  void *memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  head_ = new (memory) Head{};
  room_ = static_cast<uint8_t *>(memory) + roomAt;
}

SharedState::~SharedState() { munmap(head_, size_); }

bool SharedState::waitWhile(std::atomic<uint32_t> &word, uint32_t value) {
  while (word.load() == value) {
    if (failed())
      return false;
    sleepOn(word, value);
    if (poll_)
      poll_();
  }
  return !failed();
}

bool SharedState::barrier(double *seconds) {
  const uint32_t generation = head_->generation.load();
  if (head_->arrived.fetch_add(1) + 1 == uint32_t(numWorkers_)) {
    head_->lastArrival = now();
    head_->arrived = 0;
    head_->generation = generation + 1;
    wake(head_->generation);
  } else if (!waitWhile(head_->generation, generation)) {
    return false;
  }
  // The next barrier cannot overwrite it before this worker arrives there.
  if (seconds)
    *seconds = head_->lastArrival;
  return !failed();
}

void SharedState::finish(uint32_t count) {
  head_->finished = count;
  wake(head_->finished);
}

bool SharedState::waitFor(uint32_t count) {
  for (;;) {
    const uint32_t finished = head_->finished.load();
    if (finished >= count)
      return true;
    if (!waitWhile(head_->finished, finished))
      return head_->finished.load() >= count;
  }
}

void SharedState::fail(const std::string &sentence) {
  uint32_t no = 0;
  if (!head_->failed.compare_exchange_strong(no, 1))
    return;
  std::strncpy(head_->failure, sentence.c_str(), sizeof(head_->failure) - 1);
  head_->failed = 2;
  wake(head_->generation);
  wake(head_->finished);
  wake(head_->hasId);
}

void SharedState::putId(const blinkUniqueId &id) {
  head_->id = id;
  head_->hasId = 1;
  wake(head_->hasId);
}

bool SharedState::getId(blinkUniqueId &id) {
  const bool good = waitWhile(head_->hasId, 0);
  id = head_->id;
  return good;
}

} // namespace blink
