//===- Pieces.cpp - tensors as one block of memory ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Pieces.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace blink::pytorch {
namespace {

bool followEachOther(const Tensors &tensors, at::ScalarType type) {
  const char *end = nullptr;
  for (const at::Tensor &tensor : tensors) {
    if (!tensor.is_contiguous() || tensor.scalar_type() != type ||
        tensor.is_conj() || tensor.is_neg())
      return false;
    if (tensor.numel() == 0)
      continue;
    const char *begin = static_cast<const char *>(tensor.const_data_ptr());
    // All in one storage, so that the first tensor's reference keeps it alive.
    if (end && (begin != end || !tensor.is_alias_of(tensors[0])))
      return false;
    end = begin + tensor.nbytes();
  }
  return true;
}

} // namespace

Pieces::Pieces(Tensors tensors, bool forReading, at::ScalarType type)
    : tensors_(std::move(tensors)) {
  int64_t elements = 0;
  for (const at::Tensor &tensor : tensors_)
    elements += tensor.numel();
  if (followEachOther(tensors_, type) &&
      (tensors_.size() == 1 || tensors_[0].numel() > 0)) {
    whole_ = tensors_.size() == 1 ? tensors_[0]
                                  : tensors_[0].as_strided({elements}, {1});
    return;
  }
  isCopy_ = true;
  whole_ =
      at::empty({elements}, tensors_[0].options().dtype(type).memory_format(
                                at::MemoryFormat::Contiguous));
  if (!forReading)
    return;
  int64_t begin = 0;
  for (const at::Tensor &tensor : tensors_) {
    whole_.narrow(0, begin, tensor.numel()).view(tensor.sizes()).copy_(tensor);
    begin += tensor.numel();
  }
}

void Pieces::store() const {
  if (!isCopy_)
    return;
  int64_t begin = 0;
  for (const at::Tensor &tensor : tensors_) {
    tensor.copy_(whole_.narrow(0, begin, tensor.numel()).view(tensor.sizes()));
    begin += tensor.numel();
  }
}

After Pieces::storing() const {
  if (!isCopy_)
    return nullptr;
  return [pieces = *this] { pieces.store(); };
}

After Pieces::storing(const Pieces &kept) const {
  if (!isCopy_ && !kept.isCopy_)
    return nullptr;
  return [pieces = *this, kept] { pieces.store(); };
}

After Pieces::keeping() const {
  if (!isCopy_)
    return nullptr;
  return [pieces = *this] {};
}

bool haveCopies(const std::vector<Pieces> &pieces) {
  return std::any_of(pieces.begin(), pieces.end(),
                     [](const Pieces &one) { return one.isCopy_; });
}

After storing(std::vector<Pieces> pieces) {
  if (!haveCopies(pieces))
    return nullptr;
  return [pieces = std::move(pieces)] {
    for (const Pieces &one : pieces)
      one.store();
  };
}

After storingSecond(std::vector<Pieces> pieces) {
  if (!haveCopies(pieces))
    return nullptr;
  return [pieces = std::move(pieces)] {
    for (size_t i = 1; i < pieces.size(); i += 2)
      pieces[i].store();
  };
}

} // namespace blink::pytorch
