//===- Arguments.h - checking the arguments of methods ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks the arguments of the back end's methods, and says what is wrong in the
// words of torch.distributed. `what` is the name of the method.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_ARGUMENTS_H
#define BLINK_RUNTIME_BINDINGS_TORCH_ARGUMENTS_H

#include "runtime/bindings/torch/Pieces.h"

namespace blink::pytorch {

/// Checks that there is at least one tensor, and that all are on one device and
/// dense.
void checkTensors(const Tensors &tensors, const char *what);

/// Returns the only tensor of a list, which is what most methods expect.
at::Tensor onlyTensor(const Tensors &tensors, const char *what);

/// Returns the only list of `lists`: a tensor for each rank, of the type and on
/// the device of `like`.
Tensors onlyList(const std::vector<Tensors> &lists, const at::Tensor &like,
                 int size, const char *what);

/// Checks that each whole has `size` times the elements of its part.
void checkWholes(const Tensors &wholes, const Tensors &parts, int size,
                 const char *what);

int rankOf(int64_t rank, int size, const char *what);

bool haveOneSize(const Tensors &tensors);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_ARGUMENTS_H
