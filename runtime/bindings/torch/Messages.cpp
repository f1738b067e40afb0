//===- Messages.cpp - send, receive, and exchanges of any sizes -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On the host, messages have tags and threads of their own (HostMessages.h). On
// GPUs they have no tags, as in NCCL, and a stream for each peer and direction;
// those of a coalesced group are one kernel.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Arguments.h"
#include "runtime/bindings/torch/Backend.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty_like.h>

namespace blink::pytorch {

using c10d::OpType;
using WorkPtr = Backend::WorkPtr;

namespace {

/// Returns a contiguous tensor with the same elements; copies them, in whatever
/// thread, if necessary.
at::Tensor readable(const at::Tensor &tensor) {
  const at::AutoDispatchBelowADInplaceOrView noHistory;
  return tensor.resolve_conj().resolve_neg().contiguous();
}
at::Tensor writable(const at::Tensor &tensor) {
  return tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg()
             ? tensor
             : at::empty_like(tensor, at::MemoryFormat::Contiguous);
}
void store(const at::Tensor &written, const at::Tensor &tensor) {
  const at::AutoDispatchBelowADInplaceOrView noHistory;
  if (!written.is_same(tensor))
    tensor.copy_(written);
}

/// Returns a function that copies the elements to where they belong, if
/// necessary, and then calls `done`.
HostMessages::Done storingThen(const at::Tensor &written,
                               const at::Tensor &tensor,
                               HostMessages::Done done) {
  if (written.is_same(tensor))
    return done;
  return [=](std::exception_ptr error, int peer) {
    if (!error)
      store(written, tensor);
    done(error, peer);
  };
}

/// Splits a tensor along its first dimension.
Tensors splitRows(const at::Tensor &tensor, const std::vector<int64_t> &rows,
                  int size, const char *what) {
  const at::AutoDispatchBelowADInplaceOrView noHistory;
  if (rows.empty()) {
    TORCH_CHECK(tensor.dim() > 0 && tensor.size(0) % size == 0, what,
                ": the first dimension is not a multiple of ", size,
                ", the group's size");
    Tensors parts;
    const int64_t each = tensor.size(0) / size;
    for (int rank = 0; rank < size; ++rank)
      parts.push_back(tensor.narrow(0, rank * each, each));
    return parts;
  }
  TORCH_CHECK(int(rows.size()) == size, what, ": there are ", rows.size(),
              " split sizes: expected one a rank, ", size);
  Tensors parts;
  int64_t begin = 0;
  for (const int64_t count : rows) {
    TORCH_CHECK(count >= 0 && tensor.dim() > 0 &&
                    begin + count <= tensor.size(0),
                what, ": split sizes do not add up to the first dimension");
    parts.push_back(tensor.narrow(0, begin, count));
    begin += count;
  }
  TORCH_CHECK(begin == tensor.size(0), what,
              ": split sizes do not add up to the first dimension");
  return parts;
}

} // namespace

/// Runs a message on the host. In a coalesced group it is waited for together
/// with the others.
WorkPtr
Backend::hostMessage(const Operation &operation,
                     const std::function<void(HostMessages::Done)> &begin) {
  checkUsable();
  const auto work =
      c10::make_intrusive<HostWork>(operation, rank_, sequence_++);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (coalesced_)
      coalesced_->messages.push_back(work);
  }
  begin([work](std::exception_ptr error, int peer) {
    work->setSource(peer);
    work->complete(error);
  });
  return work;
}

/// Runs a message on a GPU.
WorkPtr Backend::gpuMessage(Operation operation, int stream) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (coalesced_) {
      coalesced_->operations.push_back(std::move(operation));
      return {};
    }
  }
  checkUsable();
  std::vector<Operation> operations;
  operations.push_back(std::move(operation));
  return runOnGpu(std::move(operations), stream);
}

WorkPtr Backend::send(Tensors &tensors, int peer, int tag) {
  const at::Tensor tensor = onlyTensor(tensors, "send");
  rankOf(peer, size_, "send");
  TORCH_CHECK(peer != rank_, "send: rank ", peer, " is this rank");
  Operation operation{OpType::SEND, "blink:send", true, tensor.device(),
                      {tensor},     {},           {}};
  operation.calls = [tensor, peer](const Site &site) -> After {
    const Pieces whole({tensor}, true, tensor.scalar_type());
    site.send(whole.whole(), peer);
    return whole.keeping();
  };
  if (keepForEstimate(operation))
    return {};
  if (tensor.is_cpu())
    return hostMessage(operation, [&](HostMessages::Done done) {
      host_->messages->send(peer, tag, readable(tensor), std::move(done));
    });
  return gpuMessage(std::move(operation), 2 * peer);
}

WorkPtr Backend::recv(Tensors &tensors, int peer, int tag) {
  const at::Tensor tensor = onlyTensor(tensors, "recv");
  rankOf(peer, size_, "recv");
  TORCH_CHECK(peer != rank_, "recv: rank ", peer, " is this rank");
  Operation operation{OpType::RECV, "blink:recv", true, tensor.device(),
                      {},           {tensor},     {}};
  operation.calls = [tensor, peer](const Site &site) -> After {
    const Pieces whole({tensor}, false, tensor.scalar_type());
    site.receive(whole.whole(), peer);
    return whole.storing();
  };
  if (keepForEstimate(operation))
    return {};
  if (tensor.is_cpu())
    return hostMessage(operation, [&](HostMessages::Done done) {
      const at::Tensor into = writable(tensor);
      host_->messages->receive(peer, tag, into,
                               storingThen(into, tensor, std::move(done)));
    });
  return gpuMessage(std::move(operation), 2 * peer + 1);
}

