//===- ControlMessages.h - messages of control planes -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_CONTROLMESSAGES_H
#define BLINK_RUNTIME_JOB_CONTROL_CONTROLMESSAGES_H

#include "runtime/Status.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace blink::runtime {

/// Kinds of messages, and the contents of each. Numbers are in the byte order
/// of x86 and ARM, the only hosts that CUDA supports.
enum class ControlKind : uint32_t {
  hello = 1, ///< to the hub: an Introduction
  accepted,  ///< from the hub: the rank is accepted
  refused,   ///< from the hub: a status
  member,    ///< from the hub: the Introduction of another rank
  records,   ///< a rank, and changes of its MirroredState
  failure,   ///< a status: the job has failed
  lost,      ///< from the hub: a rank, and why it is lost
  gone,      ///< a rank that has said goodbye
  alive,     ///< no contents
};

template <typename T> std::string_view messageOf(const T &value) {
  return {reinterpret_cast<const char *>(&value), sizeof(value)};
}
/// Returns false if the text is not a message of that kind.
template <typename T> bool readMessage(std::string_view text, T &value) {
  if (text.size() != sizeof(value))
    return false;
  std::memcpy(&value, text.data(), sizeof(value));
  return true;
}

/// A message that consists of a number, a rank or a status code, and a text
/// after it.
inline std::string numbered(uint32_t number, std::string_view text) {
  return std::string(messageOf(number)).append(text);
}
inline bool readNumbered(std::string_view message, uint32_t &number,
                         std::string_view &text) {
  if (message.size() < sizeof(number))
    return false;
  std::memcpy(&number, message.data(), sizeof(number));
  text = message.substr(sizeof(number));
  return true;
}

inline std::string messageOfStatus(const Status &status) {
  return numbered(uint32_t(status.code), status.text);
}
inline Status statusOfMessage(std::string_view message) {
  uint32_t code = 0;
  std::string_view text;
  if (!readNumbered(message, code, text) || code == 0 ||
      code > uint32_t(blinkRemoteError))
    return {blinkRemoteError, "another rank failed"};
  return {blinkResult_t(code), std::string(text)};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_CONTROLMESSAGES_H
