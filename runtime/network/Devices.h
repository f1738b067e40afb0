//===- Devices.h - which device of this machine a NIC is --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A schedule names NICs by nodes of its topology. The operating system's name
// of such a NIC follows from the environment, the topology, or the order of the
// interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_DEVICES_H
#define BLINK_RUNTIME_NETWORK_DEVICES_H

#include "runtime/Transport.h"

#include <string>
#include <vector>

namespace blink::runtime::network {

/// The devices of a machine, in the order of the interfaces' numbers.
struct Interface {
  std::string name;
  bool up = false; ///< and has an address at which others reach it
  bool loopback = false;
};
struct SystemDevices {
  std::vector<Interface> interfaces;
  std::vector<std::string> rdma; ///< "mlx5_0"
};

/// Finds the devices of this machine. Errors: of the system.
Status findDevices(SystemDevices &devices);

/// What the user asked for; null: nothing.
struct DeviceSettings {
  const char *netDevices = nullptr;   ///< BLINK_NET_DEVICES
  const char *socketIfname = nullptr; ///< BLINK_SOCKET_IFNAME
};

/// A device as UCX names it.
struct Device {
  std::string name;
  bool rdma = false;
};

/// Returns the interfaces that NICs without a device of their own may use:
/// those that are up and pass `filter` (InterfaceFilter).
std::vector<std::string>
usableInterfaces(const std::vector<Interface> &interfaces, const char *filter);

/// Finds the device of NIC number `nic`, or of any NIC (kAnyNic), for a rank of
/// this machine. Errors: a setting names something that does not exist; no
/// interface.
Status deviceOf(uint16_t nic, const std::vector<TransportNic> &nics,
                const SystemDevices &system, const DeviceSettings &settings,
                Device &device);

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_DEVICES_H
