//===- ControlPlane.h - what servers of a job tell each other ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A thread of each rank of a job that is on several servers. The lowest rank
// that is left is the hub: all others are connected with it, and what one says
// it passes on.
//
//   rank's process                hub                     other servers
//     its records changed  --->   notes them      --->    the lowest rank of
//     the job failed       --->   notes it        --->    each writes them to
//     a sign of life       <-->                   <-->    its server's memory
//
// A rank whose connection breaks without a goodbye has died; one that is silent
// for too long is lost. When the hub ends, the next one takes its place, and
// all connect with it and say again what they have said: so ranks that are left
// can still agree how to go on.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_CONTROLPLANE_H
#define BLINK_RUNTIME_JOB_CONTROL_CONTROLPLANE_H

#include "runtime/job/JobMemory.h"
#include "runtime/job/control/Members.h"
#include "runtime/job/control/Mirror.h"
#include "runtime/job/control/Strangers.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <thread>

namespace blink::runtime {

/// What a rank joins with.
struct ControlRequest {
  Secret secret;
  NetworkPlace directory; ///< of the unique id (HubDirectory.h)
  int numRanks = 0, rank = 0;
  std::vector<uint16_t> serverOf; ///< of each rank
  uint64_t fingerprint = 0;       ///< of the plan
  /// After which a silent process counts as lost.
  std::chrono::milliseconds silence{1000};
};

class ControlPlane {
public:
  /// Joins the job; returns when the hub has taken the rank in. Errors: as
  /// findHub; the hub has other files, or the ranks of one server are on
  /// several hosts.
  static Status join(const ControlRequest &request,
                     std::chrono::steady_clock::time_point deadline,
                     const std::function<Status()> &ended,
                     std::unique_ptr<ControlPlane> &result);
  /// Says goodbye, which takes twice the time that a rank may be silent at
  /// most, or a second.
  ~ControlPlane();
  ControlPlane(const ControlPlane &) = delete;

  /// The memory of this server, and where in it the words of each rank are. It
  /// outlives this.
  void attach(const JobMemory &memory, FindWords findWords);
  /// A descriptor to ring when a record of this rank has changed, or the job
  /// has failed (JobMemory::setBell).
  int bell() const { return bell_.get(); }

  /// Success, or that a rank has died or is lost. Any thread.
  Status lost(int rank) const;
  /// Whether a rank has said goodbye, so many times the limit of silence ago:
  /// once, and the last it has said is in this server's memory. Any thread.
  bool left(int rank, int silences = 1) const;
  /// Success, or why the job has failed as far as others have told. For before
  /// attach().
  Status failure() const;
  /// Tells the others that the job has failed. For before attach().
  void fail(const Status &why);
  /// "rank 3 on node2", or "rank 3".
  std::string name(int rank) const;

private:
  using Clock = std::chrono::steady_clock;
  /// How long a hub may be silent before it has taken a rank in at first.
  static constexpr std::chrono::milliseconds kJoining{5000};
  static constexpr std::chrono::milliseconds kGoodbye{1000};

  explicit ControlPlane(const ControlRequest &request);

  struct Client {
    explicit Client(std::unique_ptr<ControlConnection> with)
        : connection(std::move(with)) {}
    std::unique_ptr<ControlConnection> connection;
    int rank = -1;     ///< not yet known
    bool left = false; ///< has said goodbye, or was refused
  };

  // ControlPlane.cpp: the thread, and what others ask it.
  void run();
  void serve();
  void wait();
  void ring() const;
  void tellChanges(bool all);
  void tellFailure();
  void noteFailure(const Status &why);
  void turn();
  bool saidGoodbye();
  void handOver(bool done);
  bool isHub() const { return members_.hub() == request_.rank; }

  // Hub.cpp: those that are connected with this process.
  void serveClients();
  void hearClient(Client &client);
  void admit(Client &client, const std::string &text);
  void introduce(Client &client);
  void tellNewcomers();
  void dropClients();
  void pass(uint32_t kind, std::string_view text, const Client *from = nullptr);
  void passRecords(int rank, const std::string &changes);
  void promoteAgent(int server);
  void loseLateRanks();
  Client *clientOf(int rank);

  // HubLink.cpp: this process's connection with the hub.
  std::chrono::milliseconds patience() const;
  Secret hubSecret(int rank) const;
  void workWithHub();
  void talkWithHub();
  void hearHub();
  NetworkPlace hubPlace() const;
  void connectWithHub();
  void loseHub(const std::string &why);
  void becomeHub();

  const MirroredWords &wordsOf(int rank);
  bool writesRecordsOf(int rank) const;
  void writeRecords();
  void take(int rank, std::string_view changes);
  void noteLost(int rank, const std::string &why);
  void noteGone(int rank);

  const ControlRequest request_;
  const Secret ownSecret_;         ///< for this process's listener
  NetworkPlace firstHub_;          ///< rank 0's
  const Clock::duration interval_; ///< of signs of life
  Descriptor bell_;
  Listener listener_;
  Strangers strangers_;
  std::list<Client> clients_;
  std::vector<int> newcomers_; ///< ranks that the others have not heard of
  Clock::time_point toldNewcomers_;
  std::unique_ptr<ControlConnection> hub_; ///< null: this is it, or none yet
  bool greeted_ = false, accepted_ = false, saidGoodbye_ = false,
       mayLeave_ = false;
  int address_ = 0; ///< of the hub: the next one to try
  Descriptor connecting_;
  Clock::time_point connectingSince_, pauseUntil_;
  Clock::time_point hubSince_;    ///< since when the hub is who it is
  Clock::time_point failedSince_; ///< whether or not anybody has said why
  Clock::time_point endingSince_;
  Clock::time_point lastTurn_ = Clock::now();
  std::map<int, MirroredState> states_; ///< of ranks, as told

  // Shared with other threads.
  mutable std::mutex mutex_; ///< of what follows, up to the thread
  std::condition_variable changed_;
  Members members_;
  bool joined_ = false;
  bool handedOver_ = false; ///< the next one of this server writes records
  Status refused_, failure_;
  std::unique_ptr<JobMemory> memory_; ///< null before attach()
  FindWords findWords_;
  std::map<int, MirroredWords> words_; ///< as far as asked for

  /// Whether members_ has such, for those who ask of each rank, over and over.
  std::atomic<bool> anyLost_{false}, anyGone_{false};

  bool toldFailure_ = false; ///< the thread's
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_CONTROLPLANE_H
