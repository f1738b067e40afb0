//===- SettingsIR.cpp - compile settings in IR ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/SettingsIR.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace blink;

static constexpr llvm::StringLiteral kAttrName = "collective.options";

void blink::setSettings(ModuleOp module, const sched::Settings &settings) {
  Builder builder(module.getContext());
  SmallVector<Attribute> words;
  for (const sched::Setting &setting : settings)
    words.push_back(builder.getStringAttr(setting.name + "=" + setting.value));
  module->setAttr(kAttrName, builder.getArrayAttr(words));
}

FailureOr<sched::Settings> blink::settingsOf(ModuleOp module) {
  sched::Settings settings;
  Attribute attr = module->getAttr(kAttrName);
  if (!attr)
    return settings;
  auto refuse = [&] {
    return module.emitError() << kAttrName << " is " << attr
                              << ", expected a list of \"name=value\"";
  };
  auto words = dyn_cast<ArrayAttr>(attr);
  if (!words)
    return refuse();
  for (Attribute word : words) {
    auto text = dyn_cast<StringAttr>(word);
    if (!text || !text.getValue().contains('='))
      return refuse();
    // The value may contain '='.
    auto [name, value] = text.getValue().split('=');
    settings.push_back({name.str(), value.str()});
  }
  return settings;
}
