//===- LaneCosts.cpp - what lanes of a device cost ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/LaneCosts.h"

#include "compiler/plan/TimeModel.h"
#include "compiler/support/LocatedJson.h"

#include <map>

using namespace blink;
using llvm::Error;

DeviceCosts blink::modelCosts() {
  auto costs = [](sched::Protocol protocol) {
    return LaneCosts{costsOf(protocol).chunkOverhead,
                     costsOf(protocol).laneRate};
  };
  return {"model", costs(sched::Protocol::simple),
          costs(sched::Protocol::low_latency)};
}

namespace {

class CostsReader {
public:
  CostsReader(llvm::StringRef fileName) : fileName_(fileName) {}

  Error read(const JsonValue &root, DeviceCosts &costs);

private:
  using Members = std::map<std::string, const JsonValue *>;

  Error members(const JsonValue &value, std::vector<std::string> keys,
                Members &found);
  Error readLane(const JsonValue &value, LaneCosts &costs);
  Error wrong(const JsonValue &value, const llvm::Twine &message) {
    return errorAt(fileName_, value.place, message);
  }

  llvm::StringRef fileName_;
};

} // namespace

/// All of `keys`, and no others.
Error CostsReader::members(const JsonValue &value,
                           std::vector<std::string> keys, Members &found) {
  if (value.kind != JsonValue::Kind::object)
    return wrong(value, "expected an object, got " + describe(value.kind));
  for (const JsonMember &member : value.members) {
    if (llvm::find(keys, member.key) == keys.end())
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

Error CostsReader::readLane(const JsonValue &value, LaneCosts &costs) {
  Members found;
  if (Error error = members(value, {"step_us", "lane_gbps"}, found))
    return error;
  for (const auto &[key, number] : found)
    if (number->kind != JsonValue::Kind::number || number->number < 0)
      return wrong(*number, key + " must be a number, at least 0");
  costs = {found["step_us"]->number, found["lane_gbps"]->number};
  return Error::success();
}

Error CostsReader::read(const JsonValue &root, DeviceCosts &costs) {
  Members found;
  if (Error error = members(
          root, {"format", "version", "device", "simple", "low_latency"},
          found))
    return error;
  if (found["format"]->text != "blink-costs")
    return wrong(*found["format"], "expected format \"blink-costs\"");
  if (found["version"]->number != 1)
    return wrong(*found["version"], "expected version 1");
  if (found["device"]->kind != JsonValue::Kind::string)
    return wrong(*found["device"], "expected the device's name");
  costs.device = found["device"]->text;
  if (Error error = readLane(*found["simple"], costs.simple))
    return error;
  return readLane(*found["low_latency"], costs.lowLatency);
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
