//===- Pieces.h - tensors as one run of memory ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_PIECES_H
#define BLINK_RUNTIME_BINDINGS_TORCH_PIECES_H

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace blink::pytorch {

using Tensors = std::vector<at::Tensor>;
/// What is left to do when Blink's calls are done. May be null.
using After = std::function<void()>;

/// The elements of tensors one behind the other, each in its own order of
/// indices: the tensors' own memory if that is how they lie there, as parts of
/// one tensor do, or else a copy.
class Pieces {
public:
  /// Of tensors of one type and device. For reading: with their elements; else
  /// with any.
  Pieces(Tensors tensors, bool forReading, at::ScalarType type);

  /// The run of memory: contiguous, of any shape.
  const at::Tensor &whole() const { return whole_; }
  /// Puts the elements into the tensors, if they are not there.
  void store() const;

  // For after the calls, until which copies are kept:
  After storing() const;
  After storing(const Pieces &kept) const; ///< and keeps the other, too
  After keeping() const;

private:
  friend bool haveCopies(const std::vector<Pieces> &pieces);

  Tensors tensors_;
  at::Tensor whole_;
  bool isCopy_ = false;
};

bool haveCopies(const std::vector<Pieces> &pieces);
After storing(std::vector<Pieces> pieces);
/// Of pairs of what is read and what is written.
After storingSecond(std::vector<Pieces> pieces);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_PIECES_H
