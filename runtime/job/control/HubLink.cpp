//===- HubLink.cpp - a rank's connection to the hub -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/ControlMessages.h"
#include "runtime/job/control/ControlPlane.h"

#include "schedules/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace blink::runtime {

void ControlPlane::workWithHub() {
  if (isHub() || members_.hub() < 0 || !refused_.ok())
    return;
  if (!hub_)
    return connectWithHub();
  talkWithHub();
  if (!hub_) // the hub has left
    return;
  const Clock::time_point now = Clock::now();
  if (hub_->isBroken() && !accepted_ && refused_.ok() &&
      now - hubSince_ < 2 * patience()) { // too many processes connect at a
                                          // time
    hub_.reset();
    greeted_ = false;
    pauseUntil_ = now + interval_;
    return;
  }
  if (now - hub_->saidAt() >= interval_ && accepted_)
    hub_->say(uint32_t(ControlKind::alive), "");
  talkWithHub(); // what it said before it ended still counts
  if (!hub_ || mayLeave_)
    return;
  if (hub_->isBroken() && refused_.ok()) {
    const int hub = members_.hub();
    loseHub(accepted_
                ? textOf("the process of ", members_.name(hub),
                         " has died: its connection broke (", hub_->why(), ")")
                : textOf("rank ", hub, " at ", hubPlace().text(),
                         " has hung up: ", hub_->why()));
  } else if (now - hub_->heardAt() > patience()) {
    loseHub(textOf("no sign of life from ", members_.name(members_.hub()),
                   " for ", patience().count(),
                   " ms: it is stopped, or the network is down"));
  }
}

/// Greets as soon as the hub is proven: the hub says nothing before that, so
/// nothing would wake this thread.
void ControlPlane::talkWithHub() {
  hub_->work();
  if (hub_->isProven() && !greeted_) {
    greeted_ = true;
    hub_->say(uint32_t(ControlKind::hello),
              messageOf(members_.introduction(request_.rank)));
    hub_->work();
  }
  hearHub();
}

void ControlPlane::hearHub() {
  uint32_t kind;
  std::string message;
  while (hub_ && hub_->hear(kind, message)) {
    uint32_t rank = 0;
    std::string_view text;
    const bool isNumbered = readNumbered(message, rank, text);
    const bool ofRank = isNumbered && rank < uint32_t(members_.count());
    switch (ControlKind(kind)) {
    case ControlKind::accepted: {
      accepted_ = true;
      writeRecords(); // came after a goodbye that was not heard
      std::lock_guard<std::mutex> lock(mutex_);
      states_[request_.rank].repeat(); // the new hub knows nothing
      joined_ = true;
      changed_.notify_all();
      break;
    }
    case ControlKind::refused: {
      std::lock_guard<std::mutex> lock(mutex_);
      refused_ = statusOfMessage(message);
      changed_.notify_all();
      break;
    }
    case ControlKind::member: {
      Introduction introduction;
      std::lock_guard<std::mutex> lock(mutex_);
      if (readMessage(message, introduction) &&
          introduction.rank != uint32_t(request_.rank))
        members_.introduce(introduction);
      break;
    }
    case ControlKind::records:
      if (ofRank)
        take(int(rank), text);
      break;
    case ControlKind::failure:
      noteFailure(statusOfMessage(message));
      break;
    case ControlKind::lost:
      if (ofRank && int(rank) != request_.rank)
        noteLost(int(rank), std::string(text));
      break;
    case ControlKind::gone:
      if (!ofRank)
        break;
      if (int(rank) == request_.rank) {
        mayLeave_ = true;
        break;
      }
      if (int(rank) == members_.hub()) {
        noteGone(int(rank));
        loseHub("");
        return;
      }
      noteGone(int(rank));
      break;
    default: // a sign of life, or a kind of a later version
      break;
    }
  }
}

NetworkPlace ControlPlane::hubPlace() const {
  const int hub = members_.hub();
  return members_.known(hub) ? members_.introduction(hub).place : firstHub_;
}

/// The lowest rank may join long before it gets a processor again: until then
/// only a connection that breaks shows that it has died.
std::chrono::milliseconds ControlPlane::patience() const {
  return joined_ ? request_.silence : std::max(request_.silence, kJoining);
}

/// A rank cannot prove itself at another rank's listener: where addresses mean
/// different hosts, another rank may be at the address.
Secret ControlPlane::hubSecret(int rank) const {
  return request_.secret.derive("hub " + std::to_string(rank));
}

/// Tries one address after another, for as long as a rank may be silent.
void ControlPlane::connectWithHub() {
  const Clock::time_point now = Clock::now();
  if (hubSince_ == Clock::time_point())
    hubSince_ = now;
  const NetworkPlace place = hubPlace();
  if (connecting_) {
    const int state = finishConnecting(connecting_.get());
    if (state == 1) {
      hub_ = std::make_unique<ControlConnection>(std::move(connecting_),
                                                 hubSecret(members_.hub()),
                                                 ControlConnection::Side::asks);
      return;
    }
    if (state == 0 && now - connectingSince_ < request_.silence / 2)
      return;
    connecting_ = Descriptor();
  }
  if (now - hubSince_ > 2 * request_.silence)
    return loseHub(textOf(members_.name(members_.hub()), " at ", place.text(),
                          " cannot be reached: ", std::strerror(errno)));
  if (place.count == 0 || now < pauseUntil_)
    return;
  connecting_ =
      beginConnecting(place.addresses[address_++ % place.count], place.port);
  connectingSince_ = now;
  pauseUntil_ = now + interval_ / 4;
}

/// Makes the next rank the hub. `why`: "" after a goodbye.
void ControlPlane::loseHub(const std::string &why) {
  if (const int hub = members_.hub(); !why.empty() && hub >= 0)
    noteLost(hub, why);
  hub_.reset();
  connecting_ = Descriptor();
  greeted_ = accepted_ = saidGoodbye_ = false;
  address_ = 0;
  pauseUntil_ = {};
  hubSince_ = Clock::now();
  toldFailure_ = false; // the next one may not know
  handOver(mayLeave_);  // nor about a goodbye that the previous one has not
                        // answered
  if (isHub())
    becomeHub();
}

/// Some clients may have connected earlier, because they knew first. They have
/// been told things as by a process that is not the hub, and what they said
/// went to the previous hub.
void ControlPlane::becomeHub() {
  writeRecords();
  for (Client &client : clients_)
    if (client.rank >= 0 && !client.left)
      introduce(client);
}

} // namespace blink::runtime
