//===- Config.cpp - reading a blinkConfig_t -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Config.h"

#include "schedules/MachineLimits.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace blink::runtime {
namespace {

/// Copies `config` to `full`, with defaults for what the caller does not give:
/// programs compiled with an older header have fewer fields.
Status complete(const blinkConfig_t *config, blinkConfig_t &full) {
  full = BLINK_CONFIG_INITIALIZER;
  if (!config)
    return {};
  constexpr size_t kFirstSize = offsetof(blinkConfig_t, gpus);
  if (config->size < kFirstSize || config->size > sizeof(full) ||
      config->size % alignof(blinkConfig_t) != 0)
    return Status(blinkInvalidArgument, "the size of the config is ",
                  config->size, ": start from BLINK_CONFIG_INITIALIZER");
  std::memcpy(&full, config, config->size);
  if (full.timeoutMs < 0)
    return {blinkInvalidArgument, "timeoutMs is negative"};
  if (full.blocking != 0 && full.blocking != 1)
    return Status(blinkInvalidArgument, "blocking is ", full.blocking,
                  ", expected 0 or 1");
  return {};
}

Status readTimeout(int timeoutMs, std::chrono::milliseconds &timeout) {
  constexpr int kDefaultMs = 30000;
  long ms = timeoutMs;
  const char *text = std::getenv("BLINK_TIMEOUT_MS");
  if (ms == 0 && text) {
    char *end = nullptr;
    ms = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || ms <= 0 || ms > INT32_MAX)
      return {blinkInvalidArgument,
              "BLINK_TIMEOUT_MS is '" + std::string(text) +
                  "', expected milliseconds from 1 to 2147483647"};
  }
  timeout = std::chrono::milliseconds(ms != 0 ? ms : kDefaultMs);
  return {};
}

Status readSlotBytes(uint64_t asked, uint64_t &slotBytes) {
  slotBytes = asked;
  const char *text = std::getenv("BLINK_SLOT_BYTES");
  if (asked != 0 || !text)
    return {};
  char *end = nullptr;
  errno = 0;
  slotBytes = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 ||
      slotBytes == 0)
    return {blinkInvalidArgument, "BLINK_SLOT_BYTES is '" + std::string(text) +
                                      "', expected a number of bytes"};
  return {};
}

/// Sets `order` to the one asked for, or else to BLINK_ORDER.
Status readOrder(blinkOrder_t asked, sched::ReductionOrder &order) {
  using sched::ReductionOrder;
  constexpr ReductionOrder kOrders[] = {
      ReductionOrder::none, ReductionOrder::invariant, ReductionOrder::rank};
  if (asked < blinkOrderDefault || asked > blinkOrderRank)
    return Status(blinkInvalidArgument, "unknown order ", int(asked),
                  " of sums");
  order = ReductionOrder::none;
  if (asked != blinkOrderDefault) {
    order = kOrders[asked - blinkOrderNone];
    return {};
  }
  const char *text = std::getenv("BLINK_ORDER");
  if (!text)
    return {};
  for (ReductionOrder known : kOrders)
    if (std::strcmp(text, sched::EnumNameReductionOrder(known)) == 0) {
      order = known;
      return {};
    }
  return {blinkInvalidArgument, "BLINK_ORDER is '" + std::string(text) +
                                    "', expected none, invariant or rank"};
}

} // namespace

Status readConfig(const blinkConfig_t *config, const BackendEntry *&entry,
                  BackendRequest &request, bool *blocking) {
  // Checked here because lists of all ranks are allocated before any schedule
  // is looked at.
  if (request.numRanks > int(sched::kMostNodes))
    return Status(blinkInvalidArgument, "nranks is ", request.numRanks,
                  ", machines have at most ", sched::kMostNodes, " GPUs");
  blinkConfig_t full;
  Status status = complete(config, full);
  if (!status.ok())
    return status;
  if (full.gpus)
    request.gpus.assign(full.gpus, full.gpus + request.numRanks);
  if (full.withoutLink)
    request.withoutLink = full.withoutLink;
  if (full.hosts)
    request.hosts.assign(full.hosts, full.hosts + request.numRanks);
  if (blocking)
    *blocking = full.blocking;
  entry = findBackend(full.backend);
  if (!entry)
    return {blinkInvalidArgument,
            "unknown back end " + std::to_string(int(full.backend))};
  status = readSlotBytes(full.slotBytes, request.slotBytes);
  if (status.ok())
    status = readOrder(full.order, request.order);
  return status.ok() ? readTimeout(full.timeoutMs, request.timeout) : status;
}

Status readShrink(const blinkComm &comm, const int *excluded, int count,
                  const blinkConfig_t *config, ShrinkRequest &request) {
  const int numRanks = comm.backend->plan().numRanks;
  if (count < 0 || (count > 0 && !excluded))
    return {blinkInvalidArgument, "excludeCount is negative, or excludeRanks "
                                  "is NULL"};
  for (int i = 0; i < count; ++i) {
    if (excluded[i] < 0 || excluded[i] >= numRanks)
      return Status(blinkInvalidArgument, "excludes rank ", excluded[i], " of ",
                    numRanks);
    if (excluded[i] == comm.rank)
      return Status(blinkInvalidArgument, "rank ", comm.rank,
                    " is excluded: the ranks that remain call, the others not");
    request.excluded.push_back(excluded[i]);
  }
  std::sort(request.excluded.begin(), request.excluded.end());
  auto twice =
      std::adjacent_find(request.excluded.begin(), request.excluded.end());
  if (twice != request.excluded.end())
    return {blinkInvalidArgument,
            "excludes rank " + std::to_string(*twice) + " twice"};
  return readSuccessor(config, request.settings);
}

Status readSuccessor(const blinkConfig_t *config, SuccessorSettings &settings) {
  blinkConfig_t full;
  Status status = complete(config, full);
  if (!status.ok())
    return status;
  settings.timeout = std::chrono::milliseconds(full.timeoutMs);
  if (full.withoutLink)
    settings.withoutLink = full.withoutLink;
  return {};
}

} // namespace blink::runtime
