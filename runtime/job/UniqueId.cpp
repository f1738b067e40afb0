//===- UniqueId.cpp - what is in a unique id ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/UniqueId.h"

#include <cstring>
#include <type_traits>

namespace blink::runtime {
namespace {

static_assert(std::is_trivially_copyable_v<IdContent>);

constexpr char kMagic[8] = {'b', 'l', 'i', 'n', 'k', 'i', 'd', '2'};

} // namespace

OfferKey IdContent::localKey() const {
  OfferKey key{};
  key.name = nameFrom(name, sizeof(name));
  static_assert(sizeof(key.secret) >= sizeof(secret.bytes));
  std::memcpy(key.secret, secret.bytes.data(), secret.bytes.size());
  return key;
}

void IdContent::deriveSecret(const Secret &parent) {
  secret = {parent.sign(
      {"successor", {reinterpret_cast<const char *>(name), sizeof(name)}})};
}

Status makeContent(IdContent &content) {
  content = {};
  std::memcpy(content.magic, kMagic, sizeof(kMagic));
  Status status = fillRandom(content.name, sizeof(content.name));
  return status.ok() ? fillRandom(content.secret.bytes.data(),
                                  content.secret.bytes.size())
                     : status;
}

Status readId(const blinkUniqueId &id, IdContent &content) {
  std::memcpy(static_cast<void *>(&content), &id, sizeof(content));
  if (std::memcmp(content.magic, kMagic, sizeof(kMagic)) != 0 ||
      content.place.count > NetworkPlace::kMost)
    return {blinkInvalidArgument,
            "the unique id is not one that blinkGetUniqueId made"};
  return {};
}

blinkUniqueId idOf(const IdContent &content) {
  blinkUniqueId id;
  std::memcpy(&id, &content, sizeof(id));
  return id;
}

} // namespace blink::runtime
