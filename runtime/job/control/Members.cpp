//===- Members.cpp - the ranks of a job on several servers ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/Members.h"

#include "schedules/Text.h"

#include <cstring>

namespace blink::runtime {

void Members::introduce(const Introduction &introduction) {
  Member &member = all_[introduction.rank];
  member.known = true;
  member.introduction = introduction;
  member.introduction.hostName[sizeof(introduction.hostName) - 1] = '\0';
}

Status Members::check(const Introduction &introduction,
                      const Introduction &self) const {
  const auto rank = introduction.rank;
  if (introduction.numRanks != self.numRanks || rank >= all_.size())
    return Status(blinkInvalidUsage, "rank ", rank, " joins a job of ",
                  introduction.numRanks, " ranks, rank ", self.rank, " one of ",
                  self.numRanks);
  if (introduction.fingerprint != self.fingerprint ||
      introduction.server != serverOf_[rank])
    return Status(blinkInvalidUsage, "rank ", rank, " and rank ", self.rank,
                  " have opened different schedules: give all ranks the same "
                  "files in the same order, the same limit for slots, and for "
                  "bundles the same GPUs and failed link");
  for (int other = 0; other < count(); ++other) {
    if (!known(other) || serverOf(other) != int(introduction.server) ||
        this->introduction(other).host == introduction.host)
      continue;
    return Status(blinkInvalidUsage, "rank ", rank, " is on the server of ",
                  name(other), " by the schedule, and runs on another host, ",
                  introduction.hostName,
                  ": start it there, or compile for where the ranks run");
  }
  return {};
}

void Members::setGone(int rank) {
  Member &member = all_[size_t(rank)];
  if (!member.gone)
    member.goneSince = std::chrono::steady_clock::now();
  member.gone = true;
}

void Members::setLost(int rank, const std::string &why) {
  std::string &lost = all_[size_t(rank)].lost;
  if (lost.empty())
    lost = why;
}

int Members::hub() const {
  for (int rank = 0; rank < count(); ++rank)
    if (isLeft(rank))
      return rank;
  return -1;
}

int Members::agentOf(int server) const {
  for (int rank = 0; rank < count(); ++rank)
    if (serverOf(rank) == server && isLeft(rank))
      return rank;
  return -1;
}

std::string Members::name(int rank) const {
  const char *host = introduction(rank).hostName;
  return textOf("rank ", rank, *host ? " on " : "", host);
}

} // namespace blink::runtime
