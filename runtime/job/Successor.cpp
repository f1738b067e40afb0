//===- Successor.cpp - a job of some ranks of another ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Successor.h"

#include "runtime/job/Rendezvous.h"
#include "runtime/job/UniqueId.h"
#include "runtime/plan/Servers.h"

#include <algorithm>

namespace blink::runtime {

Successor::Successor(Backend &old, std::vector<int> ranks,
                     const SuccessorSettings &settings)
    : old_(old), ranks_(std::move(ranks)) {
  const JobGpus &gpus = old.plan().gpus;
  request_.files = old.plan().files;
  request_.numRanks = int(ranks_.size());
  request_.timeout =
      settings.timeout.count() ? settings.timeout : old.job().timeout();
  request_.slotBytes = old.origin().slotBytes;
  request_.order = old.plan().order;
  request_.withoutLink = settings.withoutLink.value_or(gpus.withoutLink);
  for (int rank : ranks_) {
    if (!gpus.numbers.empty())
      request_.gpus.push_back(gpus.numbers[rank]);
    if (!gpus.hosts.empty())
      request_.hosts.push_back(gpus.hosts[rank]);
    if (!old.origin().devices.empty())
      request_.devices.push_back(old.origin().devices[rank]);
  }
}

Status Successor::checkPrograms() const {
  ProgramLookup lookup;
  const Status status = lookUpPrograms(
      request_.files, request_.numRanks,
      {request_.gpus, request_.withoutLink, request_.hosts}, lookup);
  return status.ok() ? Servers().find(lookup.programs, request_.numRanks,
                                      request_.hosts)
                     : status;
}

Status Successor::makeId(blinkUniqueId &id) const {
  // Across servers, process ids say nothing, but the secret does that only the
  // old job's ranks know.
  const Secret *secret = old_.job().secret();
  std::vector<uint64_t> processes;
  for (int rank : ranks_)
    if (!secret)
      processes.push_back(old_.job().processOf(rank));
  return makeUniqueId(id, request_.timeout, processes, secret);
}

Status Successor::join(const blinkUniqueId &id, int rank,
                       const std::function<Status()> &ended,
                       std::shared_ptr<Backend> &result) const {
  BackendRequest request = request_;
  request.id = id;
  if (const Secret *secret = old_.job().secret()) {
    IdContent content;
    if (Status status = readId(id, content); !status.ok())
      return status;
    content.deriveSecret(*secret);
    request.id = idOf(content);
  }
  request.rank =
      int(std::find(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
  request.device =
      request_.devices.empty() ? -1 : request_.devices[request.rank];
  request.devices.clear();
  request.peerFailure = ended;
  return createBackend(old_.entry(), request, result);
}

Status Successor::makeForAll(uint64_t attempt) const {
  std::shared_ptr<Backend> backend;
  Status status = createBackend(old_.entry(), request_, backend);
  Handovers &state = old_.handovers();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.byMaker[ranks_.front()] = {attempt, status, std::move(backend),
                                   ranks_.size()};
  return status;
}

Status Successor::takeOver(uint64_t attempt, size_t takers, Status status,
                           std::shared_ptr<Backend> &result) const {
  Handovers &state = old_.handovers();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.byMaker.find(ranks_.front());
  if (found != state.byMaker.end() && found->second.attempt == attempt) {
    Handover &handover = found->second;
    if (!handover.status.ok())
      return handover.status; // more helpful than that the maker gave up
    if (status.ok()) {
      result = handover.backend;
      handover.left -= takers;
    }
    if (!status.ok() || handover.left == 0)
      handover.backend = nullptr; // a failure is one for all ranks
  }
  if (status.ok() && !result)
    return {blinkRemoteError,
            "a rank has shrunk or split the communicator once more"};
  return status;
}

} // namespace blink::runtime
