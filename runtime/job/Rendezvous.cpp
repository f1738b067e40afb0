//===- Rendezvous.cpp - how processes of one host find a job --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Rendezvous.h"

#include "runtime/Log.h"
#include "runtime/PatientBackoff.h"
#include "runtime/QuietThread.h"
#include "runtime/job/JobMemory.h"
#include "runtime/job/LocalSocket.h"
#include "runtime/job/UniqueId.h"
#include "runtime/job/control/HubDirectory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

struct JoinRequest {
  char secret[sizeof(OfferKey::secret)];
  Applicant applicant;
};

//===-- The answering side ------------------------------------------------===//

class Registrar {
public:
  /// Makes a registrar that listens at the key's name. Errors: system error.
  static Status make(const OfferKey &key, std::chrono::milliseconds patience,
                     std::vector<uint64_t> processes,
                     std::unique_ptr<Registrar> &result) {
    result.reset(new Registrar(key, patience, std::move(processes)));
    return listenAt(key.name, result->socket_);
  }
  /// Also answers other hosts, if this one is on a network.
  void openDirectory(const Secret &secret, NetworkPlace &place) {
    if (!checkSigning().ok())
      return;
    auto directory = std::make_unique<HubDirectory>();
    if (const Status status = directory->start(secret); !status.ok())
      return log(LogLevel::warn, -1,
                 "ranks of other hosts cannot join: ", status.text);
    directory_ = std::move(directory);
    place = directory_->place();
  }

  /// Answers in the background until all ranks have come. Errors: the thread
  /// cannot be started.
  static Status start(std::unique_ptr<Registrar> registrar) {
    std::thread thread;
    const Status status =
        startQuietThread(thread, [registrar = std::move(registrar)] {
          try {
            registrar->serve();
          } catch (const std::bad_alloc &) {
            // A process that still asks gets no answer.
          }
        });
    if (status.ok())
      thread.detach();
    return status;
  }

private:
  Registrar(const OfferKey &key, std::chrono::milliseconds patience,
            std::vector<uint64_t> processes)
      : key_(key), end_(Clock::now() + patience),
        processes_(std::move(processes)) {}

  void serve() {
    while (!complete() && Clock::now() < end_) {
      files_.assign(1, {socket_.get(), POLLIN, 0});
      if (directory_)
        directory_->addFiles(files_);
      poll(files_.data(), files_.size(), 1000);
      if (directory_)
        directory_->work();
      if (!(files_[0].revents & POLLIN))
        continue;
      Descriptor client(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      uint64_t process;
      if (client && sameUser(client.get(), &process))
        answer(client.get(), process);
      else if (!client) // out of descriptors: poll() would return at once again
        poll(nullptr, 0, 10);
    }
  }

  /// The ranks that have come for a stage.
  struct Stage {
    Descriptor memory;
    Applicant first;
    std::vector<bool> taken;
    size_t come = 0;

    bool has(uint32_t rank) const { return rank < taken.size() && taken[rank]; }
    bool complete() const { return come != 0 && come == taken.size(); }
  };

  bool complete() const {
    return job_.complete() || (directory_ && directory_->complete());
  }

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
    // The first rank that came, in either stage.
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
  std::unique_ptr<HubDirectory> directory_; ///< null: for this host only
  std::vector<pollfd> files_; ///< of serve(); a member because LeakSanitizer
                              ///< does not see what only the stack of a
                              ///< detached thread refers to
  OfferKey key_;
  Clock::time_point end_;
  std::vector<uint64_t> processes_; ///< of the ranks, or empty
  Stage meeting_, job_;
};

//===-- The asking side ---------------------------------------------------===//

Status askForMemory(int socket, const SocketName &name,
                    const JoinRequest &request, Clock::time_point deadline,
                    Descriptor &memory) {
  setTimeout(socket,
             std::min(deadline, Clock::now() + std::chrono::seconds(10)));
  SharedStatus reply{};
  if (!sendMessage(socket, &request, sizeof(request)) ||
      !receiveMessage(socket, &reply, sizeof(reply), memory)) {
    // The registrar gives no answer to a process without the secret. A rank
    // also gets none if the registrar's process has ended, or if all ranks have
    // joined; in these cases no socket listens at `name` any more.
    if (connectLocally(name))
      return {blinkInvalidArgument,
              "the job does not answer: the unique id is not right"};
    return {blinkRemoteError,
            "the job does not answer any more: all ranks have joined, or the "
            "process that answers them has ended"};
  }
  Status status = reply.get();
  if (status.ok() && !memory)
    return {blinkSystemError, "the job's memory did not arrive: too many open "
                              "files?"};
  return status;
}

/// Asks the registrar at the key's name. `nobody`: the error text if there is
/// no registrar until the deadline.
Status joinAt(const OfferKey &key, const Applicant &applicant,
              Clock::time_point deadline,
              const std::function<Status()> &peerFailure, const char *nobody,
              Descriptor &memory) {
  JoinRequest request{};
  std::memcpy(request.secret, key.secret, sizeof(key.secret));
  request.applicant = applicant;
  PatientBackoff backoff;
  for (;;) {
    if (Descriptor socket = connectLocally(key.name)) {
      // No other user's process may learn the secret.
      if (!sameUser(socket.get()))
        return {blinkInvalidUsage, "the job belongs to another user"};
      return askForMemory(socket.get(), key.name, request, deadline, memory);
    }
    if (errno != ECONNREFUSED) // this error means that no socket listens yet
      return systemError("cannot reach the job");
    if (Status why =
            backoff.sleeping() && peerFailure ? peerFailure() : Status();
        !why.ok())
      return why;
    if (Clock::now() > deadline)
      return {blinkRemoteError, nobody};
    backoff.wait();
  }
}

} // namespace

