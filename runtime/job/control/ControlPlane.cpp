//===- ControlPlane.cpp - control messages between servers ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/ControlPlane.h"

#include "runtime/QuietThread.h"
#include "runtime/job/LocalSocket.h"
#include "runtime/job/control/ControlMessages.h"
#include "runtime/job/control/HostIdentity.h"
#include "runtime/job/control/HubDirectory.h"

#include <algorithm>
#include <new>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace blink::runtime {

//===-- Joining and leaving -----------------------------------------------===//

ControlPlane::ControlPlane(const ControlRequest &request)
    : request_(request), ownSecret_(hubSecret(request.rank)),
      interval_(request.silence / 10),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  members_.resize(request.serverOf);
}

Status ControlPlane::join(const ControlRequest &request,
                          Clock::time_point deadline,
                          const std::function<Status()> &ended,
                          std::unique_ptr<ControlPlane> &result) {
  std::unique_ptr<ControlPlane> plane(new ControlPlane(request));
  if (!plane->bell_)
    return systemError("cannot make an event");
  Status status = listenOnNetwork(plane->listener_);
  if (!status.ok())
    return status;
  Introduction self;
  self.numRanks = uint32_t(request.numRanks);
  self.rank = uint32_t(request.rank);
  self.fingerprint = request.fingerprint;
  self.host = hostIdentity();
  self.process = uint64_t(getpid());
  self.server = request.serverOf[size_t(request.rank)];
  self.place = plane->listener_.place;
  hostName().copy(self.hostName, sizeof(self.hostName) - 1);
  plane->members_.introduce(self);

  plane->firstHub_ = self.place;
  status = findHub(request.secret, request.directory, request.numRanks,
                   request.rank, deadline, ended, plane->firstHub_);
  if (!status.ok())
    return status;
  plane->joined_ = request.rank == 0;
  status =
      startQuietThread(plane->thread_, [self = plane.get()] { self->run(); });
  if (!status.ok())
    return status;
  std::unique_lock<std::mutex> lock(plane->mutex_);
  while (!plane->joined_) {
    if (!plane->refused_.ok())
      return plane->refused_;
    if (!plane->failure_.ok())
      return plane->failure_;
    if (plane->members_.isLost(0))
      return {blinkRemoteError, plane->members_.whyLost(0)};
    if (Clock::now() > deadline)
      return Status(blinkRemoteError, "rank ", request.rank,
                    " waited for rank 0 at ", plane->firstHub_.text(),
                    " to take it in");
    plane->changed_.wait_for(lock, std::chrono::milliseconds(20));
    if (Status why = ended ? ended() : Status(); !why.ok())
      return why;
  }
  lock.unlock();
  result = std::move(plane);
  return {};
}

ControlPlane::~ControlPlane() {
  if (!thread_.joinable())
    return;
  // Release: the thread then sees everything that came before, such as the last
  // records.
  ending_.store(true, std::memory_order_release);
  ring();
  thread_.join();
}

void ControlPlane::attach(const JobMemory &memory, FindWords findWords) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    memory_ = std::make_unique<JobMemory>(memory);
    findWords_ = std::move(findWords);
    if (!failure_.ok())
      memory_->fail(failure_);
  }
  writeRecords(); // writes records that have come before
  ring();
}

void ControlPlane::ring() const {
  const uint64_t one = 1;
  // The event cannot be full.
  [[maybe_unused]] const ssize_t done = write(bell_.get(), &one, sizeof(one));
}

Status ControlPlane::lost(int rank) const {
  // Acquire: a thread that has seen a consequence of a loss, such as the job's
  // failure, sees that there is a loss; the mutex then tells which rank is
  // lost.
  if (!anyLost_.load(std::memory_order_acquire))
    return {};
  std::lock_guard<std::mutex> lock(mutex_);
  return members_.isLost(rank)
             ? Status{blinkRemoteError, members_.whyLost(rank)}
             : Status();
}

