//===- Parts.cpp - communicators of some ranks of another -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Parts.h"

#include "runtime/bindings/nccl/AtOnce.h"
#include "runtime/bindings/nccl/EntryPoints.h"
#include "runtime/bindings/nccl/Init.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace blink::nccl {
namespace {

/// The first message of a rank, before it tries Blink; the second is Outcome,
/// after that.
struct Wish {
  int32_t rank, color, key; ///< in a shrink, color and key are 0
};
struct Outcome {
  int32_t result;
  uint32_t hasFallback;
  char why[248]; ///< longer ones are truncated
};
/// The third message, from the first rank of a new communicator.
struct InnerId {
  uint32_t made;
  ncclUniqueId id;
};
static_assert(sizeof(Outcome) <= BLINK_EXCHANGE_BYTES &&
              sizeof(InnerId) <= BLINK_EXCHANGE_BYTES);

/// Makes one rank's new communicator. All ranks that remain of the old one run
/// this at the same time, whatever their colour.
class Making {
public:
  explicit Making(PendingPart &part)
      : part_(part), blink_(part.from->blink), made_(part.comm->blink) {}

  /// Runs on a thread of its own; why() may then be called from another thread.
  ncclResult_t run() {
    const ncclResult_t result = make();
    if (result != ncclSuccess) {
      why_ = ncclGetLastError(nullptr);
      if (made_)
        blinkCommAbort(std::exchange(made_, nullptr));
    }
    return result;
  }
  const std::string &why() const { return why_; }

private:
  template <typename Words>
  ncclResult_t exchange(const Words &own, std::vector<Words> &all) {
    int numRanks = 0;
    const ncclResult_t result = report(blinkCommCount(blink_, &numRanks));
    if (result != ncclSuccess)
      return result;
    all.resize(size_t(numRanks) - part_.excluded.size());
    return report(blinkCommExchange(blink_, &own, sizeof(own), all.data(),
                                    part_.excluded.data(),
                                    int(part_.excluded.size())));
  }

  ncclResult_t make() {
    ncclResult_t result = findMembers();
    if (result != ncclSuccess)
      return result;
    const ncclResult_t tried = tryBlink();
    const std::string why = tried == ncclSuccess ? "" : lastText();
    std::vector<Outcome> outcomes;
    result = exchange(outcomeOf(tried, why), outcomes);
    if (result != ncclSuccess)
      return result;
    const auto failed = [](const Outcome &one) {
      return one.result != ncclSuccess;
    };
    // Ranks of other colours need the next round, too, unless no rank needs it.
    if (std::none_of(outcomes.begin(), outcomes.end(), failed))
      return ncclSuccess;
    bool own = true;
    Outcome first{};
    int without = -1; // the first rank that cannot fall back
    for (size_t i = 0; i < members_.size(); ++i) {
      const Outcome &one = outcomes[members_[i]];
      if (failed(one) && own)
        first = one, own = false;
      if (!one.hasFallback && without < 0)
        without = int(i);
    }
    const bool canFallBack = without < 0;
    std::vector<InnerId> ids;
    result = exchange(idFor(!own && canFallBack && !isNowhere()), ids);
    if (result != ncclSuccess || own || isNowhere())
      return result;
    const std::string reason = tried != ncclSuccess ? why : first.why;
    const InnerId &inner = ids[members_[0]];
    if (canFallBack && inner.made)
      return goInner(inner.id, reason);
    return fail(ncclResult_t(first.result),
                reason + "; and " + whyNotInner(without));
  }

  /// Returns true if this rank gets no communicator, and only takes part in the
  /// exchanges.
  bool isNowhere() const {
    return !part_.shrinks && part_.color == BLINK_SPLIT_NOCOLOR;
  }

