//===- Members.h - the ranks of a job on several servers --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Which ranks have joined, where they listen, and which are not there any more.
// What follows from this is the same in all processes with the same
// information.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_MEMBERS_H
#define BLINK_RUNTIME_JOB_CONTROL_MEMBERS_H

#include "runtime/job/control/TcpSocket.h"

#include <chrono>
#include <string>
#include <vector>

namespace blink::runtime {

/// How a rank introduces itself. A plain struct, because it is a message.
struct Introduction {
  uint32_t numRanks = 0, rank = 0;
  uint64_t fingerprint = 0; ///< of the plan
  uint64_t host = 0;        ///< hostIdentity()
  uint64_t process = 0;
  uint32_t server = 0;
  NetworkPlace place; ///< where the rank listens
  char hostName[64] = {};
};

class Members {
public:
  void resize(std::vector<uint16_t> serverOf);
  int count() const { return int(all_.size()); }
  int serverOf(int rank) const { return serverOf_[size_t(rank)]; }

  bool known(int rank) const { return all_[size_t(rank)].known; }
  bool allKnown() const { return numKnown_ == all_.size(); }
  const Introduction &introduction(int rank) const {
    return all_[size_t(rank)].introduction;
  }
  /// Returns false if it is of no rank, or has no valid place.
  bool introduce(const Introduction &introduction);
  /// Returns success, or why the rank that sends this introduction cannot be a
  /// member; `self` is a rank that has joined.
  Status check(const Introduction &introduction,
               const Introduction &self) const;

  /// A rank that is not there any more is gone if it said goodbye, and lost if
  /// it did not.
  bool isGone(int rank) const { return all_[size_t(rank)].gone; }
  bool isLost(int rank) const { return !all_[size_t(rank)].lost.empty(); }
  const std::string &whyLost(int rank) const { return all_[size_t(rank)].lost; }
  bool isLeft(int rank) const { return !isGone(rank) && !isLost(rank); }
  void setGone(int rank);
  /// When the rank said goodbye.
  std::chrono::steady_clock::time_point goneSince(int rank) const {
    return all_[size_t(rank)].goneSince;
  }
  void setLost(int rank, const std::string &why);

  /// The lowest remaining rank.
  int hub() const { return hub_; }
  /// The lowest remaining rank of a server, which writes to the server's
  /// memory; -1: none is left.
  int agentOf(int server) const { return agents_[size_t(server)]; }
  /// Returns "rank 3 on node2", or "rank 3".
  std::string name(int rank) const;

private:
  struct Member {
    bool known = false, gone = false;
    std::chrono::steady_clock::time_point goneSince;
    std::string lost;
    Introduction introduction;
  };
  std::string othersOn(uint32_t server, uint32_t rank) const;
  void findLeaders();

  std::vector<uint16_t> serverOf_;
  std::vector<Member> all_;
  size_t numKnown_ = 0;
  int hub_ = -1;
  std::vector<int> agents_; ///< of each server; kept because every record asks
                            ///< for them
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_MEMBERS_H
