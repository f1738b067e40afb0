//===- Rendezvous.cpp - how processes of one machine find a job -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Rendezvous.h"

#include "runtime/Log.h"
#include "runtime/job/Backoff.h"
#include "runtime/job/JobMemory.h"
#include "runtime/job/LocalSocket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <vector>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kMagic[8] = {'b', 'l', 'i', 'n', 'k', 'i', 'd', '1'};

/// What the 128 bytes of an id are.
struct IdContent {
  char magic[8];
  OfferKey key;
  char spare[BLINK_UNIQUE_ID_SPARE];
};
static_assert(sizeof(IdContent) == sizeof(blinkUniqueId));

struct JoinRequest {
  char secret[sizeof(OfferKey::secret)];
  Applicant applicant;
};

//===-- The answering side ------------------------------------------------===//

class Registrar {
public:
  Registrar(Descriptor socket, const OfferKey &key,
            std::chrono::milliseconds patience, std::vector<uint64_t> processes)
      : socket_(std::move(socket)), key_(key), end_(Clock::now() + patience),
        processes_(std::move(processes)) {}

  /// Answers until all have come.
  void serve() {
    while (!complete() && Clock::now() < end_) {
      pollfd waiting{socket_.get(), POLLIN, 0};
      if (poll(&waiting, 1, 1000) != 1)
        continue;
      Descriptor client(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      uint64_t process;
      if (client && sameUser(client.get(), &process))
        answer(client.get(), process);
    }
  }

private:
  /// Who has come for a stage.
  struct Stage {
    Descriptor memory;
    Applicant first;
    std::vector<bool> taken;
    size_t come = 0;

    bool has(uint32_t rank) const { return rank < taken.size() && taken[rank]; }
    bool complete() const { return come != 0 && come == taken.size(); }
  };

  bool complete() const { return job_.complete(); }

  void answer(int client, uint64_t process) {
    setTimeout(client, Clock::now() + std::chrono::seconds(2));
    JoinRequest request;
    Descriptor none;
    if (!receiveMessage(client, &request, sizeof(request), none) ||
        !isSecretOf(key_, request.secret))
      return; // a stranger gets no answer
    Status status = admit(request.applicant, process);
    SharedStatus reply{};
    reply.set(status);
    sendMessage(client, &reply, sizeof(reply),
                status.ok() ? stageOf(request.applicant).memory.get() : -1);
  }

  Status admit(const Applicant &applicant, uint64_t process) {
    if (!processes_.empty() && (applicant.rank >= processes_.size() ||
                                processes_[applicant.rank] != process))
      return Status(blinkInvalidUsage, "rank ", applicant.rank,
                    " was another process before: all have to run in one PID "
                    "namespace");
    Stage &stage = stageOf(applicant);
    const bool meets = applicant.stage == JoinStage::meeting;
    // In either stage: the first who came.
    const Stage &known = meeting_.come != 0 ? meeting_ : job_;
    const Applicant &first = known.come != 0 ? known.first : applicant;
    const std::string self = "rank " + std::to_string(applicant.rank);
    const std::string other = "rank " + std::to_string(first.rank);
    if (applicant.numRanks != first.numRanks ||
        applicant.rank >= first.numRanks)
      return Status(blinkInvalidUsage, self, " joins a job of ",
                    applicant.numRanks, " ranks, ", other, " one of ",
                    first.numRanks);
    if (meets ? meeting_.come == 0 && job_.come != 0
              : meeting_.come != 0 && !meeting_.has(applicant.rank))
      return {blinkInvalidUsage,
              (meets ? other : self) +
                  " knows the GPUs of all ranks, or needs no bundle to, and " +
                  (meets ? self : other) +
                  " asks for them: give all ranks the same files, and "
                  "blinkConfig_t::gpus to all or to none"};
    if (!stage.memory) {
      stage.memory = makeMemoryFile("blink", applicant.memoryBytes);
      if (!stage.memory)
        return systemError("cannot make the job's memory");
      stage.first = applicant;
      stage.taken.resize(applicant.numRanks);
    }
    if (applicant.fingerprint != stage.first.fingerprint ||
        applicant.memoryBytes != stage.first.memoryBytes)
      return {blinkInvalidUsage,
              self + " and rank " + std::to_string(stage.first.rank) +
                  " have opened different schedules: give all ranks the same "
                  "files in the same order, the same limit for slots, and for "
                  "bundles the same GPUs and failed link"};
    if (stage.has(applicant.rank))
      return {blinkInvalidUsage, self + " has joined already"};
    stage.taken[applicant.rank] = true;
    ++stage.come;
    return {};
  }

  Stage &stageOf(const Applicant &applicant) {
    return applicant.stage == JoinStage::meeting ? meeting_ : job_;
  }

  Descriptor socket_;
  OfferKey key_;
  Clock::time_point end_;
  std::vector<uint64_t> processes_; ///< of the ranks, or empty
  Stage meeting_, job_;
};

//===-- The asking side ---------------------------------------------------===//

Status askForMemory(int socket, const JoinRequest &request,
                    Clock::time_point deadline, Descriptor &memory) {
  setTimeout(socket,
             std::min(deadline, Clock::now() + std::chrono::seconds(10)));
  SharedStatus reply{};
  if (!sendMessage(socket, &request, sizeof(request)) ||
      !receiveMessage(socket, &reply, sizeof(reply), memory))
    return {blinkInvalidArgument,
            "the job does not answer: the unique id is not right"};
  Status status = reply.get();
  if (status.ok() && !memory)
    return {blinkSystemError, "the job's memory did not arrive: too many open "
                              "files?"};
  return status;
}

} // namespace