  /// Finds the ranks that are to be together: their places among the ranks that
  /// take part, in their new order.
  ncclResult_t findMembers() {
    Wish own{0, part_.color, part_.key};
    ncclResult_t result = report(blinkCommUserRank(blink_, &own.rank));
    std::vector<Wish> wishes;
    if (result == ncclSuccess)
      result = exchange(own, wishes);
    if (result != ncclSuccess)
      return result;
    for (size_t i = 0; i < wishes.size(); ++i)
      if (wishes[i].color == own.color)
        members_.push_back(i);
    std::stable_sort(members_.begin(), members_.end(), [&](size_t a, size_t b) {
      return wishes[a].key < wishes[b].key;
    });
    for (size_t i = 0; i < members_.size(); ++i)
      if (wishes[members_[i]].rank == own.rank)
        newRank_ = int(i);
    return result;
  }

  ncclResult_t tryBlink() {
    if (part_.shrinks)
      return report(blinkCommShrink(blink_, part_.excluded.data(),
                                    int(part_.excluded.size()), &made_,
                                    nullptr));
    return report(
        blinkCommSplit(blink_, part_.color, part_.key, &made_, nullptr));
  }

  /// `without`: the new rank that has no fallback, or -1.
  std::string whyNotInner(int without) const {
    std::string own;
    if (without < 0)
      return "the fallback makes no unique id";
    if (!Fallback::get(own))
      return own;
    return "rank " + std::to_string(without) +
           " of these has no BLINK_NCCL_FALLBACK that can be opened";
  }

  static Outcome outcomeOf(ncclResult_t tried, const std::string &why) {
    std::string missing;
    Outcome outcome{tried, Fallback::get(missing) != nullptr, {}};
    why.copy(outcome.why, sizeof(outcome.why) - 1);
    return outcome;
  }

  InnerId idFor(bool needed) const {
    InnerId inner{};
    std::string missing;
    const Fallback *library = Fallback::get(missing);
    if (needed && newRank_ == 0 && library)
      inner.made = library->call("ncclGetUniqueId", &inner.id) == ncclSuccess;
    return inner;
  }

  ncclResult_t goInner(const ncclUniqueId &id, const std::string &why) {
    if (made_)
      blinkCommAbort(std::exchange(made_, nullptr));
    std::string missing;
    const Fallback *library = Fallback::get(missing);
    if (newRank_ == 0)
      logFallback(why);
    const ncclResult_t result =
        initInner(*library, *part_.comm, int(members_.size()), newRank_, id);
    return result == ncclSuccess
               ? result
               : fail(result, "the fallback makes no communicator: " + why);
  }

  static std::string lastText() { return ncclGetLastError(nullptr); }

  PendingPart &part_;
  const blinkComm_t blink_;
  blinkComm_t &made_;
  std::vector<size_t> members_;
  int newRank_ = 0;
  std::string why_;
};

/// Frees a communicator that was made although another rank's was not.
void drop(ncclComm &comm) {
  if (comm.blink)
    blinkCommAbort(std::exchange(comm.blink, nullptr));
  if (comm.innerComm)
    comm.fallback().call("ncclCommAbort", comm.innerComm);
}

} // namespace

ncclResult_t makeParts(std::vector<PendingPart> &parts) {
  std::vector<Making> makings(parts.begin(), parts.end());
  std::vector<ncclResult_t> results(parts.size(), ncclSuccess);
  atOnce(parts.size(), [&](size_t i) {
    results[i] = guarded([&] { return makings[i].run(); });
  });
  ncclResult_t result = ncclSuccess;
  for (size_t i = 0; i < parts.size(); ++i)
    if (result == ncclSuccess && results[i] != ncclSuccess)
      result = fail(results[i], makings[i].why());
  for (PendingPart &part : parts) {
    ncclComm &comm = *part.comm;
    if (result != ncclSuccess)
      drop(comm);
    const bool made = result == ncclSuccess && (comm.blink || comm.innerComm);
    *part.result = made ? part.comm.release() : nullptr;
  }
  return result;
}

} // namespace blink::nccl
