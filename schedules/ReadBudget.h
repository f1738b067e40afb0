//===- ReadBudget.h - a limit on walks over files ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_READBUDGET_H
#define BLINK_SCHEDULES_READBUDGET_H

#include "flatbuffers/flatbuffers.h"

namespace blink::sched {

/// The number of bytes that a walk over an untrusted file may still read. In
/// FlatBuffers many places may refer to one part of a file, so that walking a
/// small file could take forever. Sealed files contain every part once, so a
/// budget of their size suffices.
class ReadBudget {
public:
  explicit ReadBudget(uint64_t bytes) : bytes_(bytes) {}

  /// Subtracts the size of `vector`. Returns null, or the reason why the walk
  /// must not read it.
  template <typename T> const char *pay(const flatbuffers::Vector<T> *vector) {
    using Item = typename flatbuffers::IndirectHelper<T>;
    const uint64_t bytes = uint64_t(vector->size()) * Item::element_stride;
    // The structural check does not cover the alignment of 8-byte items.
    constexpr uintptr_t kAlign = alignof(std::remove_pointer_t<T>);
    if (bytes != 0 && reinterpret_cast<uintptr_t>(vector->Data()) % kAlign != 0)
      return "not aligned; the file is not one of Blink's";
    if (bytes > bytes_)
      return "shares bytes with other parts of the file";
    bytes_ -= bytes;
    return nullptr;
  }

private:
  uint64_t bytes_;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_READBUDGET_H
