//===- Strangers.cpp - connections that have proven nothing yet -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/Strangers.h"

#include "runtime/Log.h"

namespace blink::runtime {

void Strangers::addFiles(const Listener &listener,
                         std::vector<pollfd> &files) const {
  if (Clock::now() >= listensAgain_)
    for (const Descriptor &socket : listener.sockets)
      files.push_back({socket.get(), POLLIN, 0});
  for (const auto &stranger : all_)
    files.push_back({stranger->file(), stranger->events(), 0});
}

/// Only powers of two are logged, so that a flood does not fill the disk.
void Strangers::refuse(const std::string &why) {
  ++refused_;
  if ((refused_ & (refused_ - 1)) == 0)
    log(LogLevel::warn, -1, "refused a connection, ", refused_,
        " so far: ", why);
}

/// Accepts a limited number at a time: ranks that have joined must not wait for
/// a flood.
void Strangers::accept(const Listener &listener, const Secret &secret) {
  constexpr int kAtOnce = 64;
  // Without a pause, poll() would report the waiting connection at once again.
  constexpr std::chrono::milliseconds kPause{100};
  if (Clock::now() < listensAgain_)
    return;
  for (int i = 0; i < kAtOnce; ++i) {
    bool exhausted = false;
    Descriptor client = acceptFrom(listener, exhausted);
    if (!client && !exhausted)
      return;
    if (client)
      all_.push_back(std::make_unique<ControlConnection>(
          std::move(client), secret, ControlConnection::Side::answers));
    if (exhausted && all_.empty()) {
      refuse("the process has no file descriptors left");
      listensAgain_ = Clock::now() + kPause;
      return;
    }
    if (exhausted || all_.size() > kMost) {
      refuse("too many at a time have not proven that they have the id");
      all_.pop_front();
    }
  }
}

std::vector<std::unique_ptr<ControlConnection>>
Strangers::work(const Listener &listener, const Secret &secret) {
  accept(listener, secret);
  std::vector<std::unique_ptr<ControlConnection>> proven;
  const auto now = Clock::now();
  for (auto it = all_.begin(); it != all_.end();) {
    ControlConnection &stranger = **it;
    stranger.work();
    if (stranger.isProven()) {
      proven.push_back(std::move(*it));
      it = all_.erase(it);
    } else if (stranger.isBroken() || now - stranger.opened() > kPatience) {
      refuse(stranger.isBroken() ? stranger.why() : "it says nothing");
      it = all_.erase(it);
    } else {
      ++it;
    }
  }
  return proven;
}

} // namespace blink::runtime
