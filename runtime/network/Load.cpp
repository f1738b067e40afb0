//===- Load.cpp - loading the network transport's module ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/Load.h"

#include "runtime/Fork.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

namespace blink::runtime::network {
namespace {

constexpr const char *kFile = "libblink_network.so";

/// Sets UCX_MEM_EVENTS=n in the environment while UCX is loaded, unless the
/// variable is already set. To learn of memory that is unmapped, UCX (1.13)
/// patches the C library and tries out brk() and sbrk(); in doing so it returns
/// to the system what another thread's malloc() has just obtained, and the
/// process dies. The variables themselves are not changed, because no other
/// thread could read them at that time. Instead, `environ` points to another
/// array for a moment: readers find one complete array or the other.
class WithoutMemoryEvents {
public:
  WithoutMemoryEvents() : before_(environ) {
    if (std::getenv("UCX_MEM_EVENTS"))
      return;
    variables().clear();
    for (char **variable = before_; variable && *variable; ++variable)
      variables().push_back(*variable);
    static char none[] = "UCX_MEM_EVENTS=n";
    variables().push_back(none);
    variables().push_back(nullptr);
    environ = variables().data();
  }
  ~WithoutMemoryEvents() {
    if (!variables().empty() && environ == variables().data())
      environ = before_; // unless another thread has made a new array
  }
  WithoutMemoryEvents(const WithoutMemoryEvents &) = delete;

private:
  /// Never freed: a reader may still be in it.
  static std::vector<char *> &variables() {
    static auto *made = new std::vector<char *>;
    return *made;
  }
  char **const before_;
};

/// Loads the module from the folder of the library that this is a part of, or
/// from where the linker looks. It stays loaded, because UCX has threads.
void *loadModule() {
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

/// Loads the module once per process; returns null and sets `why` if that
/// fails. A child that is forked meanwhile finds the linker's table complete,
/// and the environment as it was.
void *openModule(std::string &why) {
  static ForkSafeMutex &mutex = *new ForkSafeMutex;
  static void *module = nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  if (module)
    return module;
  const WithoutMemoryEvents quiet;
  module = loadModule();
  if (const char *text = module ? nullptr : dlerror())
    why = text;
  return module;
}

} // namespace

Status createLoaded(const TransportJob &job, TransportClient &client,
                    std::unique_ptr<Transport> &transport) {
  std::string why;
  void *module = openModule(why);
  if (!module)
    return {blinkSystemError,
            "the schedule has channels of kind network, and ",
            kFile,
            ", which carries them, cannot be loaded (",
            why,
            "): install UCX (Debian: libucx0; libucx-dev to build it), and put "
            "the module beside libblink.so or on LD_LIBRARY_PATH"};
  const auto entryOf =
      reinterpret_cast<EntryFunction>(dlsym(module, kEntryFunction));
  const TransportEntry *entry = entryOf ? entryOf(BLINK_VERSION) : nullptr;
  if (!entry)
    return {blinkSystemError, kFile, " is not of Blink ", BLINK_VERSION,
            ", as the library that loads it: install both together"};
  return entry->create(job, client, transport);
}

} // namespace blink::runtime::network
