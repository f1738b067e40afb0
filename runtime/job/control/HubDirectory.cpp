//===- HubDirectory.cpp - where the hub of a job is -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/HubDirectory.h"

#include "runtime/job/control/ControlMessages.h"

#include <cstring>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Kinds of messages: a question, and answers with a NetworkPlace or a
/// sentence.
constexpr uint32_t kAsk = 1, kHub = 2, kRefused = 3;

/// How often a rank that could not prove itself tries.
constexpr int kTries = 4;

struct Question {
  uint32_t numRanks, rank;
  NetworkPlace hub; ///< of rank 0
};

} // namespace

Status HubDirectory::start(const Secret &secret) {
  secret_ = secret;
  return listenOnNetwork(listener_);
}

void HubDirectory::addFiles(std::vector<pollfd> &files) const {
  strangers_.addFiles(listener_, files);
  for (const Asker &asker : askers_)
    files.push_back({asker.connection->file(), asker.connection->events(), 0});
}

void HubDirectory::work() {
  for (auto &connection : strangers_.work(listener_, secret_))
    askers_.emplace_back(std::move(connection));
  for (Asker &asker : askers_) {
    asker.connection->work();
    hear(asker);
  }
  tell();
  for (auto it = askers_.begin(); it != askers_.end();) {
    if (it->told)
      it->connection->work(); // closed by the other end, when it has heard
    it = it->connection->isBroken() ? askers_.erase(it) : std::next(it);
  }
}

void HubDirectory::hear(Asker &asker) {
  uint32_t kind;
  std::string text;
  while (asker.rank < 0 && asker.connection->hear(kind, text)) {
    Question question;
    if (kind != kAsk || text.size() != sizeof(question))
      continue;
    std::memcpy(&question, text.data(), sizeof(question));
    std::string wrong;
    if (numRanks_ == 0 && question.numRanks != 0) {
      numRanks_ = question.numRanks;
      asked_.resize(numRanks_);
    }
    if (question.numRanks != numRanks_ || question.rank >= numRanks_)
      wrong = "rank " + std::to_string(question.rank) + " joins a job of " +
              std::to_string(question.numRanks) + " ranks, another one of " +
              std::to_string(numRanks_);
    else if (asked_[question.rank])
      wrong = "rank " + std::to_string(question.rank) + " has joined already";
    if (!wrong.empty()) {
      asker.connection->say(kRefused, wrong);
      asker.told = true;
      return;
    }
    asked_[question.rank] = true;
    asker.rank = int(question.rank);
    if (asker.rank == 0)
      hub_ = question.hub;
  }
}

void HubDirectory::tell() {
  for (Asker &asker : askers_) {
    if (hub_.count == 0 || asker.rank < 0 || asker.told)
      continue;
    asker.connection->say(kHub, messageOf(hub_));
    asker.connection->work();
    asker.told = true;
    ++told_;
  }
}

//===-- The asking side ---------------------------------------------------===//

Status findHub(const Secret &secret, const NetworkPlace &directory,
               int numRanks, int rank, Clock::time_point deadline,
               const std::function<Status()> &ended, NetworkPlace &hub) {
  const Question question{uint32_t(numRanks), uint32_t(rank), hub};
  std::unique_ptr<ControlConnection> asking;
  int tries = 0;
  for (;;) {
    if (!asking) {
      Descriptor socket;
      Status status = connectWith(directory, deadline, ended, socket);
      if (!status.ok()) {
        if (Clock::now() >= deadline)
          status.text = "nobody answers for the unique id: the process that "
                        "called blinkGetUniqueId has ended, or cannot be "
                        "reached: " +
                        status.text;
        return status;
      }
      asking = std::make_unique<ControlConnection>(
          std::move(socket), secret, ControlConnection::Side::asks);
      asking->say(kAsk, messageOf(question));
    }
    ControlConnection &connection = *asking;
    const bool wasProven = connection.isProven();
    connection.work();
    uint32_t kind;
    std::string text;
    if (connection.hear(kind, text)) {
      if (kind == kRefused)
        return {blinkInvalidUsage, text};
      if (kind != kHub || text.size() != sizeof(hub))
        return {blinkInternalError, "the unique id's process says nonsense"};
      std::memcpy(&hub, text.data(), sizeof(hub));
      return {};
    }
    // Who proves itself late is taken for a stranger, as is one of too many,
    // and may come again. So may one that has no id, which gains nothing by it.
    if (connection.isBroken() && !wasProven && ++tries < kTries) {
      asking.reset();
      continue;
    }
    if (connection.isBroken())
      return {blinkRemoteError, "the process of the unique id at " +
                                    directory.text() +
                                    " has hung up: " + connection.why()};
    if (Status why = ended ? ended() : Status(); !why.ok())
      return why;
    if (Clock::now() > deadline)
      return Status(blinkRemoteError, "rank ", rank,
                    " waited for rank 0 to join: it has not told where it is");
    pollfd ready{connection.file(), connection.events(), 0};
    poll(&ready, 1, 20);
  }
}

} // namespace blink::runtime
