//===- Columns.cpp - numbers that follow each other in few bytes ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/Columns.h"

namespace blink::sched {

/// Returns a number that is small if `difference` is, be it up or down.
static uint32_t folded(uint32_t difference) {
  return (difference << 1) ^ (difference >> 31 ? ~0u : 0u);
}

static uint32_t unfolded(uint32_t number) {
  return (number >> 1) ^ (number & 1 ? ~0u : 0u);
}

void ColumnWriter::column(const Column &column) {
  uint32_t before = 0;
  for (size_t i = 0; i < column.size();) {
    const uint32_t difference = column[i] - before;
    size_t end = i + 1;
    while (end < column.size() && column[end] - column[end - 1] == difference)
      ++end;
    before = column[end - 1];
    const bool repeats = end - i > 1;
    number(uint64_t(folded(difference)) << 1 | repeats);
    if (repeats)
      number(end - i - 2);
    i = end;
  }
}

uint64_t ColumnReader::number() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    if (failed_ || at_ == end_)
      break;
    const uint8_t byte = *at_++;
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  fail();
  return 0;
}

Column ColumnReader::column(uint64_t size) {
  Column column;
  if (failed_ || !pay(size))
    return column;
  uint32_t before = 0;
  while (column.size() < size) {
    const uint64_t word = number();
    const uint64_t left = size - column.size();
    const uint64_t repeats = word & 1 ? number() : 0;
    if (failed_ || word >> 33 != 0 || ((word & 1) && repeats + 2 > left)) {
      fail();
      return {};
    }
    const uint32_t difference = unfolded(uint32_t(word >> 1));
    for (uint64_t i = 0; i < (word & 1 ? repeats + 2 : 1); ++i)
      column.push_back(before += difference);
  }
  return column;
}

} // namespace blink::sched
