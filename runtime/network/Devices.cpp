//===- Devices.cpp - which device of this machine a NIC is ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/Devices.h"

#include "runtime/NetworkSettings.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>

namespace blink::runtime::network {
namespace {

std::vector<std::string> split(const char *list) {
  std::vector<std::string> parts;
  for (const char *begin = list;;) {
    const char *end = std::strchr(begin, ',');
    parts.emplace_back(begin, end ? size_t(end - begin) : std::strlen(begin));
    if (parts.back().empty())
      parts.pop_back();
    if (!end)
      return parts;
    begin = end + 1;
  }
}

std::string namesOf(const SystemDevices &system) {
  std::vector<std::string> names;
  for (const Interface &interface : system.interfaces)
    names.push_back(interface.name);
  names.insert(names.end(), system.rdma.begin(), system.rdma.end());
  return joined(names, ", ");
}

/// Sets `device` and returns true if this machine has a device of that name.
/// RDMA devices may have a port, as "mlx5_0:1"; it is the first unless given.
bool findDevice(const std::string &name, const SystemDevices &system,
                Device &device) {
  for (const Interface &interface : system.interfaces)
    if (interface.name == name) {
      device = {name, false};
      return true;
    }
  const std::string card = name.substr(0, name.find(':'));
  if (std::find(system.rdma.begin(), system.rdma.end(), card) ==
      system.rdma.end())
    return false;
  device = {card == name ? name + ":1" : name, true};
  return true;
}

/// Parses BLINK_NET_DEVICES into a map.
Status parseDevices(const char *list, const std::vector<TransportNic> &nics,
                    const SystemDevices &system,
                    std::map<std::string, Device> &devices) {
  for (const std::string &part : split(list)) {
    const size_t equals = part.rfind('=');
    if (equals == std::string::npos)
      return {blinkInvalidArgument, "BLINK_NET_DEVICES has `", part,
              "`: expected NIC=DEVICE,NIC=DEVICE, as in nic0=eth0"};
    const std::string nic = part.substr(0, equals);
    const bool known =
        std::any_of(nics.begin(), nics.end(),
                    [&](const TransportNic &one) { return one.name == nic; });
    if (!known) {
      std::vector<std::string> names;
      for (const TransportNic &one : nics)
        names.push_back(one.name);
      return {blinkInvalidArgument, "BLINK_NET_DEVICES names the NIC `", nic,
              "`, which no channel of the schedule uses: expected ",
              names.empty() ? "none" : joined(names, ", ")};
    }
    const std::string name = part.substr(equals + 1);
    // The list may also name a NIC of another machine, with a device of that
    // machine.
    if (!findDevice(name, system, devices[nic]))
      devices[nic] = {name, false};
  }
  return {};
}

} // namespace

std::vector<std::string>
usableInterfaces(const std::vector<Interface> &interfaces, const char *filter) {
  std::vector<Interface> up;
  std::copy_if(interfaces.begin(), interfaces.end(), std::back_inserter(up),
               [](const Interface &one) { return one.up; });
  std::vector<std::string> names;
  for (const Interface &interface : InterfaceFilter(filter).select(up))
    names.push_back(interface.name);
  return names;
}

Status deviceOf(uint16_t nic, const std::vector<TransportNic> &nics,
                const SystemDevices &system, const DeviceSettings &settings,
                Device &device) {
  const bool any = nic == kAnyNic;
  std::string name = any ? "a NIC" : "NIC " + nics[nic].name;
  if (settings.netDevices && *settings.netDevices) {
    std::map<std::string, Device> devices;
    Status status = parseDevices(settings.netDevices, nics, system, devices);
    if (!status.ok())
      return status;
    const auto found = any ? devices.end() : devices.find(nics[nic].name);
    if (found != devices.end()) {
      if (findDevice(found->second.name, system, device))
        return {};
      return {blinkInvalidArgument,
              "BLINK_NET_DEVICES says that ",
              name,
              " is ",
              found->second.name,
              ", which this machine does not have: expected one of ",
              namesOf(system)};
    }
  }
  if (!any && !nics[nic].device.empty()) {
    if (findDevice(nics[nic].device, system, device))
      return {};
    return {blinkInvalidUsage,
            "the schedule says that ",
            name,
            " is ",
            nics[nic].device,
            ", which this machine does not have: set "
            "BLINK_NET_DEVICES=",
            nics[nic].name,
            "=DEVICE, one of ",
            namesOf(system)};
  }
  const std::vector<std::string> usable =
      usableInterfaces(system.interfaces, settings.socketIfname);
  if (usable.empty())
    return {blinkSystemError,
            "no interface for ",
            name,
            ": expected one that is up",
            settings.socketIfname ? textOf(" and fits BLINK_SOCKET_IFNAME=",
                                           settings.socketIfname)
                                  : std::string(),
            ", among ",
            namesOf(system)};
  const size_t number = any || usable.size() == 1 ? 0 : nics[nic].number;
  if (number >= usable.size())
    return {blinkInvalidUsage,
            name,
            " is number ",
            number,
            " of its server, which has ",
            usable.size(),
            " usable interfaces (",
            joined(usable, ", "),
            "): set BLINK_NET_DEVICES=",
            nics[nic].name,
            "=DEVICE"};
  device = {usable[number], false};
  return {};
}

} // namespace blink::runtime::network
