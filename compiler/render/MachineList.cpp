//===- MachineList.cpp - the machine types that are shipped ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/MachineList.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"

#include "llvm/Support/FormatVariadic.h"

using namespace blink;

std::string blink::toText(const std::vector<ListedMachine> &machines) {
  std::vector<std::vector<std::string>> rows{
      {"machine", "GPUs", "allreduce at most, GB/s", "what it is"}};
  for (const ListedMachine &machine : machines)
    rows.push_back({machine.name, std::to_string(machine.gpus),
                    llvm::formatv("{0:F3}", machine.allreduceBound).str(),
                    machine.description});
  return toTable(rows);
}

std::string blink::toJson(const std::vector<ListedMachine> &machines) {
  nlohmann::ordered_json json;
  json["machines"] = nlohmann::ordered_json::array();
  for (const ListedMachine &machine : machines)
    json["machines"].push_back(
        {{"name", machine.name},
         {"description", machine.description},
         {"gpus", machine.gpus},
         {"allreduce_bound_gbps", jsonRate(machine.allreduceBound)}});
  return dumpReport(json);
}
