//===- Provenance.cpp - how a file was made -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/Provenance.h"

#include <algorithm>

namespace blink::sched {

Settings settingsOf(const Provenance &provenance) {
  Settings settings;
  for (const RecordedSetting *setting : *provenance.settings())
    settings.push_back({setting->name()->str(), setting->value()->str()});
  if (provenance.tuned()->size() > 0)
    settings.push_back({"tuned", provenance.tuned()->str()});
  return settings;
}

std::string checkProvenance(const Provenance &provenance, ReadBudget &budget) {
  if (const char *why = budget.pay(provenance.settings()))
    return std::string("provenance.settings: ") + why;
  for (uint32_t i = 0; i < provenance.settings()->size(); ++i) {
    const RecordedSetting &setting = *provenance.settings()->Get(i);
    const std::string place = "provenance.settings[" + std::to_string(i) + "].";
    // Pay before reading: many settings could share one long string.
    if (const char *why = budget.pay(setting.name()))
      return place + "name: " + why;
    if (const char *why = budget.pay(setting.value()))
      return place + "value: " + why;
    const std::string name = setting.name()->str();
    if (name.empty() || !std::all_of(name.begin(), name.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || c == '-';
        }))
      return place + "name: expected letters a to z and '-', at least one";
  }
  return "";
}

std::string toString(const Settings &settings) {
  std::string text;
  for (const Setting &setting : settings)
    text += (text.empty() ? "" : " ") + setting.name + "=" + setting.value;
  return text;
}

flatbuffers::Offset<Provenance>
writeProvenance(flatbuffers::FlatBufferBuilder &builder,
                const std::string &compiler, const Settings &settings) {
  std::vector<flatbuffers::Offset<RecordedSetting>> entries;
  std::string tuned;
  for (const Setting &setting : settings)
    if (setting.name == "tuned")
      tuned = setting.value;
    else
      entries.push_back(CreateRecordedSettingDirect(
          builder, setting.name.c_str(), setting.value.c_str()));
  return CreateProvenanceDirect(builder, compiler.c_str(), &entries,
                                tuned.c_str());
}

} // namespace blink::sched
