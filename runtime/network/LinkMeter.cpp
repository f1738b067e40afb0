//===- LinkMeter.cpp - how fast a connection is when it is full -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/LinkMeter.h"

#include <cstdio>

namespace blink::runtime::network {

std::string megabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g MB", bytes / 1e6);
  return text;
}

void LinkMeter::pass(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - last_).count();
  if (waiting_ != 0) {
    seconds_ += seconds;
    planned_ += waitingRate_ * seconds;
  }
  last_ = now;
}

void LinkMeter::begin(Clock::time_point now, double rate) {
  pass(now);
  ++waiting_;
  waitingRate_ += rate;
}

void LinkMeter::end(Clock::time_point now, double rate) {
  pass(now);
  waitingRate_ = --waiting_ == 0 ? 0 : waitingRate_ - rate;
}

void LinkMeter::restart(uint64_t there) {
  thereBefore_ = there;
  seconds_ = planned_ = 0;
}

bool LinkMeter::look(Clock::time_point now, uint64_t sent, uint64_t there) {
  pass(now);
  if (waiting_ != 0 && sent == there)
    restart(there);
  if (seconds_ < std::chrono::duration<double>(kLongEnough).count() ||
      !(planned_ > 0))
    return false;
  const uint64_t bytes = there - thereBefore_;
  rate_ = double(bytes) / seconds_;
  plan_ = planned_ / seconds_;
  totalSeconds_ += seconds_;
  totalBytes_ += bytes;
  restart(there);
  return true;
}

} // namespace blink::runtime::network