bool ControlPlane::left(int rank, int silences) const {
  if (!anyGone_.load(std::memory_order_acquire)) // as in lost()
    return false;
  std::lock_guard<std::mutex> lock(mutex_);
  return members_.isGone(rank) &&
         Clock::now() - members_.goneSince(rank) > silences * request_.silence;
}

Status ControlPlane::failure() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

void ControlPlane::fail(const Status &why) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.ok())
      failure_ = why;
  }
  ring();
}

std::string ControlPlane::name(int rank) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return members_.name(rank);
}

//===-- The thread --------------------------------------------------------===//

void ControlPlane::run() {
  try {
    serve();
  } catch (const std::bad_alloc &) {
    Status why; // short, so that it needs no memory
    why.code = blinkSystemError;
    why.text = "out of memory";
    std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.ok())
      failure_ = why;
    if (memory_)
      memory_->fail(failure_);
  }
}

void ControlPlane::serve() {
  turn(); // begins to connect; there is nothing to wait for yet
  // Acquire: see the destructor.
  while (!ending_.load(std::memory_order_acquire)) {
    wait();
    turn();
  }
  endingSince_ = Clock::now();
  // Processors may be busy, and a rank that has not heard the goodbye takes
  // this one for dead. One that has not been accepted may still be.
  const auto most =
      joined_ ? std::max(2 * request_.silence, kGoodbye) : kGoodbye;
  while (!saidGoodbye() && Clock::now() < endingSince_ + most) {
    wait();
    turn();
  }
}

void ControlPlane::turn() {
  serveClients();
  workWithHub();
  tellNewcomers();
  tellFailure();
  tellChanges(/*all=*/false);
  dropClients();
}

void ControlPlane::wait() {
  std::vector<pollfd> files{{bell_.get(), POLLIN, 0}};
  strangers_.addFiles(listener_, files);
  for (const Client &client : clients_)
    files.push_back(
        {client.connection->file(), client.connection->events(), 0});
  if (connecting_)
    files.push_back({connecting_.get(), POLLOUT, 0});
  if (hub_ && !hub_->isBroken())
    files.push_back({hub_->file(), hub_->events(), 0});
  poll(files.data(), files.size(),
       int(std::chrono::duration_cast<std::chrono::milliseconds>(interval_)
               .count()));
  uint64_t rung;
  [[maybe_unused]] const ssize_t got = read(bell_.get(), &rung, sizeof(rung));
  // This process may have been stopped, or have had no processor, and others on
  // this machine with it. The silence of the others means nothing for that
  // long. The rest of it does count: otherwise an overloaded machine would
  // never notice that a rank is lost.
  const Clock::time_point now = Clock::now();
  const Clock::duration late = now - lastTurn_ - interval_;
  if (late > Clock::duration(0)) {
    for (Client &client : clients_)
      client.connection->forgive(late);
    if (hub_)
      hub_->forgive(late);
    if (hubSince_ != Clock::time_point())
      hubSince_ += late;
  }
  lastTurn_ = now;
}

/// Reports the changes of this rank's records that the others do not know yet.
void ControlPlane::tellChanges(bool all) {
  std::string changes;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!memory_ || (!isHub() && !accepted_))
      return;
    changes = states_[request_.rank].changes(wordsOf(request_.rank), all);
  }
  if (changes.empty())
    return;
  if (isHub())
    passRecords(request_.rank, changes);
  else
    hub_->say(uint32_t(ControlKind::records),
              numbered(uint32_t(request_.rank), changes));
}

void ControlPlane::tellFailure() {
  if (toldFailure_)
    return;
  Status why;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.ok() && memory_ && memory_->failed()) {
      // A lane on a device has failed the job, and the host will soon store the
      // reason.
      const Clock::time_point now = Clock::now();
      if (failedSince_ == Clock::time_point())
        failedSince_ = now;
      if (!memory_->hasReason() && now - failedSince_ < request_.silence)
        return;
      failure_ = memory_->failure();
    }
    why = failure_;
  }
  if (why.ok() || (!isHub() && !accepted_))
    return;
  toldFailure_ = true;
  const std::string text = messageOfStatus(why);
  if (isHub())
    pass(uint32_t(ControlKind::failure), text);
  else
    hub_->say(uint32_t(ControlKind::failure), text);
}

