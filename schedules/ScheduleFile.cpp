//===- ScheduleFile.cpp - opening and sealing .sched files ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The envelope of a file: checksum and structure. CheckRules.h has the rules.
//
//===----------------------------------------------------------------------===//

#include "schedules/ScheduleFile.h"

#include "schedules/CheckRules.h"
#include "schedules/Hash.h"
#include "schedules/Text.h"

#include <exception>

namespace blink::sched {
namespace {

constexpr size_t kLeastBytes = 16 + kHashBytes;
constexpr size_t kMostBytes = size_t(1) << 31; // FlatBuffers offsets are signed
constexpr char kDamagedSchedule[] =
    "; the file is damaged, of another format version "
    "or not a Blink schedule: copy or compile it again";

/// Checks the checksum and the structure.
const Schedule *structureOf(const uint8_t *data, size_t size,
                            std::string &error,
                            const char *identifier = ScheduleIdentifier()) {
  const auto refuse = [&](const auto &...what) {
    error = textOf(what...);
    return nullptr;
  };
  if (size % 8 != 0 || size < kLeastBytes || size >= kMostBytes)
    return refuse("a file of ", size, " bytes cannot be a schedule",
                  kDamagedSchedule);
  if (reinterpret_cast<uintptr_t>(data) % 8 != 0)
    return refuse("the schedule's bytes are not aligned; put them at a "
                  "multiple of 8");
  size -= kHashBytes;
  if (!hashFollows(data, size))
    return refuse(std::string("the checksum does not match") +
                  kDamagedSchedule);
  // A table takes at least 4 bytes, so an honest file has at most size / 4 of
  // them. The limit ends the walk over a file that refers to the same table
  // again and again.
  flatbuffers::Verifier::Options options;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(size / 4);
  flatbuffers::Verifier verifier(data, size, options);
  if (!verifier.VerifyBuffer<Schedule>(identifier))
    return refuse(
        flatbuffers::BufferHasIdentifier(data, identifier)
            ? std::string("the FlatBuffers structure is broken")
            : textOf("the identifier \"", identifier, "\" is missing"),
        kDamagedSchedule);
  return GetSchedule(data);
}

const Schedule *openChecked(const uint8_t *data, size_t size, bool inFull,
                            std::string &error) {
  const Schedule *file = structureOf(data, size, error);
  if (!file)
    return nullptr;
  error = checkRules(*file, size - kHashBytes);
  if (error.empty() && inFull && isSymmetric(*file))
    error = "the schedule is in symmetric form; write it out in full with: "
            "blinkc expand FILE.sched -o OUT.sched";
  return error.empty() ? file : nullptr;
}

const Schedule *open(const uint8_t *data, size_t size, bool inFull,
                     std::string &error) {
  try {
    return openChecked(data, size, inFull, error);
  } catch (const std::exception &) { // out of memory: no exception escapes
    error.assign("out of memory");
    return nullptr;
  }
}

} // namespace

const Schedule *openSchedule(const uint8_t *data, size_t size,
                             std::string &error) {
  return open(data, size, /*inFull=*/true, error);
}

const Schedule *openAnySchedule(const uint8_t *data, size_t size,
                                std::string &error) {
  return open(data, size, /*inFull=*/false, error);
}

const Schedule *openPacked(const uint8_t *data, size_t size,
                           std::string &error) {
  const Schedule *file = structureOf(data, size, error, kPackedIdentifier);
  if (file)
    error = checkRules(*file, size - kHashBytes, /*isPacked=*/true);
  return error.empty() ? file : nullptr;
}

bool isSymmetric(const uint8_t *data, size_t size) {
  std::string error;
  try {
    const Schedule *file = structureOf(data, size, error);
    return file && isSymmetric(*file);
  } catch (const std::exception &) {
    return false;
  }
}

bool isSymmetric(const Program &program) {
  for (const Variant *variant : *program.variants())
    if (variant->symmetric())
      return true;
  return false;
}

bool isSymmetric(const Schedule &file) {
  for (const Program *program : *file.programs())
    if (isSymmetric(*program))
      return true;
  return false;
}

std::vector<uint8_t> sealSchedule(flatbuffers::FlatBufferBuilder &builder,
                                  flatbuffers::Offset<Schedule> root) {
  FinishScheduleBuffer(builder, root);
  const uint8_t *begin = builder.GetBufferPointer();
  std::vector<uint8_t> bytes(begin, begin + builder.GetSize());
  bytes.resize((bytes.size() + 7) / 8 * 8);
  appendHash(bytes);
  return bytes;
}

uint32_t numPrograms(const Program &program) {
  uint32_t relays = program.relays() ? program.relays()->size() : 0;
  return program.allocation()->size() + relays;
}

} // namespace blink::sched
