//===- Columns.h - numbers that follow each other in few bytes --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A column is a sequence of 32-bit numbers. It is written as the differences of
// neighbours, small ones in few bytes, and equal ones that follow each other
// once, with their number.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_COLUMNS_H
#define BLINK_SCHEDULES_COLUMNS_H

#include <cstdint>
#include <cstring>
#include <vector>

namespace blink::sched {

using Column = std::vector<uint32_t>;

class ColumnWriter {
public:
  /// Seven bits a byte, the lowest first; the top bit says that more follow.
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes.push_back(uint8_t(value | 0x80));
    bytes.push_back(uint8_t(value));
  }
  void column(const Column &column);
  /// Writes one column for each four bytes of a struct.
  template <typename Struct> void structs(const std::vector<Struct> &structs) {
    static_assert(sizeof(Struct) % sizeof(uint32_t) == 0);
    number(structs.size());
    for (size_t at = 0; at < sizeof(Struct); at += sizeof(uint32_t)) {
      Column words(structs.size());
      for (size_t i = 0; i < structs.size(); ++i)
        std::memcpy(&words[i], reinterpret_cast<const char *>(&structs[i]) + at,
                    sizeof(uint32_t));
      column(words);
    }
  }

  std::vector<uint8_t> bytes;
};

/// Reads untrusted bytes. After a failure everything that is read is empty.
class ColumnReader {
public:
  /// Reads at most `mostWords` numbers of columns.
  ColumnReader(const uint8_t *bytes, size_t size, uint64_t mostWords)
      : at_(bytes), end_(bytes + size), left_(mostWords) {}

  uint64_t number();
  Column column(uint64_t size);
  template <typename Struct> std::vector<Struct> structs() {
    const uint64_t size = number();
    std::vector<Struct> structs;
    for (size_t at = 0; at < sizeof(Struct); at += sizeof(uint32_t)) {
      const Column words = column(size);
      structs.resize(words.size());
      for (size_t i = 0; i < words.size(); ++i)
        std::memcpy(reinterpret_cast<char *>(&structs[i]) + at, &words[i],
                    sizeof(uint32_t));
    }
    return structs;
  }

  /// Ends the reading, and what is read from here on is empty.
  void fail() { failed_ = true; }
  bool failed() const { return failed_; }
  /// Takes the place of `words` more numbers for what the caller makes of those
  /// read; returns false, after a failure, if there is none.
  bool pay(uint64_t words) {
    ranOut_ |= words > left_;
    failed_ |= ranOut_;
    left_ -= failed_ ? 0 : words;
    return !failed_;
  }
  /// Returns true if more numbers were wanted than there may be.
  bool ranOut() const { return ranOut_; }
  /// Returns true if all bytes were read, and all of them rightly.
  bool isDone() const { return !failed_ && at_ == end_; }
  uint64_t wordsLeft() const { return left_; }

private:
  const uint8_t *at_, *end_;
  uint64_t left_;
  bool failed_ = false, ranOut_ = false;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_COLUMNS_H
