//===- PictureReader.cpp - pictures of jobs from their files --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/PictureReader.h"

#include "runtime/flight/DeviceReader.h"
#include "runtime/flight/FlightFolder.h"

#include <algorithm>

namespace blink::runtime {
namespace {

/// Reads the ranks of one file.
class Reader {
public:
  Reader(const FlightSource &source, const FlightHeader &header)
      : source_(source), header_(header), layout_(header),
        scale_(header.ticks, header.nanoseconds) {}

  /// Returns false if the file has been truncated.
  bool read(uint64_t here, RankPicture &rank) const;

private:
  bool readHost(uint64_t begin, RankPicture &rank) const;
  bool readCalls(uint64_t offset, uint64_t begun, bool messages,
                 std::vector<CallPicture> &calls) const;
  bool readWaits(uint64_t offset, uint64_t count, bool messages,
                 RankPicture &rank) const;

  const FlightSource &source_;
  const FlightHeader &header_;
  const FlightLayout layout_;
  const TickScale scale_;
};

bool Reader::readCalls(uint64_t offset, uint64_t begun, bool messages,
                       std::vector<CallPicture> &calls) const {
  // The record of a call that ends meanwhile differs between the two copies and
  // is left out. In that case look again, because the newest call is the one
  // that matters.
  constexpr int kMostLooks = 4;
  for (int look = 0; look < kMostLooks; ++look) {
    std::vector<CallRecord> records;
    if (!source_.readTwice(offset, header_.numCalls, records))
      return false;
    calls.clear();
    for (const CallRecord &record : records)
      calls.push_back(pictureOf(record, messages, scale_));
    std::sort(calls.begin(), calls.end(),
              [](const CallPicture &a, const CallPicture &b) {
                return a.number < b.number;
              });
    if (messages || begun == 0 ||
        (!calls.empty() && calls.back().number >= begun))
      break;
  }
  // Calls that a rank has begun after its counter was read belong to a later
  // moment.
  while (!messages && !calls.empty() && calls.back().number > begun)
    calls.pop_back();
  return true;
}

bool Reader::readWaits(uint64_t offset, uint64_t count, bool messages,
                       RankPicture &rank) const {
  std::vector<LaneRecord> records;
  if (!source_.readTwice(offset, count, records))
    return false;
  const std::vector<CallPicture> &calls = messages ? rank.sent : rank.calls;
  for (const LaneRecord &record : records) {
    if (record.call == 0 || record.peer >= header_.numRanks)
      continue;
    const auto call =
        std::find_if(calls.begin(), calls.end(), [&](const CallPicture &one) {
          return one.number == record.call;
        });
    // So many messages may have followed one that waits that it is not kept.
    if (call != calls.end() ? call->underWay() : messages)
      rank.waits.push_back({messages, record.call, uint32_t(record.lane),
                            uint32_t(record.lane >> 32),
                            uint32_t(record.channel), int(record.peer),
                            record.reading != 0, record.expected, record.seen,
                            scale_.timeOf(record.since)});
  }
  return true;
}

/// Reads a rank whose process runs its calls itself.
bool Reader::readHost(uint64_t begin, RankPicture &rank) const {
  RankCounters counters;
  std::vector<uint64_t> waits(2 * header_.numRanks);
  if (!source_.read(begin, &counters, sizeof(counters)) ||
      !source_.read(begin + layout_.waits, waits.data(),
                    waits.size() * sizeof(waits[0])) ||
      !readCalls(begin + layout_.collectives, counters.collectives, false,
                 rank.calls) ||
      (header_.numQueues != 0 &&
       !readCalls(begin + layout_.messages, counters.messages, true,
                  rank.sent)) ||
      !readWaits(begin + layout_.lanes, header_.numLanes, false, rank) ||
      !readWaits(begin + layout_.queues, header_.numQueues, true, rank))
    return false;
  rank.collectives = counters.collectives;
  rank.messages = counters.messages;
  for (uint64_t peer = 0; peer < header_.numRanks; ++peer)
    rank.waitedFor.push_back(
        scale_.length(waits[peer] + waits[header_.numRanks + peer]));
  return true;
}

bool Reader::read(uint64_t here, RankPicture &rank) const {
  const uint64_t begin = layout_.offsetOf(here);
  if (header_.numLaunches == 0
          ? !readHost(begin, rank)
          : !DeviceReader(source_, header_, begin, scale_).read(rank))
    return false;
  rank.known = true;
  rank.process = header_.process;
  rank.liveness =
      livenessOf(header_.process, header_.started, header_.pidNamespace);
  return true;
}

/// Adds the ranks of a file to its job.
void add(const FlightSource &source, const FlightHeader &header,
         JobPicture &job) {
  job.job = header.job;
  job.backend = blinkBackend_t(int32_t(uint32_t(header.backend)));
  job.timeout = header.timeout;
  if (job.ranks.size() < header.numRanks)
    job.ranks.resize(header.numRanks);
  const Reader reader(source, header);
  // After the reader's scale was made: no moment in the picture is later.
  job.taken = wallTime();
  for (uint64_t here = 0; here < header.numHere; ++here) {
    RankPicture rank;
    if (reader.read(here, rank))
      job.ranks[header.firstRank + here] = std::move(rank);
  }
}

} // namespace

std::vector<JobPicture> readJobs() {
  std::vector<JobPicture> jobs;
  for (const std::string &path : listFlights()) {
    const FlightSource source(path);
    FlightHeader header;
    if (!source.readHeader(header))
      continue;
    auto job =
        std::find_if(jobs.begin(), jobs.end(), [&](const JobPicture &one) {
          return one.job == header.job;
        });
    if (job == jobs.end())
      job = jobs.emplace(jobs.end());
    add(source, header, *job);
  }
  return jobs;
}

JobPicture readJob(const FlightFile &own) {
  JobPicture job;
  const FlightSource memory(own.memory());
  FlightHeader mine;
  if (!own.memory() || !memory.readHeader(mine))
    return job;
  for (const std::string &path : listFlights()) {
    const FlightSource source(path);
    FlightHeader header;
    if (path != own.path() && source.readHeader(header) &&
        header.job == mine.job)
      add(source, header, job);
  }
  add(memory, mine, job);
  return job;
}

} // namespace blink::runtime
