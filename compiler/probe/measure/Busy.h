//===- Busy.h - whether a machine is quiet enough to measure ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_BUSY_H
#define BLINK_COMPILER_PROBE_MEASURE_BUSY_H

#include "compiler/import/Inventory.h"

#include "llvm/Support/Error.h"

namespace blink {

/// The machine has other work, so that what is measured would be wrong. No
/// fault of the call's: later it may be quiet.
class BusyMachine : public llvm::ErrorInfo<BusyMachine> {
public:
  static char ID;
  explicit BusyMachine(std::string why) : why_(std::move(why)) {}
  void log(llvm::raw_ostream &out) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string why_;
};

llvm::Error busyMachine(std::string why);

/// Looks for a fifth of a second. BusyMachine: more than a tenth of the
/// processors have work, as proc/loadavg beside `sysfs` tells; or a GPU is in
/// use, as NVML tells. Where neither is told, the machine counts as quiet.
llvm::Error expectQuiet(llvm::StringRef sysfs, const Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_BUSY_H
