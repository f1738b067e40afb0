//===- LaneCosts.cpp - what lanes of a device cost ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/LaneCosts.h"

#include "compiler/plan/NetworkCosts.h"
#include "compiler/plan/TimeModel.h"
#include "compiler/simulate/Simulate.h"
#include "compiler/support/LocatedJson.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace blink;
using llvm::Error;

DeviceCosts blink::modelCosts() {
  auto costs = [](sched::Protocol protocol) {
    const ProtocolCosts of = costsOf(protocol);
    return std::vector<DeviceCosts::Row>{
        {0, {of.chunkOverhead, of.laneRate, 0, of.overhead, of.gap}}};
  };
  return {"model", costs(sched::Protocol::simple),
          costs(sched::Protocol::low_latency), std::nullopt, std::nullopt};
}

std::vector<double> DeviceCosts::enginesOf(const FoldProgram &program) const {
  if (!network)
    return engineCosts(program);
  std::vector<double> costs;
  for (const FoldProgram::Channel &channel : program.channels)
    costs.push_back(channel.leavesMachine() ? *network : 0);
  return costs;
}

LaneCosts DeviceCosts::of(sched::Protocol protocol, uint64_t bytes) const {
  const std::vector<Row> &rows =
      protocol == sched::Protocol::low_latency ? lowLatency : simple;
  auto above = llvm::find_if(
      rows, [&](const Row &row) { return row.bytes > double(bytes); });
  if (above == rows.begin() || above == rows.end())
    return above == rows.end() ? rows.back().costs : above->costs;
  const Row &low = above[-1], &high = *above;
  const double part = std::log(double(bytes) / std::max(low.bytes, 1.0)) /
                      std::log(high.bytes / std::max(low.bytes, 1.0));
  auto between = [&](double a, double b) { return a + (b - a) * part; };
  // A rate of 0 means that there is no limit. If one of the rates is 0, the
  // times of a byte (0 or 1 / rate) are interpolated instead of the rates.
  auto rateBetween = [&](double a, double b) {
    if (a > 0 && b > 0)
      return between(a, b);
    const double time = between(a > 0 ? 1 / a : 0, b > 0 ? 1 / b : 0);
    return time > 0 ? 1 / time : 0;
  };
  auto reduceRateOf = [](const LaneCosts &costs) {
    return costs.reduceRate > 0 ? costs.reduceRate : costs.rate;
  };
  return {between(low.costs.step, high.costs.step),
          rateBetween(low.costs.rate, high.costs.rate),
          rateBetween(reduceRateOf(low.costs), reduceRateOf(high.costs)),
          between(low.costs.notice, high.costs.notice),
          between(low.costs.gap, high.costs.gap)};
}

void DeviceCosts::addTo(SimulationOptions &options, const FoldProgram &program,
                        sched::Protocol protocol, uint64_t bytes) const {
  const LaneCosts lane = of(protocol, bytes);
  options.stepCost += lane.step;
  options.laneRate = lane.rate;
  options.notice = lane.notice;
  options.gap = lane.gap;
  if (leavesMachine(program)) // otherwise engines cost nothing
    options.engineCosts = enginesOf(program);
}

namespace {

class CostsReader {
public:
  CostsReader(llvm::StringRef fileName) : fileName_(fileName) {}

  Error read(const JsonValue &root, DeviceCosts &costs);

private:
  using Members = std::map<std::string, const JsonValue *>;

  /// Finds all of `keys`, and perhaps `optional`; other keys are errors.
  Error members(const JsonValue &value, std::vector<std::string> keys,
                Members &found, std::vector<std::string> optional = {});
  Error readNumbers(const JsonValue &value, std::vector<std::string> keys,
                    std::vector<double> &numbers,
                    std::vector<std::string> optional = {});
  Error readRows(const JsonValue &value, std::vector<DeviceCosts::Row> &rows);
  Error readHost(const JsonValue &value, DeviceCosts &costs);
  Error wrong(const JsonValue &value, const llvm::Twine &message) {
    return errorAt(fileName_, value.place, message);
  }

  llvm::StringRef fileName_;
};

} // namespace

Error CostsReader::members(const JsonValue &value,
                           std::vector<std::string> keys, Members &found,
                           std::vector<std::string> optional) {
  if (value.kind != JsonValue::Kind::object)
    return wrong(value, "expected an object, got " + describe(value.kind));
  for (const JsonMember &member : value.members) {
    if (!llvm::is_contained(keys, member.key) &&
        !llvm::is_contained(optional, member.key))
      return errorAt(fileName_, member.place,
                     "unknown key \"" + member.key + "\"");
    if (!found.try_emplace(member.key, &member.value).second)
      return errorAt(fileName_, member.place,
                     "key \"" + member.key + "\" is there twice");
  }
  for (const std::string &key : keys)
    if (found.count(key) == 0)
      return wrong(value, "key \"" + key + "\" is missing");
  return Error::success();
}