Status makeUniqueId(blinkUniqueId &result, std::chrono::milliseconds patience,
                    std::vector<uint64_t> processes) {
  IdContent id{};
  std::memcpy(id.magic, kMagic, sizeof(kMagic));
  Descriptor socket;
  Status status = listenLocally(id.key, socket);
  if (!status.ok())
    return status;
  try {
    std::thread([registrar = Registrar(std::move(socket), id.key, patience,
                                       std::move(processes))]() mutable {
      registrar.serve();
    }).detach();
  } catch (const std::system_error &error) {
    return {blinkSystemError,
            std::string("cannot start a thread: ") + error.what()};
  }
  std::memcpy(&result, &id, sizeof(result));
  return {};
}

Status joinJob(const blinkUniqueId &uniqueId, const Applicant &applicant,
               Clock::time_point deadline,
               const std::function<Status()> &peerFailure, Descriptor &memory) {
  IdContent id;
  std::memcpy(&id, &uniqueId, sizeof(id));
  if (std::memcmp(id.magic, kMagic, sizeof(kMagic)) != 0)
    return {blinkInvalidArgument,
            "the unique id is not one that blinkGetUniqueId made"};
  JoinRequest request{};
  std::memcpy(request.secret, id.key.secret, sizeof(id.key.secret));
  request.applicant = applicant;
  Backoff backoff(true);
  for (;;) {
    if (Descriptor socket = connectLocally(id.key.name)) {
      // Nobody else may learn the secret.
      if (!sameUser(socket.get()))
        return {blinkInvalidUsage, "the job belongs to another user"};
      return askForMemory(socket.get(), request, deadline, memory);
    }
    if (errno != ECONNREFUSED) // as it is when nobody listens
      return systemError("cannot reach the job");
    if (Status why =
            backoff.sleeping() && peerFailure ? peerFailure() : Status();
        !why.ok())
      return why;
    if (Clock::now() > deadline)
      return {blinkRemoteError,
              "nobody answers for the unique id: the process that called "
              "blinkGetUniqueId has ended, or runs on another machine"};
    backoff.wait();
  }
}

} // namespace blink::runtime
