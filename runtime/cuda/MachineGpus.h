//===- MachineGpus.h - numbers of a machine's GPUs --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// CUDA numbers the GPUs that a process sees. A topology numbers those of the
// machine, in the order of nvidia-smi, which is that of their PCI addresses.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_MACHINEGPUS_H
#define BLINK_RUNTIME_CUDA_MACHINEGPUS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blink::runtime {

/// The folder of sysfs; tests change it.
extern const char *sysfsRoot;

/// Returns a PCI address such as "0000:1B:00.0", in hexadecimal of either case,
/// as a number that sorts like it; std::nullopt if `text` is none.
std::optional<uint64_t> pciAddress(const std::string &text);

/// Returns the addresses of all NVIDIA GPUs of the machine in ascending order,
/// including those that are hidden from this process. Empty if `sysfs` does not
/// tell.
std::vector<uint64_t> machineGpus(const std::string &sysfs);

/// Returns the machine's numbers of the GPUs at these addresses. Empty if one
/// of them is not in `machine`.
std::vector<int> machineNumbers(const std::vector<std::string> &addresses,
                                const std::vector<uint64_t> &machine);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_MACHINEGPUS_H
