//===- Arguments.h - what methods of the back end are given -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Judges it, and says what is wrong in the words of torch.distributed; `what`
// is the method.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_ARGUMENTS_H
#define BLINK_RUNTIME_BINDINGS_TORCH_ARGUMENTS_H

#include "runtime/bindings/torch/Pieces.h"

namespace blink::pytorch {

/// At least one, of one device, and dense.
void checkTensors(const Tensors &tensors, const char *what);

/// Methods take lists, of which they want one tensor.
at::Tensor onlyTensor(const Tensors &tensors, const char *what);

/// The same of lists: a tensor for each rank, of the type of `like`.
Tensors onlyList(const std::vector<Tensors> &lists, const at::Tensor &like,
                 int size, const char *what);

/// Each whole has what `size` of its parts have.
void checkWholes(const Tensors &wholes, const Tensors &parts, int size,
                 const char *what);

int rankOf(int64_t rank, int size, const char *what);

bool haveOneSize(const Tensors &tensors);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_ARGUMENTS_H