/// Appends the numbers of `keys`, in their order, and then those of `optional`,
/// or 0.
Error CostsReader::readNumbers(const JsonValue &value,
                               std::vector<std::string> keys,
                               std::vector<double> &numbers,
                               std::vector<std::string> optional) {
  Members found;
  if (Error error = members(value, keys, found, optional))
    return error;
  llvm::append_range(keys, optional);
  for (const std::string &key : keys) {
    if (found.count(key) == 0) {
      numbers.push_back(0);
      continue;
    }
    const JsonValue &number = *found[key];
    if (number.kind != JsonValue::Kind::number || number.number < 0 ||
        number.number > 1e15)
      return wrong(number, key + " must be a number, at least 0");
    numbers.push_back(number.number);
  }
  return Error::success();
}

Error CostsReader::readRows(const JsonValue &value,
                            std::vector<DeviceCosts::Row> &rows) {
  std::vector<double> numbers;
  if (value.kind != JsonValue::Kind::array) {
    if (Error error = readNumbers(value, {"step_us", "lane_gbps"}, numbers,
                                  {"notice_us", "gap_us"}))
      return error;
    rows = {{0, {numbers[0], numbers[1], 0, numbers[2], numbers[3]}}};
    return Error::success();
  }
  for (const JsonValue &row : value.items) {
    numbers.clear();
    if (Error error =
            readNumbers(row, {"bytes", "step_us", "lane_gbps"}, numbers,
                        {"reduce_gbps", "notice_us", "gap_us"}))
      return error;
    if (!rows.empty() && rows.back().bytes >= numbers[0])
      return wrong(row, "bytes must ascend from row to row");
    rows.push_back(
        {numbers[0],
         {numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]}});
  }
  return rows.empty() ? wrong(value, "expected at least one row")
                      : Error::success();
}

Error CostsReader::readHost(const JsonValue &value, DeviceCosts &costs) {
  std::vector<double> numbers;
  if (Error error = readNumbers(
          value,
          {"processors", "call_us", "notice_us", "switch_us", "borrow_bytes"},
          numbers))
    return error;
  if (numbers[0] < 1 || numbers[0] > 1e6)
    return wrong(value, "processors must be 1 to 1e6");
  costs.host = {unsigned(numbers[0]), numbers[1], numbers[2], numbers[3],
                uint64_t(numbers[4])};
  return Error::success();
}

Error CostsReader::read(const JsonValue &root, DeviceCosts &costs) {
  Members found;
  if (Error error = members(
          root, {"format", "version", "device", "simple", "low_latency"}, found,
          {"host", "network_us"}))
    return error;
  if (found["format"]->text != "blink-costs")
    return wrong(*found["format"], "expected format \"blink-costs\"");
  if (found["version"]->number != 1)
    return wrong(*found["version"], "expected version 1");
  if (found["device"]->kind != JsonValue::Kind::string)
    return wrong(*found["device"], "expected the device's name");
  costs.device = found["device"]->text;
  if (Error error = readRows(*found["simple"], costs.simple))
    return error;
  if (Error error = readRows(*found["low_latency"], costs.lowLatency))
    return error;
  if (found.count("network_us") > 0) {
    const JsonValue &network = *found["network_us"];
    if (network.kind != JsonValue::Kind::number || network.number < 0 ||
        network.number > 1e6)
      return wrong(network, "network_us must be a number of 0 to 1e6");
    costs.network = network.number;
  }
  return found.count("host") ? readHost(*found["host"], costs)
                             : Error::success();
}

llvm::Expected<DeviceCosts> blink::parseCosts(llvm::StringRef text,
                                              llvm::StringRef fileName) {
  llvm::Expected<JsonValue> root = parseLocatedJson(text, fileName);
  if (!root)
    return root.takeError();
  DeviceCosts costs;
  if (Error error = CostsReader(fileName).read(*root, costs))
    return error;
  return costs;
}

llvm::Expected<DeviceCosts> blink::costsAt(llvm::StringRef path) {
  if (path == "model")
    return modelCosts();
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readTextFile(path);
  if (!buffer)
    return buffer.takeError();
  return parseCosts((*buffer)->getBuffer(), path == "-" ? "<stdin>" : path);
}
