//===- LocalMemory.cpp - memory of ranks in one process -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/LocalMemory.h"

#include <map>
#include <mutex>
#include <sys/random.h>

namespace blink::runtime {
namespace {

std::mutex offersMutex;
std::map<uint64_t, std::weak_ptr<char>> &offers() {
  // Never destroyed: communicators may be made and destroyed at exit.
  static auto &byAddress = *new std::map<uint64_t, std::weak_ptr<char>>;
  return byAddress;
}

} // namespace

uint64_t processToken() {
  static const uint64_t token = [] {
    uint64_t bytes = 0;
    return getrandom(&bytes, sizeof(bytes), 0) == sizeof(bytes) ? bytes : 0;
  }();
  return token;
}

void offerMemory(const std::shared_ptr<char> &memory) {
  std::lock_guard<std::mutex> lock(offersMutex);
  for (auto offer = offers().begin(); offer != offers().end();)
    offer = offer->second.expired() ? offers().erase(offer) : std::next(offer);
  offers()[reinterpret_cast<uint64_t>(memory.get())] = memory;
}

std::shared_ptr<char> findMemory(uint64_t address) {
  std::lock_guard<std::mutex> lock(offersMutex);
  auto found = offers().find(address);
  return found == offers().end() ? nullptr : found->second.lock();
}

} // namespace blink::runtime
