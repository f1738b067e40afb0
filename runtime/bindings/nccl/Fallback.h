//===- Fallback.h - the NCCL that serves what Blink cannot ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// BLINK_NCCL_FALLBACK names a libnccl for the communicators that Blink cannot
// serve.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_FALLBACK_H
#define BLINK_RUNTIME_BINDINGS_NCCL_FALLBACK_H

#include "runtime/bindings/nccl/Errors.h"

namespace blink::nccl {

/// The fallback library of this process. It is opened when it is first needed
/// and never closed, because its communicators may outlive everything here.
class Fallback {
public:
  /// Whether BLINK_NCCL_FALLBACK is set.
  static bool isAsked();
  /// Returns null if there is none, and sets `why`.
  static const Fallback *get(std::string &why);
  /// Returns the library if it is already open, or null.
  static const Fallback *opened();

  /// Calls a function of the library by its name. If the library has no such
  /// function, returns ncclInvalidUsage, or "" for strings.
  template <typename Result = ncclResult_t, typename... Args>
  Result call(const char *name, Args... args) const {
    using Function = Result (*)(Args...);
    if (const auto function = reinterpret_cast<Function>(find(name)))
      return function(args...);
    return missing<Result>(name);
  }

private:
  void *find(const char *name) const;
  template <typename Result> Result missing(const char *name) const;
  std::string open();

  std::string path_;
  void *library_ = nullptr;
};

template <> ncclResult_t Fallback::missing(const char *name) const;
template <> const char *Fallback::missing(const char *name) const;

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_FALLBACK_H