/// Another rank has reported a failure.
void ControlPlane::noteFailure(const Status &why) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.ok())
    failure_ = why;
  if (memory_)
    memory_->fail(why);
  toldFailure_ = true;
}

/// Returns where in this server's memory the words of `rank` are. Requires the
/// mutex; only after attach().
const MirroredWords &ControlPlane::wordsOf(int rank) {
  auto found = words_.find(rank);
  if (found == words_.end())
    found = words_.emplace(rank, findWords_(rank)).first;
  return found->second;
}

/// Returns true if this process writes the records of `rank` to its server's
/// memory. Requires the mutex.
bool ControlPlane::writesRecordsOf(int rank) const {
  const int own = members_.serverOf(request_.rank);
  return !handedOver_ && members_.serverOf(rank) != own &&
         members_.agentOf(own) == request_.rank;
}

/// Writes all records that are known to this server's memory.
void ControlPlane::writeRecords() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto &[rank, state] : states_)
    if (memory_ && rank != request_.rank && writesRecordsOf(rank))
      MirroredState::write(state.whole(), wordsOf(rank));
}

/// Takes changes of another rank's records.
void ControlPlane::take(int rank, std::string_view changes) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!states_[rank].take(changes) || !memory_ || !writesRecordsOf(rank))
    return;
  MirroredState::write(changes, wordsOf(rank));
}

void ControlPlane::noteLost(int rank, const std::string &why) {
  std::lock_guard<std::mutex> lock(mutex_);
  members_.setLost(rank, why);
  // Release: after members_ has changed. The flag never becomes false again.
  anyLost_.store(true, std::memory_order_release);
  changed_.notify_all();
}

void ControlPlane::noteGone(int rank) {
  std::lock_guard<std::mutex> lock(mutex_);
  members_.setGone(rank);
  anyGone_.store(true, std::memory_order_release); // as in noteLost()
}

/// Lets the server's next rank write the records of others. That rank begins
/// when it hears this one's goodbye; what this rank wrote after that could be
/// older.
void ControlPlane::handOver(bool done) {
  std::lock_guard<std::mutex> lock(mutex_);
  handedOver_ = done;
}

/// Returns true if all remaining ranks know that this rank ends, and what it
/// said before. Otherwise they would take it for dead.
bool ControlPlane::saidGoodbye() {
  const std::string own = numbered(uint32_t(request_.rank), "");
  if (!refused_.ok() || members_.hub() < 0 || mayLeave_)
    return true;
  if (!isHub()) {
    if (accepted_ && !saidGoodbye_) {
      tellChanges(/*all=*/true);
      handOver(true);
      hub_->say(uint32_t(ControlKind::gone), own);
      hub_->work();
      saidGoodbye_ = true;
    }
    return false;
  }
  for (int rank = 0; rank < members_.count() && !saidGoodbye_; ++rank)
    if (rank != request_.rank && members_.isLeft(rank) && !clientOf(rank) &&
        members_.known(rank))
      return false; // it has not yet come over from the previous hub
  // Most jobs end on all ranks at once: then no rank needs another hub.
  const bool allLeft =
      std::none_of(clients_.begin(), clients_.end(), [](const Client &client) {
        return client.rank >= 0 && !client.left;
      });
  if (!allLeft && Clock::now() < endingSince_ + interval_)
    return false;
  if (!saidGoodbye_) {
    tellChanges(/*all=*/true);
    handOver(true);
    pass(uint32_t(ControlKind::gone), own);
    saidGoodbye_ = true;
    for (Client &client : clients_)
      client.left = true; // they belong to the next hub
  }
  // The clients close their connections when they have heard it. Closing
  // earlier could discard what is on its way to them.
  return std::none_of(clients_.begin(), clients_.end(),
                      [](const Client &client) { return client.rank >= 0; });
}

} // namespace blink::runtime
