//===- Members.cpp - the ranks of a job on several servers ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/Members.h"

#include "schedules/Text.h"

#include <algorithm>

namespace blink::runtime {

void Members::resize(std::vector<uint16_t> serverOf) {
  serverOf_ = std::move(serverOf);
  all_.resize(serverOf_.size());
  findLeaders();
}

bool Members::introduce(const Introduction &introduction) {
  if (introduction.rank >= all_.size() || !introduction.place.valid())
    return false;
  Member &member = all_[introduction.rank];
  numKnown_ += !member.known;
  member.known = true;
  member.introduction = introduction;
  member.introduction.hostName[sizeof(introduction.hostName) - 1] = '\0';
  return true;
}

/// Returns "rank 0" or "ranks 0-2, 5": the other ranks of the server, by the
/// schedule.
std::string Members::othersOn(uint32_t server, uint32_t rank) const {
  std::vector<std::string> runs;
  int others = 0;
  const auto isOther = [&](int one) {
    return one < count() && one != int(rank) && serverOf(one) == int(server);
  };
  for (int first = 0; first < count(); ++first) {
    int last = first;
    while (isOther(last))
      ++last;
    if (last == first)
      continue;
    others += last - first;
    runs.push_back(std::to_string(first));
    if (last - first > 1)
      runs.back() += "-" + std::to_string(last - 1);
    first = last;
  }
  return (others == 1 ? "rank " : "ranks ") + joined(runs, ", ");
}

Status Members::check(const Introduction &introduction,
                      const Introduction &self) const {
  const auto rank = introduction.rank;
  if (introduction.numRanks != self.numRanks || rank >= all_.size())
    return Status(blinkInvalidUsage, "rank ", rank, " joins a job of ",
                  introduction.numRanks, " ranks, rank ", self.rank, " one of ",
                  self.numRanks);
  if (!introduction.place.valid())
    return Status(blinkInvalidUsage, "rank ", rank, " listens nowhere");
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
                  othersOn(introduction.server, rank),
                  " by the schedule, and runs on another host: on ",
                  introduction.hostName, ", and ", name(other),
                  ": start it there, or compile for where the ranks run");
  }
  return {};
}

void Members::setGone(int rank) {
  Member &member = all_[size_t(rank)];
  if (!member.gone)
    member.goneSince = std::chrono::steady_clock::now();
  member.gone = true;
  findLeaders();
}

void Members::setLost(int rank, const std::string &why) {
  std::string &lost = all_[size_t(rank)].lost;
  if (lost.empty())
    lost = why;
  findLeaders();
}

void Members::findLeaders() {
  hub_ = -1;
  agents_.clear();
  for (int rank = count() - 1; rank >= 0; --rank) {
    const auto server = size_t(serverOf(rank));
    agents_.resize(std::max(agents_.size(), server + 1), -1);
    if (isLeft(rank))
      hub_ = agents_[server] = rank;
  }
}

std::string Members::name(int rank) const {
  const char *host = introduction(rank).hostName;
  return textOf("rank ", rank, *host ? " on " : "", host);
}

} // namespace blink::runtime
