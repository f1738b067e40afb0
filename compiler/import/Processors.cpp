//===- Processors.cpp - sets of processors as Linux writes them -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Processors.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdint>

using namespace blink;

static constexpr int kMost = 1 << 16;

std::vector<int> blink::parseCpuList(llvm::StringRef text) {
  std::vector<int> processors;
  for (llvm::StringRef part : llvm::split(text.trim(), ',')) {
    auto [first, last] = part.split('-');
    int begin = 0, end = 0;
    if (first.getAsInteger(10, begin) || begin < 0 ||
        (last.empty() ? (end = begin, false) : last.getAsInteger(10, end)) ||
        end < begin || end >= kMost)
      return {};
    for (int processor = begin; processor <= end; ++processor)
      processors.push_back(processor);
  }
  return processors;
}

std::vector<int> blink::parseCpuMask(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 64> words;
  text.trim().split(words, ',');
  if (words.size() > kMost / 32)
    return {};
  std::vector<int> processors;
  for (size_t place = 0; place < words.size(); ++place) {
    llvm::StringRef word = words[words.size() - 1 - place];
    word.consume_front("0x");
    uint32_t bits = 0;
    if (!word.empty() && word.getAsInteger(16, bits))
      return {};
    for (int bit = 0; bit < 32; ++bit)
      if (bits >> bit & 1)
        processors.push_back(static_cast<int>(place) * 32 + bit);
  }
  return processors;
}
