//===- ControlPlane.h - control messages between servers --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each rank of a job on several servers has a thread for control messages. The
// lowest remaining rank is the hub: all others are connected to it, and it
// passes on what each of them says.
//
//   rank's process                hub                     other servers
//     its records changed  --->   notes them      --->    the lowest rank of
//     the job failed       --->   notes it        --->    each writes them to
//     a sign of life       <-->                   <-->    its server's memory
//
// A rank whose connection breaks without a goodbye has died; a rank that is
// silent for too long is lost. When the hub ends, the next rank takes its
// place; all connect to that one and repeat what they have said. The remaining
// ranks can therefore still agree how to go on.
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
  /// A process that is silent for longer counts as lost.
  std::chrono::milliseconds silence{1000};
};

class ControlPlane {
public:
  /// Joins the job; returns when the hub has accepted the rank. Errors: as
  /// findHub; the hub has other files, or the ranks of one server are on
  /// several hosts.
  static Status join(const ControlRequest &request,
                     std::chrono::steady_clock::time_point deadline,
                     const std::function<Status()> &ended,
                     std::unique_ptr<ControlPlane> &result);
  /// Says goodbye. Takes at most twice the time that a rank may be silent, or a
  /// second if that is longer.
  ~ControlPlane();
  ControlPlane(const ControlPlane &) = delete;

  /// Passes the memory of this server, and a function that finds the words of
  /// each rank in it. The memory outlives this object.
  void attach(const JobMemory &memory, FindWords findWords);
  /// A descriptor to write to when a record of this rank has changed, or the
  /// job has failed (JobMemory::setBell).
  int bell() const { return bell_.get(); }

  /// Returns success, or that a rank has died or is lost. May be called from
  /// any thread.
  Status lost(int rank) const;
  /// Returns true if a rank said goodbye more than `silences` times the limit
  /// of silence ago. With the default of 1, the last that the rank said is then
  /// in this server's memory. May be called from any thread.
  bool left(int rank, int silences = 1) const;
  /// Returns success, or why the job has failed, as far as other ranks have
  /// reported it. For the time before attach().
  Status failure() const;
  /// Tells the others that the job has failed. For the time before attach().
  void fail(const Status &why);
  /// Returns "rank 3 on node2", or "rank 3".
  std::string name(int rank) const;

private:
  using Clock = std::chrono::steady_clock;
  /// How long the first hub may be silent before it has accepted this rank.
  static constexpr std::chrono::milliseconds kJoining{5000};
  static constexpr std::chrono::milliseconds kGoodbye{1000};

  explicit ControlPlane(const ControlRequest &request);

  struct Client {
    explicit Client(std::unique_ptr<ControlConnection> with)
        : connection(std::move(with)) {}
    std::unique_ptr<ControlConnection> connection;
    int rank = -1;     ///< -1: not yet known
    bool left = false; ///< has said goodbye, or was refused
  };

  // ControlPlane.cpp: the thread, and what other threads ask it.
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

  // Hub.cpp: serving the processes that are connected to this one.
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

  // HubLink.cpp: this process's connection to the hub.
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
  std::vector<int> newcomers_; ///< ranks of which the others have not heard
  Clock::time_point toldNewcomers_;
  std::unique_ptr<ControlConnection> hub_; ///< null: this is the hub, or there
                                           ///< is none yet
  bool greeted_ = false, accepted_ = false, saidGoodbye_ = false,
       mayLeave_ = false;
  int address_ = 0; ///< of the hub: the next one to try
  Descriptor connecting_;
  Clock::time_point connectingSince_, pauseUntil_;
  Clock::time_point hubSince_;    ///< since when the current hub has been the
                                  ///< hub
  Clock::time_point failedSince_; ///< whether or not a reason is known
  Clock::time_point endingSince_;
  Clock::time_point lastTurn_ = Clock::now();
  std::map<int, MirroredState> states_; ///< of other ranks and this one, as
                                        ///< last reported

  // Shared with other threads:
  mutable std::mutex mutex_; ///< guards the members up to words_
  std::condition_variable changed_;
  Members members_;
  bool joined_ = false;
  bool handedOver_ = false; ///< the server's next rank writes records now
  Status refused_, failure_;
  std::unique_ptr<JobMemory> memory_; ///< null before attach()
  FindWords findWords_;
  std::map<int, MirroredWords> words_; ///< as far as they were needed

  /// Whether members_ has any such rank; for threads that ask about every rank
  /// again and again.
  std::atomic<bool> anyLost_{false}, anyGone_{false};

  bool toldFailure_ = false; ///< used by the thread
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_CONTROLPLANE_H
