//===- KnownAttrs.cpp - attributes of the dialect -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dialect/KnownAttrs.h"
#include "dialect/Collective.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace blink::collective;

static bool isUnit(Attribute value) { return isa<UnitAttr>(value); }

static bool isText(Attribute value, ArrayRef<StringRef> texts) {
  auto text = dyn_cast<StringAttr>(value);
  return text && llvm::is_contained(texts, text.getValue());
}

static bool isCount(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isInteger(32) && number.getInt() >= 0;
}

static bool areParts(Attribute value) {
  auto parts = dyn_cast<DenseI32ArrayAttr>(value);
  return parts && llvm::all_of(parts.asArrayRef(), [](int32_t part) {
           return part >= 1 && part <= kMostParts;
         });
}

static bool areSettings(Attribute value) {
  auto words = dyn_cast<ArrayAttr>(value);
  return words && llvm::all_of(words, [](Attribute word) {
           auto text = dyn_cast<StringAttr>(word);
           return text && text.getValue().contains('=');
         });
}

namespace {
/// An attribute, the operations that may have it, and its values.
struct KnownAttr {
  llvm::StringLiteral name;
  bool ofRequests, ofForests, ofModules; ///< forests: schedules, too
  bool (*isGood)(Attribute);
  llvm::StringLiteral values; ///< in words
};
} // namespace

static const KnownAttr kKnown[] = {
    {kMaxPeersAttr, true, true, false, isCount, "an i32 of 0 or more"},
    {kPhasesAttr, true, true, false, isUnit, "no value: leave it out for no"},
    {kInSwitchAttr, true, true, false, isUnit, "no value: leave it out for no"},
    {kOrderAttr, true, false, false,
     [](Attribute value) { return isText(value, {"invariant", "rank"}); },
     "\"invariant\" or \"rank\""},
    {kAccumulateAttr, true, false, false,
     [](Attribute value) { return isText(value, {"f32"}); }, "\"f32\""},
    {kPartsAttr, false, true, false, areParts,
     "an array of i32 from 1 to 1024"},
    {kMediumAttr, false, true, false, isUnit, "no value: leave it out for no"},
    {kTreeOrderAttr, false, true, false,
     [](Attribute value) {
       return isText(value, {"given", "copies", "roots"});
     },
     "\"given\", \"copies\" or \"roots\""},
    {kMixedLanesAttr, false, true, false, isUnit,
     "no value: leave it out for no"},
    {kOptionsAttr, false, false, true, areSettings, "a list of \"name=value\""},
};
static_assert(kMostParts == 1024, "as the words say");

LogicalResult
CollectiveDialect::verifyOperationAttribute(Operation *op,
                                            NamedAttribute attribute) {
  const KnownAttr *known = llvm::find_if(kKnown, [&](const KnownAttr &one) {
    return attribute.getName() == one.name &&
           ((one.ofRequests && isa<RequestOpInterface>(op)) ||
            (one.ofForests && isa<ForestOp, ScheduleOp>(op)) ||
            (one.ofModules && isa<ModuleOp>(op)));
  });
  if (known == std::end(kKnown))
    return op->emitError() << "has an attribute " << attribute.getName()
                           << ", which is not known here";
  if (!known->isGood(attribute.getValue()))
    return op->emitError() << known->name << " is " << attribute.getValue()
                           << ", expected " << known->values;
  return success();
}
