//===- Reseal.cpp - recomputes checksums for lit tests --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// `blink-reseal FILE...` recomputes the checksums of files, in place.
//
//===----------------------------------------------------------------------===//

#include "test/common/Checksums.h"

#include <cstdio>
#include <fstream>
#include <iterator>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in.good() && bytes.empty()) {
      std::fprintf(stderr, "blink-reseal: cannot read %s\n", argv[i]);
      return 2;
    }
    if (!blink::test::reseal(bytes)) {
      std::fprintf(stderr, "blink-reseal: %s has no checksum\n", argv[i]);
      return 1;
    }
    std::ofstream(argv[i], std::ios::binary | std::ios::trunc) << bytes;
  }
}
