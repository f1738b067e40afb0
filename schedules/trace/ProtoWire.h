//===- ProtoWire.h - Protocol Buffers' wire format --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Implements only what traces need: the runtime does not link libprotobuf, and
// it writes only a dozen fields.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_TRACE_PROTOWIRE_H
#define BLINK_SCHEDULES_TRACE_PROTOWIRE_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace blink::sched {

/// A message that is written field by field.
class ProtoMessage {
public:
  void number(uint32_t field, uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void fixed64(uint32_t field, uint64_t value) {
    varint(field << 3 | 1);
    char raw[8];
    for (int byte = 0; byte < 8; ++byte)
      raw[byte] = static_cast<char>(value >> 8 * byte);
    bytes_.append(raw, sizeof raw);
  }
  void real(uint32_t field, double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    fixed64(field, bits);
  }
  void text(uint32_t field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(uint32_t field, const ProtoMessage &value) {
    text(field, value.bytes_);
  }
  const std::string &bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

/// Iterates over the fields of a message. It stops at the end, or where the
/// bytes are not a valid message; `isGood()` is false then.
class ProtoFields {
public:
  explicit ProtoFields(std::string_view bytes) : rest_(bytes) {}

  /// Moves to the next field; returns false if there is none. Groups, which no
  /// current writer uses, stop the iteration as an error.
  bool next() {
    uint64_t key = 0;
    if (rest_.empty() || !good_ || !varint(key))
      return false;
    field_ = key >> 3;
    switch (key & 7) {
    case 0:
      return varint(number_);
    case 1:
      return take(8);
    case 2: {
      uint64_t size = 0;
      return varint(size) && take(size);
    }
    case 5:
      return take(4);
    default:
      return good_ = false;
    }
  }
  bool isGood() const { return good_; }
  uint64_t field() const { return field_; }
  uint64_t number() const { return number_; }       ///< value of a varint
  std::string_view bytes() const { return bytes_; } ///< of all other fields

private:
  bool varint(uint64_t &value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty())
        return good_ = false;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80)
        return true;
    }
    return good_ = false;
  }
  bool take(uint64_t size) {
    if (size > rest_.size())
      return good_ = false;
    bytes_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_, bytes_;
  uint64_t field_ = 0, number_ = 0;
  bool good_ = true;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_TRACE_PROTOWIRE_H
