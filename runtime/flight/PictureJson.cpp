//===- PictureJson.cpp - pictures for programs ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The text consists of numbers and of Blink's own words, so nothing has to be
// escaped. Written without a JSON library, because the runtime has none.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/PictureText.h"
#include "runtime/plan/Types.h"
#include "schedules/Collectives.h"
#include "schedules/Text.h"

#include <cstdio>

namespace blink::runtime {
namespace {

std::string quote(const std::string &text) { return '"' + text + '"'; }

/// Returns the elements in brackets, separated by commas.
template <typename List, typename Format>
std::string listOf(const List &list, const Format &format) {
  std::string text = "[";
  for (const auto &one : list)
    text += (text.size() == 1 ? "" : ",") + format(one);
  return text + "]";
}

const char *stateOf(Liveness liveness) {
  static constexpr const char *kNames[] = {"unknown", "runs", "stopped",
                                           "dead"};
  return kNames[size_t(liveness)];
}

std::string callOf(const CallPicture &call) {
  std::string text =
      textOf("{\"number\":", call.number, ",\"collective\":",
             quote(sched::EnumNameCollective(call.kind.collective)),
             ",\"count\":", call.kind.count,
             ",\"type\":", quote(nameOf(call.kind.type)));
  if (sched::isReduction(call.kind.collective))
    text += ",\"operator\":" + quote(nameOf(call.kind.op));
  if (sched::isRooted(call.kind.collective))
    text += textOf(",\"root\":", call.kind.root);
  if (call.isMessage())
    text += textOf(",\"peer\":", call.peer,
                   ",\"direction\":", quote(call.send ? "send" : "receive"));
  text += textOf(",\"variant\":", call.variant, ",\"enqueued\":", call.enqueued,
                 ",\"started\":", call.started);
  if (!call.underWay())
    text += textOf(",\"ended\":", call.ended, ",\"result\":", int(call.result));
  return text + "}";
}

std::string waitOf(const WaitPicture &wait) {
  return textOf("{\"in\":", quote(wait.message ? "message" : "collective"),
                ",\"call\":", wait.call, ",\"lane\":", wait.lane,
                ",\"step\":", wait.step, ",\"channel\":", wait.channel,
                ",\"for\":", quote(wait.reading ? "chunk" : "slot"),
                ",\"peer\":", wait.peer, ",\"expected\":", wait.expected,
                ",\"seen\":", wait.seen, ",\"since\":", wait.since, "}");
}

std::string rankOf(size_t number, const RankPicture &rank, bool history) {
  std::string text = textOf("{\"rank\":", number,
                            ",\"known\":", rank.known ? "true" : "false");
  if (!rank.known)
    return text + "}";
  const auto calls = [&](const std::vector<CallPicture> &all) {
    std::vector<CallPicture> kept;
    for (const CallPicture &call : all)
      if (history || call.underWay() || &call == &all.back())
        kept.push_back(call);
    return listOf(kept, callOf);
  };
  return text + textOf(",\"process\":", rank.process,
                       ",\"state\":", quote(stateOf(rank.liveness)),
                       ",\"inCall\":", rank.inCall() ? "true" : "false",
                       ",\"collectives\":", rank.collectives,
                       ",\"messages\":", rank.messages,
                       ",\"waits\":", listOf(rank.waits, waitOf),
                       ",\"waitedFor\":",
                       listOf(rank.waitedFor,
                              [](uint64_t ns) { return std::to_string(ns); }),
                       ",\"calls\":", calls(rank.calls),
                       ",\"messageCalls\":", calls(rank.sent),
                       ",\"launched\":", listOf(rank.launched, callOf), "}");
}

} // namespace

std::string toJson(const JobPicture &job, const Diagnosis &found,
                   bool history) {
  char number[24];
  std::snprintf(number, sizeof(number), "%016llx",
                static_cast<unsigned long long>(job.job));
  std::string ranks = "[";
  for (size_t rank = 0; rank < job.ranks.size(); ++rank)
    ranks += (rank ? "," : "") + rankOf(rank, job.ranks[rank], history);
  return textOf(
      "{\"format\":\"blink-picture\",\"version\":1,\"job\":", quote(number),
      ",\"backend\":", quote(job.backend == blinkBackendHost ? "host" : "cuda"),
      ",\"timeoutMs\":", job.timeout, ",\"taken\":", job.taken,
      ",\"cause\":", quote(nameOf(found.cause)), ",\"culprits\":",
      listOf(found.culprits, [](int rank) { return std::to_string(rank); }),
      ",\"sentence\":", quote(found.sentence), ",\"ranks\":", ranks, "]}");
}

} // namespace blink::runtime
