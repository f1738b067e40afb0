//===- HostIdentity.cpp - which processes can share memory ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/HostIdentity.h"

#include "schedules/Hash.h"

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace blink::runtime {

uint64_t hostIdentity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  uint64_t hash = sched::hash64(boot.data(), boot.size());
  for (const char *space : {"/proc/self/ns/net", "/proc/self/ns/pid"}) {
    struct stat status{};
    stat(space, &status);
    const uint64_t number = status.st_ino;
    hash = sched::hash64(&number, sizeof(number), hash);
  }
  return hash;
}

std::string hostName() {
  char name[64] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

} // namespace blink::runtime
