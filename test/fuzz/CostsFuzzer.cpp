//===- CostsFuzzer.cpp - any bytes as a file of lane costs ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/LaneCosts.h"
#include "test/fuzz/FuzzTarget.h"

using namespace blink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<DeviceCosts> costs =
      parseCosts(test::textOfInput(data, size), "input.json");
  if (!costs) {
    const std::string error = llvm::toString(costs.takeError());
    test::require(error.rfind("input.json:", 0) == 0,
                  "an error names its place");
    return 0;
  }
  for (sched::Protocol protocol : sched::EnumValuesProtocol())
    for (uint64_t bytes : {uint64_t(0), uint64_t(1) << 20, ~uint64_t(0)})
      costs->of(protocol, bytes);
  return 0;
}
