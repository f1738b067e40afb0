//===- Diagnosis.cpp - which ranks keep a job waiting ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/Diagnosis.h"

#include "schedules/Text.h"

#include <algorithm>
#include <functional>
#include <set>

namespace blink::runtime {
namespace {

using Ranks = std::vector<int>;

/// "rank 3", or "ranks 3,5".
std::string list(const Ranks &ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + joined(ranks);
}

/// "has" for one rank, "have" for several.
const char *have(const Ranks &ranks) {
  return ranks.size() == 1 ? "has" : "have";
}

std::string times(uint64_t calls) {
  return textOf(calls, calls == 1 ? " call" : " calls");
}

/// Returns true if the rank's last collective has failed: the rank may have
/// waited in it.
bool hasFailed(const RankPicture &rank) {
  return !rank.calls.empty() && !rank.calls.back().underWay() &&
         rank.calls.back().result != blinkSuccess;
}

class Judge {
public:
  explicit Judge(const JobPicture &job) : job_(job) {}
  Diagnosis run() const;

private:
  const RankPicture &at(int rank) const { return job_.ranks[size_t(rank)]; }
  Ranks those(const std::function<bool(const RankPicture &)> &are) const;
  std::string processes(const Ranks &ranks) const;
  std::string place(int rank) const;
  bool lost(Liveness liveness, Cause cause, const char *what,
            Diagnosis &found) const;
  bool differing(Diagnosis &found) const;
  bool uneven(Diagnosis &found) const;
  Diagnosis queued(const Ranks &ranks, const CallPicture &call) const;
  Diagnosis atTheEnd(int rank, int waiter) const;
  Diagnosis circle(int from) const;
  Diagnosis endOfWay(int from) const;
  Diagnosis follow(int from) const;

  const JobPicture &job_;
};

Ranks Judge::those(const std::function<bool(const RankPicture &)> &are) const {
  Ranks ranks;
  for (size_t rank = 0; rank < job_.ranks.size(); ++rank)
    if (are(job_.ranks[rank]))
      ranks.push_back(int(rank));
  return ranks;
}

/// Returns "the process of rank 3, number 4711,".
std::string Judge::processes(const Ranks &ranks) const {
  return ranks.size() == 1 ? textOf("the process of rank ", ranks[0],
                                    ", number ", at(ranks[0]).process, ",")
                           : "the processes of " + list(ranks);
}

/// Returns "in its call 42, allreduce of 5 float32 with sum", or "behind its
/// call 42, ...".
std::string Judge::place(int rank) const {
  const RankPicture &picture = at(rank);
  const CallPicture *last = picture.call(picture.collectives);
  if (!last)
    return picture.collectives == 0 ? "before its first call"
                                    : "in " + times(picture.collectives);
  return textOf(last->underWay() ? "in its call " : "behind its call ",
                last->number, ", ", last->describe());
}

/// Finds processes that cannot go on.
bool Judge::lost(Liveness liveness, Cause cause, const char *what,
                 Diagnosis &found) const {
  const Ranks ranks = those([&](const RankPicture &rank) {
    return rank.known && rank.liveness == liveness;
  });
  if (ranks.empty())
    return false;
  found = {cause, ranks, textOf(processes(ranks), " ", have(ranks), " ", what)};
  if (ranks.size() == 1)
    found.sentence += ", " + place(ranks[0]);
  return true;
}

/// Finds the first number whose calls are not all of one kind.
bool Judge::differing(Diagnosis &found) const {
  std::set<uint64_t> numbers;
  for (const RankPicture &rank : job_.ranks)
    for (const CallPicture &call : rank.calls)
      numbers.insert(call.number);
  for (const uint64_t number : numbers) {
    // The ranks of each kind, in the order of their first ranks.
    std::vector<std::pair<const CallPicture *, Ranks>> kinds;
    for (size_t rank = 0; rank < job_.ranks.size(); ++rank) {
      const CallPicture *call = job_.ranks[rank].call(number);
      if (!call)
        continue;
      auto kind =
          std::find_if(kinds.begin(), kinds.end(), [&](const auto &one) {
            return one.first->kind == call->kind;
          });
      if (kind == kinds.end())
        kind = kinds.insert(kinds.end(), {call, {}});
      kind->second.push_back(int(rank));
    }
    if (kinds.size() < 2)
      continue;
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const auto &a, const auto &b) {
                       return a.second.size() > b.second.size();
                     });
    const bool tie = kinds[0].second.size() == kinds[1].second.size();
    found.cause = Cause::differs;
    for (size_t k = tie ? 0 : 1; k < kinds.size(); ++k)
      found.culprits.insert(found.culprits.end(), kinds[k].second.begin(),
                            kinds[k].second.end());
    std::sort(found.culprits.begin(), found.culprits.end());
    found.sentence = textOf("the ranks' calls differ: as call ", number, " ");
    for (size_t k = kinds.size(); k-- > 0;)
      found.sentence +=
          textOf(list(kinds[k].second), " ", have(kinds[k].second), " ",
                 kinds[k].first->describe(), k ? ", " : "");
    return true;
  }
  return false;
}

