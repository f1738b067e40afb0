//===- PictureText.cpp - pictures for people ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/PictureText.h"

#include "schedules/Text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

namespace blink::runtime {
namespace {

/// Returns "1.2 ms" for a number of nanoseconds.
std::string lengthOf(uint64_t nanoseconds) {
  char text[32];
  const double ns = double(nanoseconds);
  if (ns < 1e6)
    std::snprintf(text, sizeof(text), "%.1f us", ns / 1e3);
  else if (ns < 1e9)
    std::snprintf(text, sizeof(text), "%.1f ms", ns / 1e6);
  else
    std::snprintf(text, sizeof(text), "%.1f s", ns / 1e9);
  return text;
}

std::string since(uint64_t moment, uint64_t now) {
  return moment < now ? lengthOf(now - moment) : lengthOf(0);
}

const char *stateOf(const RankPicture &rank) {
  switch (rank.liveness) {
  case Liveness::dead:
    return "dead";
  case Liveness::stopped:
    return "stopped";
  default:
    if (!rank.seen)
      return "unseen";
    if (rank.inCall())
      return "in call";
    return rank.launched.empty() ? "outside" : "launched";
  }
}

std::string describe(const WaitPicture &wait, uint64_t now) {
  std::string text =
      textOf("lane ", wait.lane, ", step ", wait.step, ", channel ",
             wait.channel, ": ", wait.reading ? "a chunk" : "a free slot",
             " of rank ", wait.peer, ", ", wait.expected, " expected, ",
             wait.seen, " seen, for ", since(wait.since, now));
  return wait.message ? "message, " + text : text;
}

/// Returns "waited 1.2 ms in all, 72 % of it for rank 5", or "".
std::string straggler(const RankPicture &rank) {
  const auto most =
      std::max_element(rank.waitedFor.begin(), rank.waitedFor.end());
  const uint64_t sum = std::accumulate(rank.waitedFor.begin(),
                                       rank.waitedFor.end(), uint64_t(0));
  if (sum == 0)
    return "";
  return textOf("waited ", lengthOf(sum), " in all, ",
                uint64_t(100.0 * double(*most) / double(sum) + 0.5),
                " % of it for rank ", most - rank.waitedFor.begin());
}

} // namespace

std::string describeWaits(const JobPicture &job) {
  std::map<int, std::vector<int>> waiters; // of each rank
  for (size_t rank = 0; rank < job.ranks.size(); ++rank)
    for (const WaitPicture &wait : job.ranks[rank].waits) {
      std::vector<int> &of = waiters[wait.peer];
      if (of.empty() || of.back() != int(rank))
        of.push_back(int(rank));
    }
  std::string text;
  for (const auto &[rank, of] : waiters) {
    const bool one = of.size() == 1;
    text += textOf(text.empty() ? "" : "; ", one ? "rank " : "ranks ",
                   joined(of), one ? " waits" : " wait", " for rank ", rank);
  }
  return text;
}

std::string toText(const JobPicture &job, const Diagnosis &found) {
  char line[256];
  std::snprintf(line, sizeof(line), "job %016llx: %zu ranks, %s back end\n",
                static_cast<unsigned long long>(job.job), job.ranks.size(),
                job.backend == blinkBackendHost ? "host" : "CUDA");
  std::string text = line;
  text += "  rank  process  state      calls  last call\n";
  for (size_t r = 0; r < job.ranks.size(); ++r) {
    const RankPicture &rank = job.ranks[r];
    if (!rank.known) {
      text += textOf("  ",
                     std::string(r < 10    ? 3
                                 : r < 100 ? 2
                                           : r < 1000,
                                 ' '),
                     r, "        -  not to be seen from here\n");
      continue;
    }
    std::snprintf(line, sizeof(line), "  %4zu %8llu  %-8s %7llu  ", r,
                  static_cast<unsigned long long>(rank.process), stateOf(rank),
                  static_cast<unsigned long long>(rank.collectives));
    text += line;
    if (!rank.calls.empty()) {
      const CallPicture &last = rank.calls.back();
      text += last.describe();
      if (last.underWay())
        text += ", for " + since(last.started, job.taken);
      else if (last.result != blinkSuccess)
        text += std::string(", failed: ") + blinkGetErrorString(last.result);
    }
    text += "\n";
    const auto indent = [&](const std::string &what) {
      if (!what.empty())
        text += "                                   " + what + "\n";
    };
    if (!rank.launched.empty()) {
      const CallPicture &next = rank.launched.front();
      indent(textOf("launched ", since(next.enqueued, job.taken),
                    " ago and not begun: ", next.describe(),
                    rank.launched.size() == 1
                        ? ""
                        : textOf(" and ", rank.launched.size() - 1, " more")));
    }
    for (const CallPicture &message : rank.sent)
      if (message.underWay())
        indent(message.describe() + ", for " +
               since(message.started, job.taken));
    for (const WaitPicture &wait : rank.waits)
      indent(describe(wait, job.taken));
    indent(straggler(rank));
  }
  if (const std::string waits = describeWaits(job); !waits.empty())
    text += "  " + waits + "\n";
  if (!found.sentence.empty())
    text += "  " + found.sentence + "\n";
  return text;
}

} // namespace blink::runtime
