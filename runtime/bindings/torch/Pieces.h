//===- Pieces.h - tensors as one block of memory ----------------*- C++ -*-===//
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
/// What remains to be done when Blink's calls are done. May be null.
using After = std::function<void()>;

/// The elements of several tensors one after another, each tensor's in its own
/// order of indices. Uses the tensors' own memory if they lie there in this
/// way, as parts of one tensor do; otherwise a copy.
class Pieces {
public:
  /// All tensors are of one type and device. If `forReading`, a copy has their
  /// elements; otherwise its contents are undefined.
  Pieces(Tensors tensors, bool forReading, at::ScalarType type);

  /// The block of memory: contiguous, of any shape.
  const at::Tensor &whole() const { return whole_; }
  /// Copies the elements back to the tensors, unless they are there already.
  void store() const;

  // Functions to be called after the calls; they keep copies alive until then:
  After storing() const;
  After storing(const Pieces &kept) const; ///< also keeps `kept` alive
  After keeping() const;

private:
  friend bool haveCopies(const std::vector<Pieces> &pieces);

  Tensors tensors_;
  at::Tensor whole_;
  bool isCopy_ = false;
};

bool haveCopies(const std::vector<Pieces> &pieces);
After storing(std::vector<Pieces> pieces);
/// Of pairs of tensors, a read and a written one: stores the written ones.
After storingSecond(std::vector<Pieces> pieces);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_PIECES_H
