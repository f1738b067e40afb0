//===- MachineGpus.h - numbers of a machine's GPUs --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// CUDA numbers the GPUs that a process sees; a topology those of the machine,
// in the order of nvidia-smi, which is that of their PCI addresses.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_MACHINEGPUS_H
#define BLINK_RUNTIME_CUDA_MACHINEGPUS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blink::runtime {

/// Where sysfs is. For tests.
extern const char *sysfsRoot;

/// A PCI address as a number that sorts like it: "0000:1B:00.0" in hexadecimal,
/// in either case. Nothing if it is none.
std::optional<uint64_t> pciAddress(const std::string &text);

/// The addresses of all NVIDIA GPUs of the machine, ascending, those hidden
/// from this process among them. Empty if `sysfs` does not tell.
std::vector<uint64_t> machineGpus(const std::string &sysfs);

/// The machine's numbers of GPUs at these addresses. Empty if one of them is
/// not among `machine`.
std::vector<int> machineNumbers(const std::vector<std::string> &addresses,
                                const std::vector<uint64_t> &machine);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_MACHINEGPUS_H
