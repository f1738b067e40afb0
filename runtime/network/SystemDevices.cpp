//===- SystemDevices.cpp - finding the devices of this machine ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/Devices.h"

#include "runtime/NetworkSettings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>

namespace blink::runtime::network {
namespace {

std::vector<std::string> namesIn(const char *folder) {
  std::vector<std::string> names;
  if (DIR *files = opendir(folder)) {
    while (const dirent *file = readdir(files))
      if (file->d_name[0] != '.')
        names.push_back(file->d_name);
    closedir(files);
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

Status findDevices(SystemDevices &devices) {
  ifaddrs *first = nullptr;
  if (getifaddrs(&first) != 0)
    return {blinkSystemError,
            "cannot list this machine's interfaces: ", std::strerror(errno)};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> owner(first, freeifaddrs);
  std::vector<std::pair<unsigned, Interface>> numbered;
  for (const ifaddrs *one = first; one; one = one->ifa_next) {
    auto found =
        std::find_if(numbered.begin(), numbered.end(), [&](const auto &entry) {
          return entry.second.name == one->ifa_name;
        });
    if (found == numbered.end()) {
      numbered.push_back(
          {if_nametoindex(one->ifa_name),
           {one->ifa_name, false, (one->ifa_flags & IFF_LOOPBACK) != 0}});
      found = numbered.end() - 1;
    }
    found->second.up |= isReachable(*one);
  }
  std::sort(numbered.begin(), numbered.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto &[number, interface] : numbered)
    devices.interfaces.push_back(std::move(interface));
  devices.rdma = namesIn("/sys/class/infiniband");
  return {};
}

} // namespace blink::runtime::network
