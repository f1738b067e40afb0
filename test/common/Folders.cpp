//===-- Folders.cpp -------------------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/Folders.h"

#include <cstdlib>

std::string blink::test::sourceFolder() {
  const char *here = std::getenv("BLINK_TEST_SOURCE");
  return here && *here ? here : BLINK_SOURCE_FOLDER;
}

std::string blink::test::networkFolder() { return BLINK_NETWORK_FOLDER; }
