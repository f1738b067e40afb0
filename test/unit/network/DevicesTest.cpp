//===- DevicesTest.cpp - which network device a NIC is --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/Devices.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::runtime;
using namespace blink::runtime::network;

namespace {

using Names = std::vector<std::string>;

const SystemDevices kTwoRails = {{{"lo", true, true},
                                  {"eth0", true, false},
                                  {"docker0", false, false},
                                  {"eth1", true, false}},
                                 {"mlx5_0", "mlx5_1"}};

const std::vector<TransportNic> kNics = {
    {"s0nic0", "", 0},      {"s0nic1", "", 1},      {"box1.gpu3:rail0", "", 0},
    {"named", "mlx5_1", 0}, {"strange", "eth7", 0}, {"third", "", 2}};

/// Returns the device's name or the error.
std::string device(uint16_t nic, const char *netDevices = nullptr,
                   const char *socketIfname = nullptr,
                   const SystemDevices &system = kTwoRails) {
  Device device;
  const Status status =
      deviceOf(nic, kNics, system, {netDevices, socketIfname}, device);
  return status.ok() ? device.name + (device.rdma ? " (rdma)" : "")
                     : status.text;
}

bool has(const std::string &text, const char *part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("interfaces are filtered in NCCL's manner") {
  const auto &all = kTwoRails.interfaces;
  CHECK(usableInterfaces(all, nullptr) == Names{"eth0", "eth1"});
  CHECK(usableInterfaces(all, "") == Names{"eth0", "eth1"});
  CHECK(usableInterfaces(all, "eth") == Names{"eth0", "eth1"});
  CHECK(usableInterfaces(all, "eth1") == Names{"eth1"});
  CHECK(usableInterfaces(all, "lo") == Names{"lo"});
  CHECK(usableInterfaces(all, "lo,eth0") == Names{"lo", "eth0"});
  CHECK(usableInterfaces(all, "=eth").empty());
  CHECK(usableInterfaces(all, "=eth1,lo") == Names{"lo", "eth1"});
  CHECK(usableInterfaces(all, "^eth0") == Names{"eth1"});
  CHECK(usableInterfaces(all, "^=eth") == Names{"eth0", "eth1"});
  CHECK(usableInterfaces(all, "^eth,docker").empty());
  CHECK(usableInterfaces(all, "docker").empty()); // the interface is down
  CHECK(usableInterfaces({all[0]}, nullptr) == Names{"lo"});
}

TEST_CASE("NICs are devices in order, by the topology, or as said") {
  CHECK(device(0) == "eth0");
  CHECK(device(1) == "eth1");
  CHECK(device(2) == "eth0");
  CHECK(device(kAnyNic) == "eth0");
  CHECK(device(3) == "mlx5_1:1 (rdma)");
  CHECK(device(1, nullptr, "=eth0") == "eth0"); // the only usable one
  CHECK(device(1, nullptr, nullptr, {{kTwoRails.interfaces[0]}, {}}) == "lo");
  CHECK(device(0, "s0nic0=eth1") == "eth1");
  CHECK(device(1, "s0nic0=eth1") == "eth1");
  CHECK(device(0, "s0nic1=eth0,s0nic0=mlx5_0:2") == "mlx5_0:2 (rdma)");
  CHECK(device(2, "box1.gpu3:rail0=lo") == "lo");
  CHECK(device(3, "named=eth0") == "eth0");
  CHECK(device(0, "s0nic1=nowhere") == "eth0"); // perhaps another machine's
}

TEST_CASE("what is not there is named, with a remedy") {
  CHECK(has(device(0, "s0nic0=eth7"),
            "BLINK_NET_DEVICES says that NIC s0nic0 is eth7, which this "
            "machine does not have: expected one of lo, eth0, docker0, eth1, "
            "mlx5_0, mlx5_1"));
  CHECK(has(device(0, "nic0=eth0"), "names the NIC `nic0`, which no channel of "
                                    "the schedule uses: expected s0nic0, "));
  CHECK(has(device(0, "s0nic0"), "`s0nic0`: expected NIC=DEVICE,NIC=DEVICE"));
  CHECK(has(device(4), "the schedule says that NIC strange is eth7, which this "
                       "machine does not have: set "
                       "BLINK_NET_DEVICES=strange=DEVICE"));
  CHECK(has(device(5), "NIC third is number 2 of its server, which has 2 "
                       "usable interfaces (eth0, eth1): set "
                       "BLINK_NET_DEVICES=third=DEVICE"));
  CHECK(has(device(0, nullptr, "ib"), "no interface for NIC s0nic0: expected "
                                      "one that is up and fits "
                                      "BLINK_SOCKET_IFNAME=ib"));
}

TEST_CASE("this machine has a loopback") {
  SystemDevices devices;
  REQUIRE(findDevices(devices).ok());
  REQUIRE(!devices.interfaces.empty());
  CHECK(devices.interfaces[0].name == "lo");
  CHECK(devices.interfaces[0].loopback);
  CHECK(devices.interfaces[0].up);
}
