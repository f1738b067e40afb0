//===- Load.cpp - the module that has the network transport ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/Load.h"

#include <dlfcn.h>

namespace blink::runtime::network {
namespace {

constexpr const char *kFile = "libblink_network.so";

/// Beside the library that this is a part of, or where the linker looks. It
/// stays loaded: UCX has threads.
void *openModule() {
  constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void *>(&createLoaded), &self) &&
      self.dli_fname) {
    std::string path = self.dli_fname;
    path = path.substr(0, path.rfind('/') + 1) + kFile;
    if (void *module = dlopen(path.c_str(), kFlags))
      return module;
  }
  return dlopen(kFile, kFlags);
}

} // namespace

Status createLoaded(const TransportJob &job, TransportClient &client,
                    std::unique_ptr<Transport> &transport) {
  void *module = openModule();
  if (!module) {
    const char *why = dlerror();
    return {blinkSystemError,
            "the schedule has channels of kind network, and ",
            kFile,
            ", which carries them, cannot be loaded (",
            why ? why : "",
            "): install UCX (Debian: libucx0; libucx-dev to build it), and put "
            "the module beside libblink.so or on LD_LIBRARY_PATH"};
  }
  const auto entryOf =
      reinterpret_cast<EntryFunction>(dlsym(module, kEntryFunction));
  const TransportEntry *entry = entryOf ? entryOf(BLINK_VERSION) : nullptr;
  if (!entry)
    return {blinkSystemError, kFile, " is not of Blink ", BLINK_VERSION,
            ", as the library that loads it: install both together"};
  return entry->create(job, client, transport);
}

} // namespace blink::runtime::network