/// Finds ranks that have made fewer collectives than those that wait in one.
bool Judge::uneven(Diagnosis &found) const {
  uint64_t least = ~uint64_t(0), most = 0;
  for (const RankPicture &rank : job_.ranks)
    if (rank.known) {
      least = std::min(least, rank.collectives);
      if (rank.current() || hasFailed(rank))
        most = std::max(most, rank.collectives);
    }
  if (most <= least)
    return false;
  const Ranks ahead = those([&](const RankPicture &rank) {
    return rank.known && rank.collectives > least;
  });
  const Ranks behind = those([&](const RankPicture &rank) {
    return rank.known && rank.collectives == least;
  });
  const auto isIdle = [&](int rank) { return !at(rank).inCall(); };
  Ranks idle, waiting; // waiting: ranks whose GPUs will come to the call
  for (int rank : behind)
    if (isIdle(rank))
      (at(rank).launchedCollective() ? waiting : idle).push_back(rank);
  if (idle.empty() && !waiting.empty()) {
    found = queued(waiting, *at(waiting[0]).launchedCollective());
    return true;
  }
  // All ranks with the fewest calls are in calls of their own.
  if (idle.empty()) {
    found = follow(behind[0]);
    return true;
  }
  const CallPicture *next = nullptr; // the call that they have not made
  for (int rank : ahead)
    if (!next)
      next = at(rank).call(least + 1);
  const std::string what = next ? next->describe() : "it";
  // A rank that makes a call twice is alone in the second one. If instead all
  // others were late, its call would not have to be the same as the one before.
  const CallPicture *before =
      ahead.size() == 1 ? at(ahead[0]).call(least) : nullptr;
  if (ahead.size() == 1 && idle.size() == behind.size() && idle.size() > 1 &&
      most == least + 1 && next && before && next->kind == before->kind) {
    found = {Cause::extra, ahead,
             textOf("rank ", ahead[0], " has made ", times(most),
                    ", all others ", least, ": either it has called ", what,
                    " once too often, or they have not called it yet")};
    return true;
  }
  found = {Cause::behind, idle,
           textOf(list(idle), " ", have(idle), " made ", times(least), ", ",
                  idle.size() + ahead.size() == job_.ranks.size()
                      ? "the others "
                      : list(ahead) + " " + have(ahead) + " made ",
                  most == least + 1 ? "" : "up to ", most, ": ",
                  idle.size() == 1 ? "it has" : "they have", " not called ",
                  what)};
  return true;
}

/// GPUs that have not begun a call that was launched.
Diagnosis Judge::queued(const Ranks &ranks, const CallPicture &call) const {
  const bool one = ranks.size() == 1;
  return {Cause::queued, ranks,
          textOf(one ? "the GPU of " : "the GPUs of ", list(ranks), " ",
                 have(ranks), " not begun ", call.describe(),
                 ", which has been launched: ", one ? "it is" : "they are",
                 " at something else, or what comes before in ",
                 one ? "its stream" : "their streams", " is not done")};
}

