//===- Channel.cpp - a channel of a schedule on SimGrid -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/simgrid/Channel.h"

#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/simix.hpp>

#include <algorithm>

using namespace blink::test;

Sharing::Sharing(s4u::Engine &engine) {
  for (kernel::resource::Model *model : engine.get_all_models())
    if (dynamic_cast<kernel::resource::NetworkModelIntf *>(model))
      network_ = model;
}

void Channel::weigh() {
  if (!sending)
    return;
  const uint64_t waiting = std::min(written - known, window) + known - sent;
  const double now = double(waiting) * chunkWeight;
  // SimGrid's kernel forgets an action whose penalty is set to the same value
  // again.
  if (std::exchange(weight, now) == now)
    return;
  kernel::actor::simcall_answered([&] {
    if (sending->get_state() == kernel::resource::Action::State::STARTED)
      sending->set_sharing_penalty(1 / now);
  });
}

void Channel::write() {
  ++written;
  posted->release();
  weigh();
}

void Channel::isFree() {
  ++known;
  free->release();
  if (inWindow)
    inWindow->release();
  weigh();
}

void Channel::send(double wireBytes, const Sharing &sharing) {
  for (uint64_t chunk = 0; chunk < tree->chunks; ++chunk)
    for (uint64_t wave = 0; wave < tree->wavesOf(chunk); ++wave) {
      const uint64_t left = tree->bytesOf(chunk) - wave * tree->waveBytes;
      sendWave(wireBytes * double(std::min(tree->waveBytes, left)), sharing);
    }
}

void Channel::sendWave(double wireBytes, const Sharing &sharing) {
  posted->acquire();
  if (inWindow)
    inWindow->acquire();
  s4u::CommPtr sends;
  // Start the transfer and look up its action in one step of the kernel, since
  // other transfers start at the same time.
  kernel::actor::simcall_answered([&] {
    sends = s4u::Comm::sendto_async(from, to, uint64_t(wireBytes));
    if (!isWeighted)
      return;
    sending = sharing.last();
    sending->ref();
    weight = 1;
  });
  weigh();
  sends->wait();
  if (isWeighted)
    kernel::actor::simcall_answered(
        [&] { std::exchange(sending, nullptr)->unref(); });
  ++sent;
  arrivals->say();
}
