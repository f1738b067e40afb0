//===- GoldenFuzzer.cpp - any bytes as a golden summary -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/check/GoldenFile.h"
#include "test/fuzz/FuzzTarget.h"

using namespace blink;
using test::require;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const llvm::StringRef text = test::textOfInput(data, size);
  llvm::Expected<Golden> golden = readGolden(text, "input.golden.json");
  if (!golden) {
    const std::string error = llvm::toString(golden.takeError());
    require(error.rfind("input.golden.json:", 0) == 0,
            "an error names the file");
    salvageAllocations(text);
    return 0;
  }
  const std::string written = writeGolden(*golden);
  llvm::Expected<Golden> again = readGolden(written, "again.golden.json");
  require(bool(again), "what was written is read");
  require(writeGolden(*again) == written, "what was written is the same");
  return 0;
}
