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

/// The machine has other work, which would distort measurements. The call may
/// succeed later, when the machine is quiet.
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

/// Watches the machine for a fifth of a second. BusyMachine: more than a tenth
/// of the processors have work, according to proc/loadavg beside `sysfs`; or a
/// GPU is in use, according to NVML. If neither source exists, the machine
/// counts as quiet.
llvm::Error expectQuiet(llvm::StringRef sysfs, const Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_BUSY_H
