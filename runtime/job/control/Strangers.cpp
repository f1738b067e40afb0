//===- Strangers.cpp - who has connected and proven nothing yet -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/Strangers.h"

#include "runtime/Log.h"

namespace blink::runtime {

void Strangers::addFiles(const Listener &listener,
                         std::vector<pollfd> &files) const {
  for (const Descriptor *socket : {&listener.v4, &listener.v6})
    if (*socket)
      files.push_back({socket->get(), POLLIN, 0});
  for (const auto &stranger : all_)
    files.push_back({stranger->file(), stranger->events(), 0});
}

/// The log is told of powers of two: a flood fills no disk.
void Strangers::refuse(const std::string &why) {
  ++refused_;
  if ((refused_ & (refused_ - 1)) == 0)
    log(LogLevel::warn, -1, "refused a connection, ", refused_,
        " so far: ", why);
}

std::vector<std::unique_ptr<ControlConnection>>
Strangers::work(const Listener &listener, const Secret &secret) {
  // Some at a time: those who have joined must not wait for a flood.
  for (int i = 0; i < 64; ++i) {
    Descriptor client = acceptFrom(listener);
    if (!client)
      break;
    all_.push_back(std::make_unique<ControlConnection>(
        std::move(client), secret, ControlConnection::Side::answers));
    if (all_.size() > kMost) {
      refuse("too many at a time have not proven that they have the id");
      all_.pop_front();
    }
  }
  std::vector<std::unique_ptr<ControlConnection>> proven;
  const auto now = ControlConnection::Clock::now();
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
