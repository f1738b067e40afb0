//===- MachineGpus.cpp - numbers of a machine's GPUs ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/MachineGpus.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace blink::runtime {

const char *sysfsRoot = "/sys";

namespace {

/// Returns the number in a file of sysfs, such as "0x10de"; 0 if there is none.
unsigned long numberIn(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  return std::strtoul(text.c_str(), nullptr, 16);
}

bool isNvidiaGpu(const std::filesystem::path &device) {
  // Display controllers: VGA compatible, and 3D controllers, which have no
  // display. Their sound, USB and bridges have the same vendor.
  const unsigned long kind = numberIn(device / "class") >> 8;
  return numberIn(device / "vendor") == 0x10de &&
         (kind == 0x0300 || kind == 0x0302);
}

} // namespace

std::optional<uint64_t> pciAddress(const std::string &text) {
  constexpr char kBehind[] = {':', ':', '.', '\0'};
  constexpr int kBits[] = {32, 8, 5, 3};
  uint64_t address = 0;
  const char *at = text.data(), *const end = at + text.size();
  for (int part = 0; part < 4; ++part) {
    uint64_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number, 16);
    if (error != std::errc() || number >> kBits[part] != 0 ||
        *behind != kBehind[part])
      return std::nullopt;
    address = address << kBits[part] | number;
    at = behind + 1;
  }
  return address;
}

std::vector<uint64_t> machineGpus(const std::string &sysfs) {
  namespace fs = std::filesystem;
  std::vector<uint64_t> gpus;
  std::error_code error;
  fs::directory_iterator devices(fs::path(sysfs) / "bus/pci/devices", error);
  while (!error && devices != fs::directory_iterator()) {
    const std::optional<uint64_t> address =
        pciAddress(devices->path().filename().string());
    if (address && isNvidiaGpu(devices->path()))
      gpus.push_back(*address);
    devices.increment(error);
  }
  std::sort(gpus.begin(), gpus.end());
  return gpus;
}

std::vector<int> machineNumbers(const std::vector<std::string> &addresses,
                                const std::vector<uint64_t> &machine) {
  std::vector<int> numbers;
  for (const std::string &text : addresses) {
    const std::optional<uint64_t> address = pciAddress(text);
    const auto found =
        address ? std::lower_bound(machine.begin(), machine.end(), *address)
                : machine.end();
    if (found == machine.end() || *found != *address)
      return {};
    numbers.push_back(int(found - machine.begin()));
  }
  return numbers;
}

} // namespace blink::runtime
