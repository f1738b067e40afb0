//===-- Folders.cpp -------------------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/Folders.h"

std::string blink::test::sourceFolder() { return BLINK_SOURCE_FOLDER; }

std::string blink::test::networkFolder() { return BLINK_NETWORK_FOLDER; }
