//===- Fallback.cpp - the NCCL that serves what Blink cannot --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Fallback.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace blink::nccl {
namespace {

std::mutex opening;
/// Stored with release, loaded with acquire: a thread that sees the pointer
/// sees an open library.
std::atomic<const Fallback *> theLibrary{nullptr};

} // namespace

bool Fallback::isAsked() {
  const char *path = std::getenv("BLINK_NCCL_FALLBACK");
  return path && *path;
}

const Fallback *Fallback::opened() {
  return theLibrary.load(std::memory_order_acquire);
}

const Fallback *Fallback::get(std::string &why) {
  const std::lock_guard<std::mutex> lock(opening);
  if (const Fallback *library = opened())
    return library;
  if (!isAsked()) {
    why = "BLINK_NCCL_FALLBACK is not set: it names the NCCL that serves what "
          "Blink cannot";
    return nullptr;
  }
  auto *library = new Fallback;
  why = library->open();
  if (!why.empty()) {
    delete library;
    return nullptr;
  }
  theLibrary.store(library, std::memory_order_release);
  return library;
}

/// Returns "" or what is wrong.
std::string Fallback::open() {
  path_ = std::getenv("BLINK_NCCL_FALLBACK");
  // DEEPBIND: the fallback then resolves names that this library has, too, to
  // its own. Sanitizers reject the flag.
  int flags = RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  flags |= RTLD_DEEPBIND;
#endif
  library_ = dlopen(path_.c_str(), flags);
  if (!library_)
    return "BLINK_NCCL_FALLBACK: " + std::string(dlerror());
  void *own = reinterpret_cast<void *>(&Fallback::isAsked);
  Dl_info here{}, there{};
  void *init = find("ncclCommInitRank");
  if (!init || !find("ncclGetUniqueId") || !find("ncclCommDestroy"))
    return "BLINK_NCCL_FALLBACK: " + path_ +
           " is no NCCL: it has no "
           "ncclCommInitRank";
  if (dladdr(own, &here) && dladdr(init, &there) &&
      here.dli_fbase == there.dli_fbase)
    return "BLINK_NCCL_FALLBACK: " + path_ + " is this library itself";
  return "";
}

void *Fallback::find(const char *name) const { return dlsym(library_, name); }

template <> ncclResult_t Fallback::missing(const char *name) const {
  return fail(ncclInvalidUsage, path_ + " has no " + name);
}

template <> const char *Fallback::missing(const char *) const { return ""; }

} // namespace blink::nccl
