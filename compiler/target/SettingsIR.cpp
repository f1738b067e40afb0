//===- SettingsIR.cpp - compile settings in IR ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/SettingsIR.h"

#include "dialect/KnownAttrs.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace blink;

void blink::setSettings(ModuleOp module, const sched::Settings &settings) {
  Builder builder(module.getContext());
  SmallVector<Attribute> words;
  for (const sched::Setting &setting : settings)
    words.push_back(builder.getStringAttr(setting.name + "=" + setting.value));
  module->setAttr(collective::kOptionsAttr, builder.getArrayAttr(words));
}

sched::Settings blink::settingsOf(ModuleOp module) {
  sched::Settings settings;
  auto words = module->getAttrOfType<ArrayAttr>(collective::kOptionsAttr);
  if (!words)
    return settings;
  for (auto word : words.getAsRange<StringAttr>()) {
    // The value may contain '='.
    auto [name, value] = word.getValue().split('=');
    settings.push_back({name.str(), value.str()});
  }
  return settings;
}
