//===- Collectives.cpp - the collectives of torch.distributed -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Arguments are checked when a method is called; elements are read only when
// the operation runs.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Arguments.h"
#include "runtime/bindings/torch/Backend.h"

#include <map>

namespace blink::pytorch {

using c10d::OpType;
using WorkPtr = Backend::WorkPtr;
using TensorLists = Backend::TensorLists;

WorkPtr Backend::broadcast(Tensors &tensors,
                           const c10d::BroadcastOptions &options) {
  const at::Tensor tensor = onlyTensor(tensors, "broadcast");
  const int root = rankOf(options.rootRank, size_, "broadcast");
  return run(
      {OpType::BROADCAST,
       "blink:broadcast",
       options.asyncOp,
       tensor.device(),
       {tensor},
       {tensor},
       [tensor, root, isRoot = root == rank_](const Site &site) -> After {
         const Pieces whole({tensor}, isRoot, tensor.scalar_type());
         site.broadcast(whole.whole(), root);
         return isRoot ? whole.keeping() : whole.storing();
       }});
}

WorkPtr Backend::allreduce(Tensors &tensors,
                           const c10d::AllreduceOptions &options) {
  if (tensors.size() == 1 && tensors[0].is_sparse())
    return allreduce_sparse(tensors, options);
  const at::Tensor tensor = onlyTensor(tensors, "all_reduce");
  const Reduction how = reductionOf(options.reduceOp, tensor);
  return run({OpType::ALLREDUCE,
              "blink:all_reduce",
              options.asyncOp,
              tensor.device(),
              {tensor},
              {tensor},
              [tensor, how](const Site &site) -> After {
                const Pieces whole({tensor}, true, how.computed);
                site.allReduce(whole.whole(), how);
                return whole.storing();
              }});
}

WorkPtr
Backend::allreduce_coalesced(Tensors &tensors,
                             const c10d::AllreduceCoalescedOptions &options) {
  checkTensors(tensors, "all_reduce_coalesced");
  // Tensors of one type are reduced as one message, because there may be many
  // small ones.
  std::map<at::ScalarType, Tensors> byType;
  std::vector<Reduction> hows;
  for (const at::Tensor &tensor : tensors)
    byType[tensor.scalar_type()].push_back(tensor);
  for (const auto &[type, some] : byType)
    hows.push_back(reductionOf(options.reduceOp, some[0]));
  return run({OpType::ALLREDUCE_COALESCED, "blink:all_reduce", options.asyncOp,
              tensors[0].device(), tensors, tensors,
              [byType, hows](const Site &site) -> After {
                std::vector<Pieces> pieces;
                CallGroup group;
                for (const auto &[type, some] : byType) {
                  const Reduction &how = hows[pieces.size()];
                  pieces.emplace_back(some, true, how.computed);
                  site.allReduce(pieces.back().whole(), how);
                }
                group.end();
                return storing(std::move(pieces));
              }});
}

WorkPtr Backend::reduce(Tensors &tensors, const c10d::ReduceOptions &options) {
  const at::Tensor tensor = onlyTensor(tensors, "reduce");
  const int root = rankOf(options.rootRank, size_, "reduce");
  const Reduction how = reductionOf(options.reduceOp, tensor);
  return run(
      {OpType::REDUCE,
       "blink:reduce",
       options.asyncOp,
       tensor.device(),
       {tensor},
       {tensor},
       [tensor, how, root, isRoot = root == rank_](const Site &site) -> After {
         const Pieces whole({tensor}, true, how.computed);
         site.reduce(whole.whole(), isRoot ? whole.whole() : at::Tensor(), how,
                     root);
         return isRoot ? whole.storing() : whole.keeping();
       }});
}

WorkPtr Backend::allgather(TensorLists &outputs, Tensors &inputs,
                           const c10d::AllgatherOptions &options) {
  const at::Tensor input = onlyTensor(inputs, "all_gather");
  const Tensors parts = onlyList(outputs, input, size_, "all_gather");
  TORCH_CHECK(parts[rank_].numel() == input.numel(),
              "all_gather: the input has ", input.numel(),
              " elements and this rank's output ", parts[rank_].numel());
  Operation operation{OpType::ALLGATHER,
                      "blink:all_gather",
                      options.asyncOp,
                      input.device(),
                      {input},
                      parts,
                      {}};
  if (haveOneSize(parts))
    operation.calls = [input, parts](const Site &site) -> After {
      const Pieces part({input}, true, input.scalar_type());
      const Pieces whole(parts, false, input.scalar_type());
      site.allGather(part.whole(), whole.whole());
      return whole.storing(part);
    };
  else // all ranks have the same list of sizes
    operation.calls = [input, parts, rank = rank_](const Site &site) -> After {
      std::vector<Pieces> pieces;
      CallGroup group;
      for (int root = 0; root < int(parts.size()); ++root) {
        const bool isOwn = root == rank;
        pieces.emplace_back(Tensors{isOwn ? input : parts[root]}, isOwn,
                            input.scalar_type());
        site.broadcast(pieces.back().whole(), root);
      }
      group.end();
      return [input, parts, rank, others = storing(std::move(pieces))] {
        parts[rank].copy_(input.view_as(parts[rank]));
        if (others)
          others();
      };
    };
  return run(std::move(operation));
}

WorkPtr Backend::_allgather_base(at::Tensor &output, at::Tensor &input,
                                 const c10d::AllgatherOptions &options) {
  Tensors outputs{output}, inputs{input};
  return allgatherInto(OpType::_ALLGATHER_BASE, outputs, inputs,
                       options.asyncOp);
}

WorkPtr Backend::allgather_into_tensor_coalesced(
    Tensors &outputs, Tensors &inputs, const c10d::AllgatherOptions &options) {
  return allgatherInto(OpType::ALLGATHER_INTO_TENSOR_COALESCED, outputs, inputs,
                       options.asyncOp);
}

WorkPtr Backend::allgatherInto(OpType type, const Tensors &outputs,
                               const Tensors &inputs, bool isAsync) {
  checkWholes(outputs, inputs, size_, "all_gather_into_tensor");
  return run({type, "blink:_all_gather_base", isAsync, inputs[0].device(),
              inputs, outputs, [outputs, inputs](const Site &site) -> After {
                std::vector<Pieces> pieces;
                CallGroup group;
                for (size_t i = 0; i < inputs.size(); ++i) {
                  const at::ScalarType type = inputs[i].scalar_type();
                  pieces.emplace_back(Tensors{inputs[i]}, true, type);
                  pieces.emplace_back(Tensors{outputs[i]}, false, type);
                  site.allGather(pieces[2 * i].whole(),
                                 pieces[2 * i + 1].whole());
                }
                group.end();
                return storingSecond(std::move(pieces));
              }});
}

WorkPtr Backend::allgather_coalesced(TensorLists &outputs, Tensors &inputs,
                                     const c10d::AllgatherOptions &options) {
  checkTensors(inputs, "all_gather_coalesced");
  TORCH_CHECK(int(outputs.size()) == size_,
              "all_gather_coalesced: there are outputs of ", outputs.size(),
              " ranks: expected ", size_);
  Tensors all;
  for (const Tensors &ofRank : outputs) {
    TORCH_CHECK(ofRank.size() == inputs.size(),
                "all_gather_coalesced: there are ", inputs.size(),
                " inputs and ", ofRank.size(), " outputs of a rank");
    for (size_t i = 0; i < inputs.size(); ++i)
      TORCH_CHECK(ofRank[i].numel() == inputs[i].numel() &&
                      ofRank[i].scalar_type() == inputs[i].scalar_type(),
                  "all_gather_coalesced: output ", i,
                  " has another size or type than the input");
    all.insert(all.end(), ofRank.begin(), ofRank.end());
  }
  return run({OpType::ALLGATHER_COALESCED, "blink:all_gather", options.asyncOp,
              inputs[0].device(), inputs, all,
              [outputs, inputs](const Site &site) -> After {
                std::vector<Pieces> pieces;
                CallGroup group;
                for (size_t i = 0; i < inputs.size(); ++i) {
                  Tensors parts;
                  for (const Tensors &ofRank : outputs)
                    parts.push_back(ofRank[i]);
                  const at::ScalarType type = inputs[i].scalar_type();
                  pieces.emplace_back(Tensors{inputs[i]}, true, type);
                  pieces.emplace_back(std::move(parts), false, type);
                  site.allGather(pieces[2 * i].whole(),
                                 pieces[2 * i + 1].whole());
                }
                group.end();
                return storingSecond(std::move(pieces));
              }});
}

WorkPtr Backend::gather(TensorLists &outputs, Tensors &inputs,
                        const c10d::GatherOptions &options) {
  const at::Tensor input = onlyTensor(inputs, "gather");
  const int root = rankOf(options.rootRank, size_, "gather");
  Tensors parts;
  if (root == rank_)
    parts = onlyList(outputs, input, size_, "gather");
  else
    TORCH_CHECK(outputs.empty() || (outputs.size() == 1 && outputs[0].empty()),
                "gather: only the root has outputs");
  for (const at::Tensor &part : parts)
    TORCH_CHECK(part.numel() == input.numel(), "gather: an output has ",
                part.numel(), " elements: expected ", input.numel());
  return run({OpType::GATHER,
              "blink:gather",
              options.asyncOp,
              input.device(),
              {input},
              parts,
              [input, parts, root](const Site &site) -> After {
                const at::ScalarType type = input.scalar_type();
                const Pieces part({input}, true, type);
                if (parts.empty()) {
                  site.gather(part.whole(), {}, root);
                  return part.keeping();
                }
                const Pieces whole(parts, false, type);
                site.gather(part.whole(), whole.whole(), root);
                return whole.storing(part);
              }});
}

WorkPtr Backend::gather_into_tensor(at::Tensor &output, at::Tensor &input,
                                    const c10d::GatherOptions &options) {
  checkTensors({input}, "gather_into_tensor");
  const int root = rankOf(options.rootRank, size_, "gather_into_tensor");
  const bool isRoot = root == rank_;
  if (isRoot)
    checkWholes({output}, {input}, size_, "gather_into_tensor");
  return run({OpType::GATHER,
              "blink:gather",
              options.asyncOp,
              input.device(),
              {input},
              isRoot ? Tensors{output} : Tensors{},
              [input, output, isRoot, root](const Site &site) -> After {
                const Pieces part({input}, true, input.scalar_type());
                if (!isRoot) {
                  site.gather(part.whole(), {}, root);
                  return part.keeping();
                }
                const Pieces whole({output}, false, input.scalar_type());
                site.gather(part.whole(), whole.whole(), root);
                return whole.storing(part);
              }});
}

WorkPtr Backend::scatter(Tensors &outputs, TensorLists &inputs,
                         const c10d::ScatterOptions &options) {
  const at::Tensor output = onlyTensor(outputs, "scatter");
  const int root = rankOf(options.rootRank, size_, "scatter");
  Tensors parts;
  if (root == rank_)
    parts = onlyList(inputs, output, size_, "scatter");
  else
    TORCH_CHECK(inputs.empty() || (inputs.size() == 1 && inputs[0].empty()),
                "scatter: only the root has inputs");
  for (const at::Tensor &part : parts)
    TORCH_CHECK(part.numel() == output.numel(), "scatter: an input has ",
                part.numel(), " elements: expected ", output.numel());
  return run({OpType::SCATTER,
              "blink:scatter",
              options.asyncOp,
              output.device(),
              parts,
              {output},
              [output, parts, root](const Site &site) -> After {
                const at::ScalarType type = output.scalar_type();
                const Pieces part({output}, false, type);
                if (parts.empty()) {
                  site.scatter({}, part.whole(), root);
                  return part.storing();
                }
                const Pieces whole(parts, true, type);
                site.scatter(whole.whole(), part.whole(), root);
                return part.storing(whole);
              }});
}

WorkPtr Backend::reduce_scatter(Tensors &outputs, TensorLists &inputs,
                                const c10d::ReduceScatterOptions &options) {
  const at::Tensor output = onlyTensor(outputs, "reduce_scatter");
  const Tensors parts = onlyList(inputs, output, size_, "reduce_scatter");
  TORCH_CHECK(parts[rank_].numel() == output.numel(),
              "reduce_scatter: the output has ", output.numel(),
              " elements and this rank's input ", parts[rank_].numel());
  const Reduction how = reductionOf(options.reduceOp, output);
  Operation operation{OpType::REDUCE_SCATTER,
                      "blink:reduce_scatter",
                      options.asyncOp,
                      output.device(),
                      parts,
                      {output},
                      {}};
  if (haveOneSize(parts))
    operation.calls = [output, parts, how](const Site &site) -> After {
      const Pieces whole(parts, true, how.computed);
      const Pieces part({output}, false, how.computed);
      site.reduceScatter(whole.whole(), part.whole(), how);
      return part.storing(whole);
    };
  else // all ranks have the same list of sizes
    operation.calls = [output, parts, how,
                       rank = rank_](const Site &site) -> After {
      const Pieces part({output}, false, how.computed);
      std::vector<Pieces> pieces;
      CallGroup group;
      for (int root = 0; root < int(parts.size()); ++root) {
        pieces.emplace_back(Tensors{parts[root]}, true, how.computed);
        site.reduce(pieces.back().whole(),
                    root == rank ? part.whole() : at::Tensor(), how, root);
      }
      group.end();
      return [part, pieces] { part.store(); };
    };
  return run(std::move(operation));
}

WorkPtr
Backend::_reduce_scatter_base(at::Tensor &output, at::Tensor &input,
                              const c10d::ReduceScatterOptions &options) {
  return reduceScatterFrom(OpType::_REDUCE_SCATTER_BASE, {output}, {input},
                           options);
}

WorkPtr Backend::reduce_scatter_tensor_coalesced(
    Tensors &outputs, Tensors &inputs,
    const c10d::ReduceScatterOptions &options) {
  return reduceScatterFrom(OpType::REDUCE_SCATTER_TENSOR_COALESCED, outputs,
                           inputs, options);
}

WorkPtr Backend::reduceScatterFrom(OpType type, const Tensors &outputs,
                                   const Tensors &inputs,
                                   const c10d::ReduceScatterOptions &options) {
  checkWholes(inputs, outputs, size_, "reduce_scatter_tensor");
  std::vector<Reduction> hows;
  for (const at::Tensor &output : outputs)
    hows.push_back(reductionOf(options.reduceOp, output));
  return run(
      {type, "blink:_reduce_scatter_base", options.asyncOp, inputs[0].device(),
       inputs, outputs, [outputs, inputs, hows](const Site &site) -> After {
         std::vector<Pieces> pieces;
         CallGroup group;
         for (size_t i = 0; i < inputs.size(); ++i) {
           pieces.emplace_back(Tensors{inputs[i]}, true, hows[i].computed);
           pieces.emplace_back(Tensors{outputs[i]}, false, hows[i].computed);
           site.reduceScatter(pieces[2 * i].whole(), pieces[2 * i + 1].whole(),
                              hows[i]);
         }
         group.end();
         return storingSecond(std::move(pieces));
       }});
}

} // namespace blink::pytorch
