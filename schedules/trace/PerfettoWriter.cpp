//===- PerfettoWriter.cpp - a replay as Perfetto's trace ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/Hash.h"
#include "schedules/trace/PerfettoFields.h"
#include "schedules/trace/PerfettoTrace.h"
#include "schedules/trace/ProtoWire.h"

#include <algorithm>
#include <map>
#include <set>

namespace blink::sched {

using namespace perfetto;

namespace {

constexpr uint64_t kMostCounts = 500000; // for all links together
constexpr uint64_t kMostSlices = 1000;   // time slices for counters

class Writer {
public:
  explicit Writer(const ReplayTrace &trace) : trace_(trace) {}

  std::string run() {
    // Concatenated files are told apart by this.
    sequence_ = trace_.folds.empty() ? 1 : 1 + trace_.folds.front().rank;
    startSequence();
    describeTracks();
    for (const TracedFold &fold : trace_.folds)
      addFold(fold);
    if (!trace_.links.empty())
      addCounters();
    return std::move(file_);
  }

private:
  void startSequence();
  void describeTracks();
  void describeLink(const std::string &name);
  void addCounter(const std::string &name, const std::vector<double> &bytes,
                  uint64_t first, double length);
  void addFold(const TracedFold &fold);
  void addFlows(const TracedFold &fold, const TraceStep &step,
                ProtoMessage &event);
  void addCounters();
  std::vector<TracedTransfer> transfers() const;

  const TraceVariant *variantOf(uint32_t number) const {
    return number < trace_.variants.size() ? &trace_.variants[number] : nullptr;
  }
  const TraceStep *stepOf(const TracedFold &fold) const;
  std::string nameOfRank(uint32_t rank) const {
    return rank < trace_.ranks.size() ? trace_.ranks[rank]
                                      : "rank " + std::to_string(rank);
  }
  /// Names of the ranks at one end of channels, each rank once.
  std::string namesOf(const TraceVariant &variant,
                      const std::vector<uint32_t> &channels,
                      uint32_t TraceChannel::*end) const;

  void packet(ProtoMessage &&message) {
    message.number(packet::kSequence, sequence_);
    ProtoMessage whole;
    whole.message(kTracePacket, message);
    file_ += whole.bytes();
  }
  void eventAt(uint64_t time, const ProtoMessage &event) {
    ProtoMessage message;
    message.number(packet::kTimestamp, time);
    message.message(packet::kTrackEvent, event);
    message.number(packet::kSequenceFlags, packet::kNeedsState);
    packet(std::move(message));
  }
  static void note(ProtoMessage &event, Note note, uint64_t value) {
    ProtoMessage annotation;
    annotation.number(annotation::kNameId, uint64_t(note));
    annotation.number(annotation::kNumber, value);
    event.message(event::kAnnotation, annotation);
  }
  static void note(ProtoMessage &event, Note note, const std::string &text) {
    ProtoMessage annotation;
    annotation.number(annotation::kNameId, uint64_t(note));
    annotation.text(annotation::kText, text);
    event.message(event::kAnnotation, annotation);
  }

