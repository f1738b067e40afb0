//===- Devices.h - which device of this machine a NIC is --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A schedule names NICs by nodes of its topology. What the operating system
// calls them follows from the environment, the topology, or their order.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_DEVICES_H
#define BLINK_RUNTIME_NETWORK_DEVICES_H

#include "runtime/Transport.h"

#include <string>
#include <vector>

namespace blink::runtime::network {

/// What a machine has, in the order of its interfaces' numbers.
struct Interface {
  std::string name;
  bool up = false; ///< and has an address
  bool loopback = false;
};
struct SystemDevices {
  std::vector<Interface> interfaces;
  std::vector<std::string> rdma; ///< "mlx5_0"
};

/// Those of this machine. Errors: of the system.
Status findDevices(SystemDevices &devices);

/// What a user asked for; null: nothing.
struct DeviceSettings {
  const char *netDevices = nullptr;   ///< BLINK_NET_DEVICES
  const char *socketIfname = nullptr; ///< BLINK_SOCKET_IFNAME
};

/// A device as UCX calls it.
struct Device {
  std::string name;
  bool rdma = false;
};

/// The interfaces that NICs without a device of their own may be: those that
/// are up and fit `filter` (InterfaceFilter).
std::vector<std::string>
usableInterfaces(const std::vector<Interface> &interfaces, const char *filter);

/// The device of NIC number `nic`, or of any (kAnyNic), for a rank of this
/// machine. Errors: settings that name what there is not; no interface.
Status deviceOf(uint16_t nic, const std::vector<TransportNic> &nics,
                const SystemDevices &system, const DeviceSettings &settings,
                Device &device);

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_DEVICES_H
