//===- Barriers.cpp - barriers of torch.distributed -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Backend.h"
#include "runtime/bindings/torch/Errors.h"

#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>

namespace blink::pytorch {

using WorkPtr = Backend::WorkPtr;

WorkPtr Backend::barrier(const c10d::BarrierOptions &options) {
  c10::Device device(at::kCPU);
  if (!options.device_ids.empty())
    device = c10::Device(at::kCUDA, c10::DeviceIndex(options.device_ids[0]));
  else if (options.device)
    device = *options.device;
  else if (getBoundDeviceId())
    device = *getBoundDeviceId();
  const at::Tensor nothing =
      at::zeros({1}, at::TensorOptions(at::kByte).device(device));
  const Reduction how = reductionOf(c10d::ReduceOp::SUM, nothing);
  Operation operation{c10d::OpType::BARRIER,
                      "blink:barrier",
                      options.asyncOp,
                      nothing.device(),
                      {nothing},
                      {nothing},
                      [nothing, how](const Site &site) -> After {
                        site.allReduce(nothing, how);
                        return nullptr;
                      }};
  if (options.timeout != c10d::kUnsetTimeout &&
      options.timeout < options_->timeout)
    operation.limit = options.timeout;
  return run(std::move(operation));
}

/// Works through the store, not through the communicator: a rank that does not
/// come is found without breaking anything, and the barrier ends even if a rank
/// is stuck elsewhere.
void Backend::monitoredBarrier(const c10d::BarrierOptions &options,
                               bool waitAllRanks) {
  checkUsable();
  const auto timeout = options.timeout == c10d::kUnsetTimeout
                           ? options_->timeout
                           : options.timeout;
  const auto store = store_->clone();
  const std::string round =
      "blink/monitored_barrier/" + std::to_string(monitored_++) + "/";
  const std::string here = "Rank " + std::to_string(rank_);
  if (timeout.count() <= 0)
    raise(here + " timed out in monitoredBarrier after 0 ms");
  // Rank 0 may come as late as any other rank, and only then waits for the
  // others.
  const auto patience =
      rank_ == 0 ? timeout : 2 * timeout + std::chrono::seconds(1);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto waitFor = [&](const std::string &key) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    try {
      store->wait({key}, std::max(left, std::chrono::milliseconds(1)));
      return true;
    } catch (const std::exception &) {
      return false;
    }
  };

  if (rank_ != 0) {
    store->set(round + std::to_string(rank_), std::vector<uint8_t>{1});
    if (!waitFor(round + "end"))
      raise(here + " timed out in monitoredBarrier after " +
            std::to_string(patience.count()) + " ms");
    if (const auto verdict = store->get(round + "end"); !verdict.empty())
      raise(here +
            " successfully reached monitoredBarrier, but received errors "
            "while waiting for send/recv from rank 0: " +
            std::string(verdict.begin(), verdict.end()));
    return;
  }
  std::string missing;
  int count = 0;
  for (int rank = 1; rank < size_ && (count == 0 || waitAllRanks); ++rank)
    if (!waitFor(round + std::to_string(rank))) {
      missing += (count++ ? ", " : "") + std::to_string(rank);
    }
  std::string verdict;
  if (count)
    verdict = (waitAllRanks ? "Ranks " : "Rank ") + missing +
              " failed to pass monitoredBarrier in " +
              std::to_string(timeout.count()) + " ms";
  store->set(round + "end",
             std::vector<uint8_t>(verdict.begin(), verdict.end()));
  if (count)
    raise(verdict);
}

} // namespace blink::pytorch