  const ReplayTrace &trace_;
  uint64_t sequence_ = 1;
  std::string file_;
  /// Number of chunks written to and read from each channel so far, by variant.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> written_, read_;
};

} // namespace

void Writer::startSequence() {
  ProtoMessage names;
  for (size_t i = 0; i < std::size(kNoteNames); ++i) {
    ProtoMessage name;
    name.number(interned::kId, i + 1);
    name.text(interned::kName, kNoteNames[i]);
    names.message(interned::kAnnotationNames, name);
  }
  ProtoMessage message;
  message.message(packet::kInternedData, names);
  message.number(packet::kSequenceFlags, packet::kStateCleared);
  packet(std::move(message));
}

void Writer::describeTracks() {
  std::set<std::pair<uint32_t, uint32_t>> lanes;
  for (const TracedFold &fold : trace_.folds)
    lanes.emplace(fold.rank, fold.lane);
  uint64_t last = UINT64_MAX;
  for (auto [rank, lane] : lanes) {
    // Thread numbers have to be unique over all processes.
    const uint64_t pid = (uint64_t(rank) + 1) << 16;
    if (rank != last) {
      last = rank;
      ProtoMessage process, descriptor, message;
      process.number(track::kPid, pid);
      process.text(track::kProcessName, nameOfRank(rank));
      descriptor.number(track::kUuid, rankTrack(rank));
      descriptor.message(track::kProcess, process);
      message.message(packet::kTrackDescriptor, descriptor);
      packet(std::move(message));
    }
    ProtoMessage thread, descriptor, message;
    thread.number(track::kThreadPid, pid);
    thread.number(track::kTid, pid + lane + 1);
    thread.text(track::kThreadName, "lane " + std::to_string(lane));
    descriptor.number(track::kUuid, laneTrack(rank, lane));
    descriptor.number(track::kParent, rankTrack(rank));
    descriptor.message(track::kThread, thread);
    message.message(packet::kTrackDescriptor, descriptor);
    packet(std::move(message));
  }
}

/// Returns the track of a link, which depends on its name only, so that
/// concatenated files share it. It lies between the track that groups links and
/// those of ranks.
static uint64_t linkTrack(const std::string &name) {
  return kLinksTrack + 1 + hash64(name.data(), name.size()) % (kFirstRank / 2);
}

void Writer::describeLink(const std::string &name) {
  ProtoMessage counter, descriptor, message;
  counter.text(track::kUnitName, "GB/s");
  descriptor.number(track::kUuid, linkTrack(name));
  descriptor.number(track::kParent, kLinksTrack);
  descriptor.text(track::kName, name);
  descriptor.message(track::kCounter, counter);
  message.message(packet::kTrackDescriptor, descriptor);
  packet(std::move(message));
}

const TraceStep *Writer::stepOf(const TracedFold &fold) const {
  const TraceVariant *variant = variantOf(fold.variant);
  if (!variant || fold.rank >= variant->steps.size() ||
      fold.lane >= variant->steps[fold.rank].size() ||
      fold.step >= variant->steps[fold.rank][fold.lane].size())
    return nullptr;
  return &variant->steps[fold.rank][fold.lane][fold.step];
}

std::string Writer::namesOf(const TraceVariant &variant,
                            const std::vector<uint32_t> &channels,
                            uint32_t TraceChannel::*end) const {
  std::set<uint32_t> ranks;
  for (uint32_t channel : channels)
    ranks.insert(variant.channels[channel].*end);
  std::string names;
  for (uint32_t rank : ranks)
    names += (names.empty() ? "" : ", ") + nameOfRank(rank);
  return names;
}

/// Returns the flow of a chunk of a channel. The n-th chunk written is the n-th
/// chunk read, whichever side this file is from.
static uint64_t flowOf(uint32_t variant, uint32_t channel, uint64_t chunk) {
  return uint64_t(variant & 0xfff) << 52 | uint64_t(channel & 0x3fffff) << 30 |
         ((chunk + 1) & 0x3fffffff);
}

void Writer::addFlows(const TracedFold &fold, const TraceStep &step,
                      ProtoMessage &event) {
  for (uint32_t channel : step.writes)
    event.fixed64(event::kFlow, flowOf(fold.variant, channel,
                                       written_[{fold.variant, channel}]++));
  for (uint32_t channel : step.reads)
    event.fixed64(event::kLastFlow, flowOf(fold.variant, channel,
                                           read_[{fold.variant, channel}]++));
}

void Writer::addFold(const TracedFold &fold) {
  const TraceStep *step = stepOf(fold);
  ProtoMessage begin;
  begin.number(event::kType, event::kBegin);
  begin.number(event::kTrack, laneTrack(fold.rank, fold.lane));
  begin.text(event::kName, (step ? "tree " + std::to_string(step->tree)
                                 : "step " + std::to_string(fold.step)) +
                               " chunk " + std::to_string(fold.chunk));
  note(begin, Note::step, fold.step);
  note(begin, Note::chunk, fold.chunk);
  note(begin, Note::bytes, fold.bytes);
  note(begin, Note::waited, fold.waited);
  if (fold.moved > 0)
    note(begin, Note::moved, fold.moved);
  note(begin, Note::variant, fold.variant);
  if (step) {
    const TraceVariant &variant = trace_.variants[fold.variant];
    begin.text(event::kCategory, variant.name);
    if (!step->reads.empty())
      note(begin, Note::from,
           namesOf(variant, step->reads, &TraceChannel::source));
    if (!step->writes.empty())
      note(begin, Note::to,
           namesOf(variant, step->writes, &TraceChannel::destination));
    addFlows(fold, *step, begin);
  }
  eventAt(fold.begin, begin);
  ProtoMessage end;
  end.number(event::kType, event::kEnd);
  end.number(event::kTrack, laneTrack(fold.rank, fold.lane));
  eventAt(fold.end, end);
}

std::vector<TracedTransfer> Writer::transfers() const {
  if (!trace_.transfers.empty())
    return trace_.transfers;
  std::vector<TracedTransfer> transfers;
  for (const TracedFold &fold : trace_.folds)
    if (const TraceStep *step = stepOf(fold))
      for (uint32_t channel : step->writes)
        transfers.push_back(
            {fold.variant, channel, fold.bytes, fold.begin, fold.end});
  return transfers;
}

/// Adds means over time slices, because the rate of a link may change with each
/// of a million chunks.
void Writer::addCounters() {
  const std::vector<TracedTransfer> sent = transfers();
  if (sent.empty())
    return;
  uint64_t first = UINT64_MAX, last = 0;
  for (const TracedTransfer &one : sent) {
    first = std::min(first, one.begin);
    last = std::max(last, one.end);
  }
  const uint64_t slices =
      std::clamp<uint64_t>(kMostCounts / trace_.links.size(), 10, kMostSlices);
  const double length =
      std::max(1.0, double(last - first) / double(slices)); // nanoseconds
  std::vector<std::vector<double>> bytes(trace_.links.size(),
                                         std::vector<double>(slices, 0));
  for (const TracedTransfer &one : sent) {
    const TraceVariant *variant = variantOf(one.variant);
    if (!variant || one.channel >= variant->channels.size())
      continue;
    const double begin = double(one.begin - first) / length;
    const double end = std::max(double(one.end - first) / length, begin);
    const auto lastSlice = std::min<uint64_t>(slices - 1, uint64_t(end));
    for (auto slice = std::min<uint64_t>(slices - 1, uint64_t(begin));
         slice <= lastSlice; ++slice) {
      const double from = std::max(begin, double(slice));
      const double to = std::min(end, double(slice + 1));
      const double part = end > begin ? (to - from) / (end - begin) : 1;
      for (uint32_t link : variant->channels[one.channel].links)
        bytes[link][slice] += part * double(one.bytes);
    }
  }
  ProtoMessage group, message;
  group.number(track::kUuid, kLinksTrack);
  group.text(track::kName, "links");
  message.message(packet::kTrackDescriptor, group);
  packet(std::move(message));
  for (size_t link = 0; link < bytes.size(); ++link)
    addCounter(trace_.links[link], bytes[link], first, length);
}

/// Adds a counter for `bytes` in slices of `length` nanoseconds, unless all are
/// 0.
void Writer::addCounter(const std::string &name,
                        const std::vector<double> &bytes, uint64_t first,
                        double length) {
  if (std::all_of(bytes.begin(), bytes.end(),
                  [](double value) { return value == 0; }))
    return;
  describeLink(name);
  for (size_t slice = 0; slice <= bytes.size(); ++slice) {
    // After the last slice the link carries nothing. Of equal values the first
    // suffices.
    const double value = slice < bytes.size() ? bytes[slice] : 0;
    if (slice > 0 && value == bytes[slice - 1])
      continue;
    ProtoMessage counter;
    counter.number(event::kType, event::kCounter);
    counter.number(event::kTrack, linkTrack(name));
    counter.real(event::kCounterValue, value / length);
    eventAt(first + uint64_t(double(slice) * length), counter);
  }
}

std::string toPerfetto(const ReplayTrace &trace) { return Writer(trace).run(); }

} // namespace blink::sched
