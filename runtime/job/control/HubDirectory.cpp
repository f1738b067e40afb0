//===- HubDirectory.cpp - where the hub of a job is -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/HubDirectory.h"

#include "runtime/job/control/ControlMessages.h"

#include <algorithm>
#include <string_view>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Kinds of messages: a question, and answers with a NetworkPlace or with a
/// sentence.
constexpr uint32_t kAsk = 1, kHub = 2, kRefused = 3;

/// The purpose of the secret that only directories and the ranks that ask them
/// use.
constexpr std::string_view kPurpose = "directory";

constexpr uint32_t kMostRanks = 1 << 16;

} // namespace

/// Both hosts have the same byte order (ControlConnection.cpp).
struct DirectoryQuestion {
  uint32_t numRanks, rank;
  NetworkPlace hub; ///< set by rank 0
};

Status HubDirectory::start(const Secret &secret) {
  secret_ = secret.derive(kPurpose);
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
      it->connection->work(); // the other end closes it when it has received
                              // the answer
    if (!it->connection->isBroken()) {
      ++it;
      continue;
    }
    if (it->rank >= 0 && !it->told) // the rank may ask again
      asked_[size_t(it->rank)] = false;
    it = askers_.erase(it);
  }
}

void HubDirectory::hear(Asker &asker) {
  uint32_t kind;
  std::string text;
  while (asker.connection->hear(kind, text)) {
    DirectoryQuestion question;
    if (asker.rank >= 0 || asker.told || kind != kAsk ||
        !readMessage(text, question))
      continue;
    if (const std::string wrong = note(question); !wrong.empty()) {
      asker.connection->say(kRefused, wrong);
      asker.told = true;
    } else {
      asker.rank = int(question.rank);
    }
  }
}

/// Returns "", or what is wrong with the question.
std::string HubDirectory::note(const DirectoryQuestion &question) {
  if (numRanks_ == 0 && question.numRanks <= kMostRanks) {
    numRanks_ = question.numRanks;
    asked_.resize(numRanks_);
  }
  if (question.numRanks != numRanks_ || question.rank >= numRanks_)
    return textOf("rank ", question.rank, " joins a job of ", question.numRanks,
                  " ranks, another one of ", numRanks_);
  if (asked_[question.rank])
    return textOf("rank ", question.rank, " has joined already");
  if (question.rank == 0 && !question.hub.valid())
    return "rank 0 is nowhere";
  asked_[question.rank] = true;
  if (question.rank == 0)
    hub_ = question.hub;
  return "";
}

void HubDirectory::tell() {
  for (Asker &asker : askers_) {
    if (hub_.count == 0 || asker.rank < 0 || asker.told ||
        asker.connection->isBroken())
      continue;
    asker.connection->say(kHub, messageOf(hub_));
    asker.connection->work();
    asker.told = true;
    ++told_;
  }
}

//===-- The asking side ---------------------------------------------------===//

namespace {

/// The result of one attempt at one address.
struct Try {
  Status status;
  bool final = false; ///< if false, another attempt may succeed
  bool hungUp = false;
};

/// Waits until a connection is proven, at most until `until`.
Try prove(ControlConnection &connection, Clock::time_point until,
          const std::function<Status()> &ended) {
  for (;;) {
    connection.work();
    if (connection.isProven())
      return {};
    if (connection.isBroken())
      return {{blinkRemoteError, "it has hung up: ", connection.why()},
              false,
              /*hungUp=*/true};
    if (Status why = ended ? ended() : Status(); !why.ok())
      return {why, true};
    if (Clock::now() > until)
      return {{blinkRemoteError, "it does not prove that it has the id"}};
    pollfd ready{connection.file(), connection.events(), 0};
    poll(&ready, 1, 20);
  }
}

/// Waits for the answer of a directory that is proven.
Status waitForHub(ControlConnection &connection, int rank,
                  Clock::time_point deadline,
                  const std::function<Status()> &ended, NetworkPlace &hub) {
  for (;;) {
    connection.work();
    uint32_t kind;
    std::string text;
    if (connection.hear(kind, text)) {
      if (kind == kRefused)
        return {blinkInvalidUsage, text};
      if (kind != kHub || !readMessage(text, hub) || !hub.valid())
        return {blinkInternalError, "the unique id's process says nonsense"};
      return {};
    }
    if (connection.isBroken())
      return {blinkRemoteError,
              "the process that called blinkGetUniqueId has "
              "ended, or cannot be reached any more, before "
              "rank 0 had joined: ",
              connection.why()};
    if (Status why = ended ? ended() : Status(); !why.ok())
      return why;
    if (Clock::now() > deadline)
      return {blinkRemoteError, "rank ", rank,
              " waited for rank 0 to join: it has not told where it is"};
    pollfd ready{connection.file(), connection.events(), 0};
    poll(&ready, 1, 20);
  }
}

} // namespace

Status findHub(const Secret &secret, const NetworkPlace &directory,
               int numRanks, int rank, Clock::time_point deadline,
               const std::function<Status()> &ended, NetworkPlace &hub) {
  // If several addresses lead to other hosts, no attempt may take long.
  constexpr std::chrono::seconds kConnect{1}, kProof{2}, kOnlyProof{10};
  constexpr int kMostHangUps = 40, kPause = 20, kMostPause = 250; // ms
  if (!directory.valid())
    return {blinkInvalidArgument, "the unique id has no address"};
  const Secret own = secret.derive(kPurpose);
  const DirectoryQuestion question{uint32_t(numRanks), uint32_t(rank), hub};
  int hangUps = 0;
  std::string why;
  for (unsigned i = 0;; ++i) {
    Descriptor socket;
    std::string unreachable;
    Status status =
        connectWith(directory.addresses[i % directory.count], directory.port,
                    std::min(deadline, Clock::now() + kConnect), ended, socket,
                    unreachable);
    if (!status.ok())
      return status;
    Try attempt{{blinkRemoteError, unreachable}};
    if (socket) {
      ControlConnection connection(std::move(socket), own,
                                   ControlConnection::Side::asks);
      const auto patience = directory.count == 1 ? kOnlyProof : kProof;
      attempt =
          prove(connection, std::min(deadline, Clock::now() + patience), ended);
      if (attempt.status.ok()) {
        connection.say(kAsk, messageOf(question));
        return waitForHub(connection, rank, deadline, ended, hub);
      }
      hangUps += attempt.hungUp;
    }
    if (attempt.final)
      return attempt.status;
    // An attempt that the deadline cut short says less than the one before.
    if (why.empty() || Clock::now() < deadline)
      why = attempt.status.text;
    if (Clock::now() >= deadline || hangUps == kMostHangUps)
      return {blinkRemoteError, "no process answers for the unique id at ",
              directory.text(),
              ": the process that called blinkGetUniqueId "
              "has ended, or cannot be reached: ",
              why};
    poll(nullptr, 0, std::min(kPause * (1 + hangUps), kMostPause));
    // An attempt that fails at once, for example for want of a route, has not
    // asked.
    if (Status over = ended ? ended() : Status(); !over.ok())
      return over;
  }
}

} // namespace blink::runtime
