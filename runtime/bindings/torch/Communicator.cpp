//===- Communicator.cpp - a group's communicator --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Communicator.h"

#include "runtime/bindings/torch/Errors.h"
#include "runtime/bindings/torch/Schedules.h"

#include <unistd.h>

#include <cstring>
#include <limits>
#include <thread>

namespace blink::pytorch {
namespace {

/// `number` identifies the host, `name` is for people.
struct Host {
  std::string number, name;
};

Host thisHost() {
  uint64_t number = 0;
  check(blinkGetHost(&number));
  char name[256] = "?";
  gethostname(name, sizeof name - 1);
  return {std::to_string(number), name};
}

/// What rank 0 leaves in the store: the id, or why there is none.
struct Invitation {
  std::string refusal;
  blinkUniqueId id{};
  Host host;
};

std::vector<uint8_t> pack(const Invitation &invitation) {
  std::string text = invitation.refusal + '\n' + invitation.host.number + '\n' +
                     invitation.host.name + '\n';
  text.append(invitation.id.internal, sizeof invitation.id.internal);
  return {text.begin(), text.end()};
}

Invitation unpack(const std::vector<uint8_t> &bytes) {
  const std::string text(bytes.begin(), bytes.end());
  Invitation invitation;
  size_t begin = 0;
  for (std::string *line :
       {&invitation.refusal, &invitation.host.number, &invitation.host.name}) {
    const size_t end = text.find('\n', begin);
    if (end == std::string::npos)
      raise("rank 0 left something else than an id in the store: it has "
            "another version of Blink");
    *line = text.substr(begin, end - begin);
    begin = end + 1;
  }
  if (text.size() - begin != sizeof invitation.id.internal)
    raise("rank 0 left an id of another size in the store: it has another "
          "version of Blink");
  std::memcpy(invitation.id.internal, text.data() + begin,
              sizeof invitation.id.internal);
  return invitation;
}

/// Removes the prefix, because raise() adds it again.
std::string withoutPrefix(const std::string &sentence) {
  const std::string prefix = "Blink: ";
  return sentence.substr(sentence.rfind(prefix, 0) == 0 ? prefix.size() : 0);
}

Invitation makeInvitation() {
  Invitation invitation;
  invitation.host = thisHost();
  if (blinkGetUniqueId(&invitation.id) != blinkSuccess)
    invitation.refusal = blinkGetLastError(nullptr);
  return invitation;
}

} // namespace

Communicator::Communicator(const Meeting &meeting, int device)
    : meeting_(meeting) {
  try {
    invite(device);
  } catch (const c10::Error &error) {
    refusal_ = withoutPrefix(error.what_without_backtrace());
  } catch (const std::exception &error) {
    refusal_ = error.what();
  }
  if (!refusal_.empty())
    tellOthers();
}

void Communicator::invite(int device) {
  // First everything that a rank can find out by itself, while no other rank
  // waits for it.
  const bool onHost = device < 0;
  const Schedules schedules =
      onHost ? hostSchedules(meeting_.size) : cudaSchedules();
  const Host here = thisHost();
  if (onHost)
    meeting_.store->set(
        hostKey(meeting_.rank),
        std::vector<uint8_t>(here.number.begin(), here.number.end()));
  Invitation invitation;
  if (meeting_.rank == 0) {
    invitation = makeInvitation();
    meeting_.store->set(meeting_.key, pack(invitation));
  } else {
    invitation = unpack(meeting_.store->get(meeting_.key));
  }
  if (!invitation.refusal.empty())
    raise(invitation.refusal);
  std::vector<uint64_t> hosts;
  if (onHost && hasOwnHostSchedules())
    hosts = hostsOfAll();
  else if (here.number != invitation.host.number)
    refuseHosts(here.name, invitation.host.name, onHost);

  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = device < 0 ? blinkBackendHost : blinkBackendCuda;
  config.timeoutMs =
      int(std::min<int64_t>(std::max<int64_t>(meeting_.timeout.count(), 1),
                            std::numeric_limits<int>::max()));
  config.blocking = 0;
  config.hosts = hosts.empty() ? nullptr : hosts.data();
  const blinkResult_t result =
      blinkCommInitRank(&comm_, meeting_.size, invitation.id, meeting_.rank,
                        device, schedules.get(), &config);
  if (result != blinkInProgress)
    check(result);
}

/// Throws: the schedules that there are do not serve ranks on several servers.
void Communicator::refuseHosts(const std::string &here,
                               const std::string &first, bool onHost) const {
  const std::string ranks = "rank " + std::to_string(meeting_.rank) +
                            " is on host " + here + " and rank 0 on " + first;
  if (!onHost)
    raise(ranks + ": tensors of GPUs stay on one host so far; use another back "
                  "end for them in groups of several");
  std::string gpus = "0";
  for (int rank = 1; rank < meeting_.size; ++rank)
    gpus += "," + std::to_string(rank);
  raise(ranks +
        ", and the package's schedules are for one: compile some for "
        "the cluster, `blinkc compile CLUSTER.topo --allocations " +
        gpus +
        " --collectives all,sendrecv -o FILE.sched`, and set "
        "BLINK_HOST_SCHEDULES=FILE.sched for all ranks");
}

std::string Communicator::hostKey(int rank) const {
  return meeting_.key + "/host/" + std::to_string(rank);
}

/// Returns where each rank runs. Waits for all ranks, without blocking the
/// store, which other threads of this process use, too.
std::vector<uint64_t> Communicator::hostsOfAll() {
  std::vector<std::string> keys;
  for (int rank = 0; rank < meeting_.size; ++rank)
    keys.push_back(hostKey(rank));
  const auto deadline = std::chrono::steady_clock::now() + meeting_.timeout;
  auto pause = std::chrono::microseconds(100);
  while (!meeting_.store->check(keys)) {
    hearOthers();
    if (std::chrono::steady_clock::now() > deadline)
      raise("Timed out: not all ranks have said where they run within " +
            std::to_string(meeting_.timeout.count()) + " ms");
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
  std::vector<uint64_t> hosts;
  for (const std::string &key : keys) {
    const std::vector<uint8_t> text = meeting_.store->get(key);
    hosts.push_back(std::stoull(std::string(text.begin(), text.end())));
  }
  return hosts;
}

/// Leaves in the store why this rank will not join.
void Communicator::tellOthers() {
  const std::string text =
      "rank " + std::to_string(meeting_.rank) + ": " + refusal_;
  try {
    if (meeting_.rank == 0) {
      Invitation none;
      none.refusal = text;
      meeting_.store->set(meeting_.key, pack(none));
    }
    meeting_.store->set(meeting_.key + "/refused",
                        std::vector<uint8_t>(text.begin(), text.end()));
  } catch (const std::exception &) {
    // Without the store the others learn nothing, and fail at the time limit.
  }
}

/// Throws if another rank will not join.
void Communicator::hearOthers() {
  const std::string key = meeting_.key + "/refused";
  if (!meeting_.store || !meeting_.store->check({key}))
    return;
  const std::vector<uint8_t> text = meeting_.store->get(key);
  refusal_.assign(text.begin(), text.end());
  raise(refusal_);
}

Communicator::~Communicator() {
  if (!comm_)
    return;
  // A communicator that could not be made, has failed, or is still being made
  // is aborted; the other ranks notice that.
  if (state() != blinkSuccess || blinkCommDestroy(comm_) != blinkSuccess)
    blinkCommAbort(comm_);
}

blinkComm_t Communicator::get() {
  if (!refusal_.empty())
    raise(refusal_);
  const std::lock_guard<std::mutex> lock(making_);
  // The library ends the making within the time limit.
  auto pause = std::chrono::microseconds(20);
  for (int looks = 1; !isMade_; ++looks) {
    if (isRevoked_)
      raise("the group was aborted before all ranks had joined");
    const blinkResult_t result = state();
    if (result == blinkSuccess) {
      isMade_ = true;
    } else if (result == blinkInProgress) {
      if (looks % 64 == 0)
        hearOthers();
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(1000));
    } else {
      raise(blinkGetLastError(comm_));
    }
  }
  return comm_;
}

std::unique_ptr<Communicator>
Communicator::shrink(const std::vector<int> &excluded) {
  if (!comm_)
    raise(refusal_);
  blinkComm_t rest = nullptr;
  check(blinkCommShrink(comm_, excluded.data(), int(excluded.size()), &rest,
                        nullptr));
  return std::unique_ptr<Communicator>(new Communicator(rest));
}

void Communicator::revoke() {
  isRevoked_ = true;
  // Also if the communicator has lost a rank: calls may still go on among the
  // others.
  if (comm_ && state() != blinkInProgress)
    blinkCommRevoke(comm_);
}

std::exception_ptr Communicator::failure() {
  const blinkResult_t result = state();
  if (refusal_.empty() && (result == blinkSuccess || result == blinkInProgress))
    return nullptr;
  return makeError(refusal_.empty() ? blinkGetLastError(comm_) : refusal_);
}

blinkResult_t Communicator::state() {
  blinkResult_t result = blinkSuccess;
  if (!comm_)
    return blinkInvalidUsage;
  const blinkResult_t asked = blinkCommGetAsyncError(comm_, &result);
  return asked == blinkSuccess ? result : asked;
}

} // namespace blink::pytorch
