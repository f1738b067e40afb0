//===- PerfettoReader.cpp - a replay from Perfetto's trace ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/trace/PerfettoFields.h"
#include "schedules/trace/PerfettoTrace.h"
#include "schedules/trace/ProtoWire.h"

#include <map>

namespace blink::sched {

using namespace perfetto;

namespace {

constexpr uint64_t kMostRanks = 1 << 20;

class Reader {
public:
  explicit Reader(ReplayTrace &trace) : trace_(trace) {}

  std::string run(std::string_view bytes) {
    ProtoFields packets(bytes);
    while (packets.next())
      if (packets.field() != kTracePacket || !readPacket(packets.bytes()))
        return "not a Perfetto trace";
    if (!packets.isGood())
      return "not a Perfetto trace, or cut off";
    if (!open_.empty())
      return "a slice has no end; is the file whole?";
    if (trace_.folds.empty())
      return "no fold of a lane in it; traces are written by blinkc simulate "
             "--trace, blink-perf --trace and BLINK_TRACE";
    return "";
  }

private:
  bool readPacket(std::string_view bytes);
  bool readDescriptor(std::string_view bytes);
  bool readEvent(std::string_view bytes, uint64_t time);
  bool readNote(std::string_view bytes, TracedFold &fold) const;

  ReplayTrace &trace_;
  std::map<uint64_t, TracedFold> open_; ///< per track
};

} // namespace

bool Reader::readPacket(std::string_view bytes) {
  ProtoFields fields(bytes);
  uint64_t time = 0;
  std::string_view event, descriptor;
  while (fields.next())
    if (fields.field() == packet::kTimestamp)
      time = fields.number();
    else if (fields.field() == packet::kTrackEvent)
      event = fields.bytes();
    else if (fields.field() == packet::kTrackDescriptor)
      descriptor = fields.bytes();
  return fields.isGood() &&
         (descriptor.empty() || readDescriptor(descriptor)) &&
         (event.empty() || readEvent(event, time));
}

/// Reads the name of a rank from the descriptor of its track.
bool Reader::readDescriptor(std::string_view bytes) {
  ProtoFields fields(bytes);
  uint64_t uuid = 0;
  std::string_view process;
  while (fields.next())
    if (fields.field() == track::kUuid)
      uuid = fields.number();
    else if (fields.field() == track::kProcess)
      process = fields.bytes();
  if (!fields.isGood() || process.empty() || uuid < kFirstRank)
    return fields.isGood();
  const uint64_t rank = (uuid - kFirstRank) >> 17;
  if (rank >= kMostRanks)
    return false;
  if (trace_.ranks.size() <= rank)
    trace_.ranks.resize(rank + 1);
  ProtoFields ofProcess(process);
  while (ofProcess.next())
    if (ofProcess.field() == track::kProcessName)
      trace_.ranks[rank] = ofProcess.bytes();
  return ofProcess.isGood();
}

bool Reader::readEvent(std::string_view bytes, uint64_t time) {
  ProtoFields fields(bytes);
  uint64_t type = 0, uuid = 0;
  std::string_view category;
  TracedFold fold;
  while (fields.next())
    if (fields.field() == event::kType)
      type = fields.number();
    else if (fields.field() == event::kTrack)
      uuid = fields.number();
    else if (fields.field() == event::kCategory)
      category = fields.bytes();
    else if (fields.field() == event::kAnnotation &&
             !readNote(fields.bytes(), fold))
      return false;
  if (!fields.isGood())
    return false;
  if (uuid < kFirstRank) // a link's counter
    return true;
  const uint64_t rank = (uuid - kFirstRank) >> 17;
  if (rank >= kMostRanks || uuid == rankTrack(rank))
    return false;
  if (type == event::kBegin) {
    fold.rank = uint32_t(rank);
    fold.lane = uint32_t(uuid - rankTrack(rank) - 1);
    fold.begin = time;
    if (!category.empty() && fold.variant < (1u << 16)) {
      if (trace_.variants.size() <= fold.variant)
        trace_.variants.resize(fold.variant + 1);
      trace_.variants[fold.variant].name = category;
    }
    return open_.emplace(uuid, fold).second;
  }
  if (type == event::kEnd) {
    const auto begun = open_.find(uuid);
    if (begun == open_.end() || time < begun->second.begin)
      return false;
    begun->second.end = time;
    trace_.folds.push_back(begun->second);
    open_.erase(begun);
  }
  return true;
}

bool Reader::readNote(std::string_view bytes, TracedFold &fold) const {
  ProtoFields fields(bytes);
  uint64_t name = 0, number = 0;
  while (fields.next())
    if (fields.field() == annotation::kNameId)
      name = fields.number();
    else if (fields.field() == annotation::kNumber)
      number = fields.number();
  switch (Note(name)) {
  case Note::step:
    fold.step = uint32_t(number);
    break;
  case Note::chunk:
    fold.chunk = number;
    break;
  case Note::bytes:
    fold.bytes = number;
    break;
  case Note::waited:
    fold.waited = number;
    break;
  case Note::moved:
    fold.moved = number;
    break;
  case Note::variant:
    fold.variant = uint32_t(number);
    break;
  default: // the names of other ranks
    break;
  }
  return fields.isGood();
}

std::string fromPerfetto(std::string_view bytes, ReplayTrace &trace) {
  return Reader(trace).run(bytes);
}

} // namespace blink::sched
