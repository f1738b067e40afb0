//===- DeviceReader.h - reading what a rank's GPU does ----------*- C++ -*-===//
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

/// Converts the host's record of a call. In messages, `what` has the peer where
/// collectives have the root.
CallPicture pictureOf(const CallRecord &record, bool message,
                      const TickScale &scale);

/// Reads the part of a rank whose calls run on a device, at `begin` of a file.
/// A call has begun or ended if the device says so. Calls that the rank's
/// process has launched and the device has not begun are still to come. Calls
/// that a graph launches are seen once they begin.
class DeviceReader {
public:
  DeviceReader(const FlightSource &source, const FlightHeader &header,
               uint64_t begin, const TickScale &scale)
      : source_(source), header_(header), layout_(header), begin_(begin),
        scale_(scale) {}

  /// Sets everything but the fields about the process. Returns false if the
  /// file has been truncated.
  bool read(RankPicture &rank);

private:
  /// The time of each launch, by its number.
  using Launches = std::map<uint32_t, uint64_t>;

  bool readCalls(uint64_t offset, uint64_t count, bool messages,
                 const Launches &launches, std::vector<CallPicture> &calls);
  CallPicture callOf(const DeviceCallRecord &record, int queue,
                     const Launches &launches) const;
  void showWait(const DeviceLaneRecord &record, bool message,
                RankPicture &rank);
  /// Converts a moment of the device's clock.
  uint64_t timeOf(uint64_t moment) const;

  const FlightSource &source_;
  const FlightHeader &header_;
  const FlightLayout layout_;
  const uint64_t begin_;
  const TickScale &scale_;
  RankCounters counters_{};
  /// The last launch that has begun, of each queue (Call::queue).
  std::map<int, uint32_t> begun_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_DEVICEREADER_H