Status makeUniqueId(blinkUniqueId &result, std::chrono::milliseconds patience,
                    std::vector<uint64_t> processes, const Secret *parent) {
  IdContent content;
  Status status = makeContent(content);
  if (!status.ok())
    return status;
  if (parent)
    content.deriveSecret(*parent);
  std::unique_ptr<Registrar> registrar;
  status = Registrar::make(content.localKey(), patience, std::move(processes),
                           registrar);
  if (!status.ok())
    return status;
  registrar->openDirectory(content.secret, content.place);
  status = Registrar::start(std::move(registrar));
  if (parent)
    content.hideSecret();
  result = idOf(content);
  return status;
}

Status joinJob(const blinkUniqueId &id, const Applicant &applicant,
               Clock::time_point deadline,
               const std::function<Status()> &peerFailure, Descriptor &memory) {
  IdContent content;
  Status status = readId(id, content);
  if (!status.ok())
    return status;
  return joinAt(
      content.localKey(), applicant, deadline, peerFailure,
      "no process answers for the unique id: the process that called "
      "blinkGetUniqueId has ended, or runs on another host, and the schedule "
      "has all ranks on one: compile for where they run",
      memory);
}

Status joinServer(const Secret &secret, uint32_t server,
                  const Applicant &applicant, Clock::time_point deadline,
                  const std::function<Status()> &peerFailure,
                  Descriptor &memory) {
  const std::string_view number{reinterpret_cast<const char *>(&server),
                                sizeof(server)};
  const Digest name = secret.sign({"name of server", number});
  const Digest own = secret.sign({"secret of server", number});
  OfferKey key{};
  key.name = nameFrom(name.data(), name.size());
  std::memcpy(key.secret, own.data(), own.size());
  if (applicant.rank == 0) {
    std::unique_ptr<Registrar> registrar;
    Status status =
        Registrar::make(key,
                        std::chrono::duration_cast<std::chrono::milliseconds>(
                            deadline - Clock::now()),
                        {}, registrar);
    if (status.ok())
      status = Registrar::start(std::move(registrar));
    if (!status.ok())
      return status;
  }
  return joinAt(key, applicant, deadline, peerFailure,
                "the first rank of the server has not joined in time", memory);
}

} // namespace blink::runtime
