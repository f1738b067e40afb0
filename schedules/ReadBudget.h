//===- ReadBudget.h - what a walk over a file may read ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_READBUDGET_H
#define BLINK_SCHEDULES_READBUDGET_H

#include "flatbuffers/flatbuffers.h"

namespace blink::sched {

/// The bytes that a walk over an untrusted file may still read. FlatBuffers may
/// reach one part of a file from many places, so that a small file would take
/// forever to walk; sealed files hold every part once, so their bytes are
/// enough.
class ReadBudget {
public:
  explicit ReadBudget(uint64_t bytes) : bytes_(bytes) {}

  /// Takes off what `vector` holds. Null, or why the walk must not read it.
  template <typename T> const char *pay(const flatbuffers::Vector<T> *vector) {
    using Item = typename flatbuffers::IndirectHelper<T>;
    const uint64_t bytes = uint64_t(vector->size()) * Item::element_stride;
    // The structural check does not look at the alignment of 8-byte items.
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
