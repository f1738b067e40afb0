//===- DeviceReader.h - what a rank's GPU is at -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_DEVICEREADER_H
#define BLINK_RUNTIME_FLIGHT_DEVICEREADER_H

#include "runtime/flight/FlightFolder.h"
#include "runtime/flight/Picture.h"
#include "runtime/flight/Ticks.h"

#include <map>

namespace blink::runtime {

/// What the host has noted of a call. Of messages the peer is where others have
/// the root.
CallPicture pictureOf(const CallRecord &record, bool message,
                      const TickScale &scale);

/// Reads the part of a rank whose calls a device runs, at `begin` of a file. A
/// call has begun, and ended, when the device says so; of what its process has
/// launched the rest is still to come. What graphs launch is seen once it
/// begins.
class DeviceReader {
public:
  DeviceReader(const FlightSource &source, const FlightHeader &header,
               uint64_t begin, const TickScale &scale)
      : source_(source), header_(header), layout_(header), begin_(begin),
        scale_(scale) {}

  /// Sets all but what is of the process. False if the file has been cut.
  bool read(RankPicture &rank);

private:
  /// Of a launch, when it was made.
  using Launches = std::map<uint32_t, uint64_t>;

  bool readCalls(uint64_t offset, uint64_t count, bool messages,
                 const Launches &launches, std::vector<CallPicture> &calls);
  CallPicture callOf(const DeviceCallRecord &record, int queue,
                     const Launches &launches) const;
  void showWait(const DeviceLaneRecord &record, bool message,
                RankPicture &rank);
  /// Of a moment of the device.
  uint64_t timeOf(uint64_t moment) const;

  const FlightSource &source_;
  const FlightHeader &header_;
  const FlightLayout layout_;
  const uint64_t begin_;
  const TickScale &scale_;
  RankCounters counters_{};
  /// The last launch of each queue (Call::queue) that has begun.
  std::map<int, uint32_t> begun_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_DEVICEREADER_H