WorkPtr Backend::recvAnysource(Tensors &tensors, int tag) {
  const at::Tensor tensor = onlyTensor(tensors, "recv");
  TORCH_CHECK(tensor.is_cpu(), "recv: only tensors of the host are received "
                               "from any rank: name the source");
  const Operation operation{OpType::RECVANYSOURCE,
                            "blink:recvAnySource",
                            true,
                            tensor.device(),
                            {},
                            {tensor},
                            {}};
  return hostMessage(operation, [&](HostMessages::Done done) {
    const at::Tensor into = writable(tensor);
    host_->messages->receiveAny(tag, into, options_->timeout,
                                storingThen(into, tensor, std::move(done)));
  });
}

WorkPtr Backend::alltoall_base(at::Tensor &output, at::Tensor &input,
                               std::vector<int64_t> &outputSplits,
                               std::vector<int64_t> &inputSplits,
                               const c10d::AllToAllOptions &options) {
  constexpr const char *what = "all_to_all_single";
  checkTensors({output, input}, what);
  TORCH_CHECK(output.scalar_type() == input.scalar_type(), what,
              ": tensors are of types ", input.scalar_type(), " and ",
              output.scalar_type());
  // No rank can know whether all parts are equal everywhere. Without split
  // sizes, all ranks state that they are.
  if (!outputSplits.empty() || !inputSplits.empty())
    return exchange(OpType::ALLTOALL_BASE, options.asyncOp,
                    splitRows(output, outputSplits, size_, what),
                    splitRows(input, inputSplits, size_, what), {output});
  checkWholes({output}, {input}, 1, what);
  TORCH_CHECK(input.dim() > 0 && input.size(0) % size_ == 0, what,
              ": the first dimension is not a multiple of ", size_,
              ", the group's size");
  return run({OpType::ALLTOALL_BASE,
              "blink:all_to_all",
              options.asyncOp,
              input.device(),
              {input},
              {output},
              [output, input, size = size_](const Site &site) -> After {
                const at::ScalarType type = input.scalar_type();
                const Pieces in({input}, true, type);
                const Pieces out({output}, false, type);
                site.allToAll(in.whole(), out.whole(), size);
                return out.storing(in);
              }});
}

WorkPtr Backend::alltoall(Tensors &outputs, Tensors &inputs,
                          const c10d::AllToAllOptions &options) {
  constexpr const char *what = "all_to_all";
  checkTensors(inputs, what);
  onlyList({inputs}, inputs[0], size_, what);
  onlyList({outputs}, inputs[0], size_, what);
  return exchange(OpType::ALLTOALL, options.asyncOp, outputs, inputs, outputs);
}

/// Part p of `inputs` goes to rank p; part p of `outputs` comes from it.
WorkPtr Backend::exchange(OpType type, bool isAsync, Tensors outputs,
                          Tensors inputs, Tensors results) {
  TORCH_CHECK(outputs[rank_].numel() == inputs[rank_].numel(),
              "all_to_all: this rank sends itself ", inputs[rank_].numel(),
              " elements and receives ", outputs[rank_].numel());
  Operation operation{type,   "blink:all_to_all", isAsync, inputs[0].device(),
                      inputs, std::move(results), {}};
  operation.calls = [outputs, inputs, rank = rank_](const Site &site) -> After {
    std::vector<Pieces> pieces;
    CallGroup group;
    for (int peer = 0; peer < int(inputs.size()); ++peer) {
      if (peer == rank)
        continue;
      const at::ScalarType type = inputs[peer].scalar_type();
      pieces.emplace_back(Tensors{inputs[peer]}, true, type);
      site.send(pieces.back().whole(), peer);
      pieces.emplace_back(Tensors{outputs[peer]}, false, type);
      site.receive(pieces.back().whole(), peer);
    }
    group.end();
    return [outputs, inputs, rank, others = storingSecond(std::move(pieces))] {
      outputs[rank].copy_(inputs[rank].view_as(outputs[rank]));
      if (others)
        others();
    };
  };
  if (!inputs[0].is_cpu())
    return run(std::move(operation));
  if (keepForEstimate(operation))
    return {};
  return exchangeOnHost(operation, outputs, inputs);
}

/// Sends the parts as messages with a tag that no others have, so that these
/// and the caller's own messages may come in any order.
WorkPtr Backend::exchangeOnHost(const Operation &operation,
                                const Tensors &outputs, const Tensors &inputs) {
  checkUsable();
  const int64_t tag = -1 - int64_t(exchanges_++);
  const auto whole =
      c10::make_intrusive<HostWork>(operation, rank_, sequence_++);
  std::vector<HostWorkPtr> parts;
  const auto add = [&](const std::function<void(HostMessages::Done)> &begin) {
    const auto part = c10::make_intrusive<HostWork>(
        Operation{operation.type, nullptr, true, operation.device, {}, {}, {}},
        rank_, 0);
    parts.push_back(part);
    begin([part](std::exception_ptr error, int) { part->complete(error); });
  };
  store(readable(inputs[rank_]).view_as(outputs[rank_]), outputs[rank_]);
  for (int i = 1; i < size_; ++i) {
    const int to = (rank_ + i) % size_, from = (rank_ + size_ - i) % size_;
    if (inputs[to].numel() != 0)
      add([&](HostMessages::Done done) {
        host_->messages->send(to, tag, readable(inputs[to]), std::move(done));
      });
    if (outputs[from].numel() != 0)
      add([&](HostMessages::Done done) {
        const at::Tensor into = writable(outputs[from]);
        host_->messages->receive(
            from, tag, into, storingThen(into, outputs[from], std::move(done)));
      });
  }
  join(whole, parts);
  return whole;
}

} // namespace blink::pytorch
