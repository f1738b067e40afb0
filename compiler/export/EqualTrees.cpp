//===- EqualTrees.cpp - several trees that do the same --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/EqualTrees.h"

#include <map>

using namespace blink;

namespace {
/// What a tree does, in numbers that are the same for equal trees.
using Signature = std::vector<uint32_t>;
} // namespace

/// Appends the ends and links of a channel, but not its number.
static void append(Signature &signature, const sched::Variant &variant,
                   const sched::Channel &channel) {
  signature.insert(signature.end(),
                   {channel.source(), channel.destination(),
                    uint32_t(channel.kind()), channel.path_count()});
  for (uint32_t i = 0; i < channel.path_count(); ++i)
    signature.push_back(variant.paths()->Get(channel.path_begin() + i));
}

std::vector<uint32_t> blink::joinEqualTrees(const sched::Variant &variant) {
  std::vector<Signature> signatures;
  for (const sched::Tree *tree : *variant.trees())
    signatures.push_back({tree->block()});
  for (uint32_t r = 0; r < variant.ranks()->size(); ++r) {
    const sched::RankProgram &rank = *variant.ranks()->Get(r);
    for (const sched::Step *step : *rank.steps()) {
      Signature &signature = signatures[step->tree()];
      signature.insert(signature.end(),
                       {r, step->sources(), step->destinations()});
      for (unsigned i = 0; i < step->sources() + step->destinations(); ++i) {
        const sched::Operand &operand =
            *rank.operands()->Get(step->operands_begin() + i);
        signature.push_back(uint32_t(operand.kind()));
        if (operand.kind() == sched::OperandKind::channel)
          append(signature, variant, *variant.channels()->Get(operand.index()));
        else
          signature.push_back(operand.index());
      }
    }
  }
  std::vector<uint32_t> numerators;
  std::map<Signature, size_t> firsts;
  for (size_t tree = 0; tree < signatures.size(); ++tree) {
    const size_t first =
        firsts.try_emplace(std::move(signatures[tree]), tree).first->second;
    numerators.push_back(0);
    numerators[first] += variant.trees()->Get(tree)->numerator();
  }
  return numerators;
}
