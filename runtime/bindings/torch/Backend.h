//===- Backend.h - torch.distributed's back end `blink` ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One object serves tensors of the host and of GPUs, with communicators of its
// own for each device. These are made when they are first needed, except the
// host's, which all ranks begin to make at once: two of them can then send
// messages before all have called a collective.
//
// Methods check their arguments and describe what is to be done as an Operation
// (Collectives.cpp, Messages.cpp). Running an Operation is the same for all of
// them (Run.cpp): in a queue on the host, in streams on GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_BACKEND_H
#define BLINK_RUNTIME_BINDINGS_TORCH_BACKEND_H

#include "runtime/bindings/torch/CallQueue.h"
#include "runtime/bindings/torch/Communicator.h"
#include "runtime/bindings/torch/HostMessages.h"
#include "runtime/bindings/torch/HostWork.h"
#include "runtime/bindings/torch/Operation.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <map>
#include <optional>

namespace blink::pytorch {

class Backend final : public c10d::Backend {
public:
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;
  using TensorLists = std::vector<Tensors>;

  /// All ranks of the group make one, with the same store. The constructor
  /// waits for no rank but rank 0.
  Backend(const c10::intrusive_ptr<c10d::Store> &store, int rank, int size,
          c10::intrusive_ptr<Options> options);
  /// Makes the back end of the ranks that remain of `whole` without some.
  Backend(Backend &whole, const std::vector<int> &excluded,
          c10::intrusive_ptr<Options> options);
  ~Backend() override;

  const std::string getBackendName() const override { return "blink"; }
  c10::intrusive_ptr<Options> getBackendOptions() override { return options_; }

  // Collectives.cpp
  WorkPtr broadcast(Tensors &tensors,
                    const c10d::BroadcastOptions &options) override;
  WorkPtr allreduce(Tensors &tensors,
                    const c10d::AllreduceOptions &options) override;
  WorkPtr
  allreduce_coalesced(Tensors &tensors,
                      const c10d::AllreduceCoalescedOptions &options) override;
  WorkPtr reduce(Tensors &tensors, const c10d::ReduceOptions &options) override;
  WorkPtr allgather(TensorLists &outputs, Tensors &inputs,
                    const c10d::AllgatherOptions &options) override;
  WorkPtr _allgather_base(at::Tensor &output, at::Tensor &input,
                          const c10d::AllgatherOptions &options) override;
  WorkPtr allgather_coalesced(TensorLists &outputs, Tensors &inputs,
                              const c10d::AllgatherOptions &options) override;
  WorkPtr allgather_into_tensor_coalesced(
      Tensors &outputs, Tensors &inputs,
      const c10d::AllgatherOptions &options) override;
  WorkPtr gather(TensorLists &outputs, Tensors &inputs,
                 const c10d::GatherOptions &options) override;
  WorkPtr gather_into_tensor(at::Tensor &output, at::Tensor &input,
                             const c10d::GatherOptions &options) override;
  WorkPtr scatter(Tensors &outputs, TensorLists &inputs,
                  const c10d::ScatterOptions &options) override;
  WorkPtr reduce_scatter(Tensors &outputs, TensorLists &inputs,
                         const c10d::ReduceScatterOptions &options) override;
  WorkPtr
  _reduce_scatter_base(at::Tensor &output, at::Tensor &input,
                       const c10d::ReduceScatterOptions &options) override;
  WorkPtr reduce_scatter_tensor_coalesced(
      Tensors &outputs, Tensors &inputs,
      const c10d::ReduceScatterOptions &options) override;

  // Sparse.cpp
  WorkPtr allreduce_sparse(Tensors &tensors,
                           const c10d::AllreduceOptions &options) override;

  // Messages.cpp
  WorkPtr send(Tensors &tensors, int peer, int tag) override;
  WorkPtr recv(Tensors &tensors, int peer, int tag) override;
  WorkPtr recvAnysource(Tensors &tensors, int tag) override;
  WorkPtr alltoall_base(at::Tensor &output, at::Tensor &input,
                        std::vector<int64_t> &outputSplits,
                        std::vector<int64_t> &inputSplits,
                        const c10d::AllToAllOptions &options) override;
  WorkPtr alltoall(Tensors &outputs, Tensors &inputs,
                   const c10d::AllToAllOptions &options) override;

