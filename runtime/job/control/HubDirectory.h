//===- HubDirectory.h - where the hub of a job is ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The process that makes a unique id knows which processes have the id, but
// nothing about the job. Rank 0 tells it where it listens (ControlPlane.h), and
// the directory tells the other ranks. Then its process may end.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_HUBDIRECTORY_H
#define BLINK_RUNTIME_JOB_CONTROL_HUBDIRECTORY_H

#include "runtime/job/control/Strangers.h"

#include <chrono>
#include <functional>
#include <list>
#include <poll.h>
#include <vector>

namespace blink::runtime {

struct DirectoryQuestion;

/// The answering side. Used by one thread.
class HubDirectory {
public:
  /// Starts to listen. Errors: as listenOnNetwork.
  Status start(const Secret &secret);
  const NetworkPlace &place() const { return listener_.place; }

  /// Adds the descriptors to poll.
  void addFiles(std::vector<pollfd> &files) const;
  /// Answers the processes that have connected.
  void work();
  /// Whether all ranks of a job have been told.
  bool complete() const { return numRanks_ != 0 && told_ == numRanks_; }

private:
  struct Asker {
    explicit Asker(std::unique_ptr<ControlConnection> with)
        : connection(std::move(with)) {}
    std::unique_ptr<ControlConnection> connection;
    int rank = -1;
    bool told = false;
  };

  void hear(Asker &asker);
  std::string note(const DirectoryQuestion &question);
  void tell();

  Secret secret_;
  Listener listener_;
  Strangers strangers_;
  std::list<Asker> askers_;
  NetworkPlace hub_;
  size_t numRanks_ = 0, told_ = 0;
  std::vector<bool> asked_;
};

/// Asks the directory at `directory` for the hub of a job; rank 0 tells it
/// instead that the hub is at `hub`. Tries again if it is not let in, as in a
/// flood of strangers, or if another process is at one of the addresses.
/// Errors: there is no answer by `deadline`, the job has another number of
/// ranks, or the rank has asked before; the error of `ended`, which is called
/// now and then.
Status findHub(const Secret &secret, const NetworkPlace &directory,
               int numRanks, int rank,
               std::chrono::steady_clock::time_point deadline,
               const std::function<Status()> &ended, NetworkPlace &hub);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_HUBDIRECTORY_H
