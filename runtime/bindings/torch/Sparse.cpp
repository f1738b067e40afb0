//===- Sparse.cpp - sums of sparse tensors --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Backend.h"

#include <ATen/ops/_sparse_coo_tensor_unsafe.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace blink::pytorch {

using WorkPtr = Backend::WorkPtr;

namespace {

/// Gathers rows of all ranks; `counts` says how many each rank has.
at::Tensor gatherRows(const Site &site, const at::Tensor &rows,
                      const at::Tensor &counts, int64_t most) {
  std::vector<int64_t> shape = rows.sizes().vec();
  shape[0] = most;
  const at::Tensor padded = at::zeros(shape, rows.options());
  padded.narrow(0, 0, rows.size(0)).copy_(rows);
  shape.insert(shape.begin(), counts.size(0));
  const at::Tensor all = at::empty(shape, rows.options());
  site.allGather(padded, all);
  Tensors parts;
  for (int64_t rank = 0; rank < counts.size(0); ++rank)
    parts.push_back(all[rank].narrow(0, 0, counts[rank].item<int64_t>()));
  return at::cat(parts);
}

} // namespace

/// The ranks' elements are gathered, padded to the largest number, and added up
/// on each rank in the order of ranks, so that all ranks get the same bits.
/// Three collectives follow each other, because the numbers of elements are
/// known only after the first.
WorkPtr Backend::allreduce_sparse(Tensors &tensors,
                                  const c10d::AllreduceOptions &options) {
  TORCH_CHECK(tensors.size() == 1, "all_reduce of sparse tensors: there are ",
              tensors.size(), " tensors: expected one");
  const at::Tensor tensor = tensors[0];
  TORCH_CHECK(tensor.layout() == at::kSparse && tensor.is_cpu(),
              "all_reduce: sparse tensors are expected in coordinate format, "
              "and on the host");
  TORCH_CHECK(options.reduceOp.op_ == c10d::ReduceOp::SUM,
              "all_reduce: sparse tensors are reduced with ReduceOp.SUM only");
  return run(
      {c10d::OpType::_ALLREDUCE_SPARSE,
       "blink:all_reduce",
       options.asyncOp,
       tensor.device(),
       {},
       {tensor},
       [tensor, size = size_](const Site &site) -> After {
         const at::Tensor own = tensor.detach().coalesce();
         const at::TensorOptions number(at::kLong);
         const at::Tensor counts = at::empty({size}, number);
         site.allGather(at::full({1}, own._nnz(), number), counts);
         const int64_t most = counts.max().item<int64_t>();
         const at::Tensor indices =
             gatherRows(site, own.indices().t().contiguous(), counts, most);
         const at::Tensor values = gatherRows(site, own.values(), counts, most);
         tensor.copy_(
             at::_sparse_coo_tensor_unsafe(indices.t(), values, own.sizes())
                 .coalesce());
         return nullptr;
       }});
}

} // namespace blink::pytorch