/// Judges a rank at the end of the chain of waits, for which `waiter` waits;
/// -1: no rank does.
Diagnosis Judge::atTheEnd(int rank, int waiter) const {
  const RankPicture &picture = at(rank);
  const std::string waits =
      waiter < 0 ? "" : textOf("rank ", waiter, " waits for it");
  if (!picture.known || !picture.seen)
    return {Cause::unseen,
            {rank},
            textOf("rank ", rank, " is not to be seen from here, and ", waits,
                   ": look on its server")};
  if (picture.inCall())
    return {Cause::busy,
            {rank},
            textOf("rank ", rank, " is ", place(rank), ", and waits for nobody",
                   waits.empty() ? "" : "; ", waits)};
  // The rank has made as many collectives as the others, so what is missing is
  // a message.
  std::string text = textOf("rank ", rank, " is in no call, and ", waits);
  for (const WaitPicture &wait : at(waiter).waits)
    for (const CallPicture &call : at(waiter).sent) {
      if (!wait.message || wait.peer != rank || call.peer != rank ||
          call.number != wait.call || call.send == wait.reading)
        continue;
      for (const CallPicture &other : picture.launched)
        if (other.peer == waiter && other.send != call.send)
          return queued({rank}, other);
      return {Cause::behind, {rank}, text + " in a " + call.describe()};
    }
  return {Cause::behind, {rank}, text};
}

/// Finds ranks in a call that wait for each other, starting at one of them.
Diagnosis Judge::circle(int from) const {
  Ranks way;
  int rank = from;
  while (std::find(way.begin(), way.end(), rank) == way.end()) {
    way.push_back(rank);
    rank = at(rank).waits.front().peer;
  }
  Ranks ranks(std::find(way.begin(), way.end(), rank), way.end());
  std::string text = textOf("rank ", rank);
  for (size_t i = 0; i < ranks.size(); ++i)
    text += textOf(i ? ", which waits for rank " : " waits for rank ",
                   ranks[(i + 1) % ranks.size()]);
  std::sort(ranks.begin(), ranks.end());
  return {Cause::circle, ranks, text + ": none of them can go on"};
}

/// Follows the waits of a rank in a call to the rank that keeps it there.
Diagnosis Judge::follow(int from) const {
  Diagnosis found = endOfWay(from);
  // Lanes wait for ranks all over the schedule, and what a lane saw last may be
  // outdated: a rank that does not wait at all in such a circle is at work.
  const Ranks busy = those([](const RankPicture &rank) {
    return rank.current() && rank.waits.empty();
  });
  if (found.cause != Cause::busy && found.cause != Cause::unseen &&
      !busy.empty() && !at(from).waits[0].message) {
    found = atTheEnd(busy[0], -1);
    found.culprits = busy;
  }
  return found;
}

/// Follows the waits of a rank in a call breadth-first, to the nearest rank
/// that waits for none.
Diagnosis Judge::endOfWay(int from) const {
  // a rank, and the rank that waits for it
  std::vector<std::pair<int, int>> way{{from, -1}};
  for (size_t next = 0; next < way.size(); ++next) {
    const auto [rank, waiter] = way[next];
    if (at(rank).waits.empty())
      return atTheEnd(rank, waiter);
    for (const WaitPicture &wait : at(rank).waits)
      if (std::none_of(way.begin(), way.end(),
                       [&](const auto &one) { return one.first == wait.peer; }))
        way.emplace_back(wait.peer, rank);
  }
  return circle(from);
}

Diagnosis Judge::run() const {
  Diagnosis found;
  const Ranks waiting =
      those([](const RankPicture &rank) { return rank.inCall(); });
  const bool waits = !waiting.empty();
  if (!waits && std::none_of(job_.ranks.begin(), job_.ranks.end(), hasFailed))
    return found;
  if (lost(Liveness::dead, Cause::died, "died", found) ||
      lost(Liveness::stopped, Cause::stopped, "been stopped", found) ||
      differing(found) || uneven(found) || !waits)
    return found;
  // Prefer a rank that waits in a collective, then one that waits in a message.
  const auto badness = [this](int rank) {
    const auto &waits = at(rank).waits;
    return waits.empty() ? 2 : int(waits[0].message);
  };
  return follow(
      *std::min_element(waiting.begin(), waiting.end(),
                        [&](int a, int b) { return badness(a) < badness(b); }));
}

} // namespace

const char *nameOf(Cause cause) {
  static constexpr const char *kNames[] = {
      "none",  "died", "stopped", "differs", "behind",
      "extra", "busy", "queued",  "unseen",  "circle"};
  return kNames[size_t(cause)];
}

Diagnosis diagnose(const JobPicture &job) { return Judge(job).run(); }

} // namespace blink::runtime
