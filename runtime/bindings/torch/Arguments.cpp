//===- Arguments.cpp - checking the arguments of methods ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Arguments.h"

#include <algorithm>

namespace blink::pytorch {

void checkTensors(const Tensors &tensors, const char *what) {
  TORCH_CHECK(!tensors.empty(), what, ": there are no tensors");
  for (const at::Tensor &tensor : tensors) {
    TORCH_CHECK(tensor.layout() == at::kStrided, what, ": a tensor is ",
                tensor.layout(), ": expected a dense one");
    TORCH_CHECK(tensor.device() == tensors[0].device(), what,
                ": tensors are on ", tensors[0].device(), " and ",
                tensor.device());
  }
}

at::Tensor onlyTensor(const Tensors &tensors, const char *what) {
  checkTensors(tensors, what);
  TORCH_CHECK(tensors.size() == 1, what, ": there are ", tensors.size(),
              " tensors: expected one");
  return tensors[0];
}

Tensors onlyList(const std::vector<Tensors> &lists, const at::Tensor &like,
                 int size, const char *what) {
  TORCH_CHECK(lists.size() == 1, what, ": there are ", lists.size(),
              " lists of tensors: expected one");
  TORCH_CHECK(int(lists[0].size()) == size, what, ": the list has ",
              lists[0].size(), " tensors: expected one a rank, ", size);
  checkTensors(lists[0], what);
  for (const at::Tensor &tensor : lists[0]) {
    TORCH_CHECK(tensor.scalar_type() == like.scalar_type(), what,
                ": tensors are of types ", like.scalar_type(), " and ",
                tensor.scalar_type());
    TORCH_CHECK(tensor.device() == like.device(), what, ": tensors are on ",
                like.device(), " and ", tensor.device());
  }
  return lists[0];
}

void checkWholes(const Tensors &wholes, const Tensors &parts, int size,
                 const char *what) {
  TORCH_CHECK(wholes.size() == parts.size(), what, ": there are ", parts.size(),
              " tensors of one rank and ", wholes.size(), " of all");
  Tensors all = wholes;
  all.insert(all.end(), parts.begin(), parts.end());
  checkTensors(all, what);
  for (size_t i = 0; i < wholes.size(); ++i) {
    TORCH_CHECK(wholes[i].scalar_type() == parts[i].scalar_type(), what,
                ": tensors are of types ", parts[i].scalar_type(), " and ",
                wholes[i].scalar_type());
    TORCH_CHECK(wholes[i].numel() == parts[i].numel() * size, what,
                ": the tensor of all ranks has ", wholes[i].numel(),
                " elements: expected ", size, " times ", parts[i].numel());
  }
}

int rankOf(int64_t rank, int size, const char *what) {
  TORCH_CHECK(rank >= 0 && rank < size, what, ": rank ", rank,
              " is none of the group's ", size);
  return int(rank);
}

bool haveOneSize(const Tensors &tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [&](const auto &tensor) {
    return tensor.numel() == tensors[0].numel();
  });
}

} // namespace blink::pytorch