  // Barriers.cpp
  WorkPtr barrier(const c10d::BarrierOptions &options) override;
  void monitoredBarrier(const c10d::BarrierOptions &options,
                        bool waitAllRanks) override;

  // Run.cpp
  bool supportsCoalescing() const override { return true; }
  void startCoalescing() override;
  WorkPtr endCoalescing() override;
  uint64_t getSequenceNumberForGroup() override { return sequence_; }

  bool supportsTimeEstimation() const override { return true; }
  void startTimeEstimate() override;
  float endTimeEstimate() override;

  // Life.cpp
  void setTimeout(std::chrono::milliseconds timeout) override;
  void setBoundDeviceId(std::optional<at::Device> device) override;
  void eagerConnectSingleDevice(at::Device device) override;
  bool supportsSplitting() const override { return true; }
  c10::intrusive_ptr<c10d::Backend>
  split(const c10::intrusive_ptr<c10d::Store> &store,
        const std::vector<int> &ranks,
        const c10::intrusive_ptr<Options> &options) override;
  bool supportsShrinking() const override { return true; }
  c10::intrusive_ptr<c10d::Backend>
  shrink(const std::vector<int64_t> &excluded, int flags,
         const c10::intrusive_ptr<Options> &options) override;
  void abort() override;
  void shutdown() override;
  c10d::ErrorType getError() override;

private:
  /// For tensors of the host.
  struct Host {
    std::shared_ptr<Communicator> communicator; ///< null: a group of one rank
    std::shared_ptr<CallQueue> calls = std::make_shared<CallQueue>();
    std::unique_ptr<HostMessages> messages;
  };
  /// For tensors of a GPU.
  struct Gpu {
    std::shared_ptr<Communicator> communicator; ///< null: a group of one rank
    c10::Stream calls;
    std::map<int, c10::Stream> messages; ///< by peer and direction
  };
  /// The operations between startCoalescing() and endCoalescing().
  struct Coalesced {
    std::vector<Operation> operations;
    std::vector<HostWorkPtr> messages; ///< on the host
  };

  /// Returns true if the operation is kept for endTimeEstimate(), which runs
  /// nothing.
  bool keepForEstimate(const Operation &operation);
  /// Runs the operation, or keeps it for endCoalescing().
  WorkPtr run(Operation operation);
  WorkPtr runAll(std::vector<Operation> operations);
  WorkPtr runOnHost(std::vector<Operation> operations);
  WorkPtr runOnGpu(std::vector<Operation> operations,
                   std::optional<int> messageStream = std::nullopt);
  Gpu &gpu(c10::Device device, bool mayMeet);
  Meeting meeting(const std::string &what) const;
  void checkUsable() const;

  WorkPtr allgatherInto(c10d::OpType type, const Tensors &outputs,
                        const Tensors &inputs, bool isAsync);
  WorkPtr reduceScatterFrom(c10d::OpType type, const Tensors &outputs,
                            const Tensors &inputs,
                            const c10d::ReduceScatterOptions &options);
  WorkPtr exchange(c10d::OpType type, bool isAsync, Tensors outputs,
                   Tensors inputs, Tensors results);
  WorkPtr exchangeOnHost(const Operation &operation, const Tensors &outputs,
                         const Tensors &inputs);
  WorkPtr hostMessage(const Operation &operation,
                      const std::function<void(HostMessages::Done)> &begin);
  WorkPtr gpuMessage(Operation operation, int stream);
  void endAll(bool isAbort);

  const c10::intrusive_ptr<c10d::Store> store_;
  const c10::intrusive_ptr<Options> options_;
  const pid_t process_;
  std::atomic<uint64_t> sequence_{0};
  std::atomic<uint64_t> exchanges_{0}; ///< of messages on the host
  std::atomic<uint64_t> monitored_{0}; ///< barriers
  std::atomic<uint64_t> shrunk_{0};    ///< how often the group was shrunk
  std::atomic<bool> isEnded_{false};
  std::unique_ptr<Host> host_;
  /// Held by the thread that makes calls on a GPU, also while it waits for
  /// other ranks to join. Locked before mutex_.
  std::mutex gpuCalls_;
  std::mutex mutex_;        ///< guards the rest; held for moments
  std::map<int, Gpu> gpus_; ///< to add one, hold gpuCalls_, too
  std::optional<Coalesced> coalesced_;
  std::optional<std::vector<Operation>> estimated_;
};

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_BACKEND_H
