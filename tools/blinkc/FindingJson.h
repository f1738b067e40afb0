//===- FindingJson.h - findings in JSON reports -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_FINDINGJSON_H
#define BLINK_TOOLS_BLINKC_FINDINGJSON_H

#include "compiler/report/Finding.h"

#include "nlohmann/json.hpp"

namespace blink {

/// The keys of findings[] of diff and check (docs/cli.md).
nlohmann::ordered_json jsonFinding(const Finding &finding);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_FINDINGJSON_H
