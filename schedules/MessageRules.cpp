//===- MessageRules.cpp - the rules of a sendrecv -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/MessageRules.h"

#include "schedules/CheckRules.h"
#include "schedules/SymmetricImages.h"

#include <vector>

namespace blink::sched {
namespace {

class MessageWalk {
public:
  MessageWalk(const Variant &variant, const SymmetryGroup &group,
              uint32_t numRanks)
      : variant_(variant), group_(group), numRanks_(numRanks),
        moves_(variant.trees()->size()) {}

  std::string run() {
    std::string wrong = checkChannels();
    for (uint32_t r = 0; r < variant_.ranks()->size() && wrong.empty(); ++r)
      wrong = checkRank(r);
    for (uint32_t t = 0; t < moves_.size() && wrong.empty(); ++t)
      if (!moves_[t])
        wrong = textOf(at("trees", t), ": expected ",
                       isLocal(t) ? textOf("a step on rank ", sourceOf(t))
                                  : textOf("a channel from rank ", sourceOf(t),
                                           " to rank ", destinationOf(t)));
    return wrong;
  }

private:
  uint32_t sourceOf(uint32_t tree) const {
    return variant_.trees()->Get(tree)->block() / numRanks_;
  }
  uint32_t destinationOf(uint32_t tree) const {
    return variant_.trees()->Get(tree)->block() % numRanks_;
  }
  /// Whether the tree is for messages of a rank to itself.
  bool isLocal(uint32_t tree) const {
    return sourceOf(tree) == destinationOf(tree);
  }
  std::string checkChannels();
  std::string checkRank(uint32_t number);
  bool isRight(const Step &step, const Operand &from, const Operand &to,
               uint32_t rank);

  const Variant &variant_;
  const SymmetryGroup &group_;
  const uint32_t numRanks_;
  std::vector<bool> moves_; // trees that have their channel or only step
};

std::string MessageWalk::checkChannels() {
  for (uint32_t c = 0; c < variant_.channels()->size(); ++c) {
    const Channel &channel = *variant_.channels()->Get(c);
    const uint32_t tree = channel.tree();
    if (isLocal(tree) || channel.source() != sourceOf(tree) ||
        channel.destination() != destinationOf(tree))
      return textOf(at("channels", c), ": joins ranks ", channel.source(),
                    " and ", channel.destination(), ", but a message of block ",
                    variant_.trees()->Get(tree)->block(),
                    isLocal(tree) ? textOf(" stays on rank ", sourceOf(tree))
                                  : textOf(" goes from rank ", sourceOf(tree),
                                           " to rank ", destinationOf(tree),
                                           " in one hop"));
    if (moves_[tree])
      return textOf(at("channels", c), ": a second one of tree ", tree,
                    ", expected one");
    moves_[tree] = true;
  }
  return "";
}

std::string MessageWalk::checkRank(uint32_t number) {
  const RankProgram &program = *variant_.ranks()->Get(number);
  const uint32_t rank =
      variant_.symmetric() ? group_.representatives()[number] : number;
  for (uint32_t s = 0; s < program.steps()->size(); ++s) {
    const Step &step = *program.steps()->Get(s);
    const auto operand = [&](uint32_t i) -> const Operand & {
      return *program.operands()->Get(step.operands_begin() + i);
    };
    if (step.sources() != 1 || step.destinations() != 1 ||
        !isRight(step, operand(0), operand(1), rank))
      return textOf(at("ranks", number), ".", at("steps", s), ": expected ",
                    isLocal(step.tree())
                        ? "the one step of its tree, which copies input block "
                        : "a step that copies to its tree's channel from input "
                          "block ",
                    destinationOf(step.tree()),
                    isLocal(step.tree()) ? " to output block "
                                         : ", or from there to output block ",
                    sourceOf(step.tree()), ", or images of these blocks");
  }
  return "";
}

/// Returns true if a step with one source and one destination moves what its
/// tree's block says.
bool MessageWalk::isRight(const Step &step, const Operand &from,
                          const Operand &to, uint32_t rank) {
  const uint32_t source = sourceOf(step.tree());
  const uint32_t destination = destinationOf(step.tree());
  const bool fromInput = from.kind() == OperandKind::input;
  const bool toOutput = to.kind() == OperandKind::output;
  if (isLocal(step.tree())) {
    const bool isFirst = !moves_[step.tree()];
    moves_[step.tree()] = true;
    return isFirst && rank == source && fromInput && toOutput &&
           from.index() == destination && to.index() == source;
  }
  // The step is one of the image of the tree that has this end on this rank.
  const auto image = [&](uint32_t end, uint32_t other) {
    return variant_.symmetric()
               ? group_.mapRank(elementFrom(group_, end), other)
               : other;
  };
  if (fromInput)
    return to.kind() == OperandKind::channel &&
           from.index() == image(source, destination);
  return from.kind() == OperandKind::channel && toOutput &&
         to.index() == image(destination, source);
}

} // namespace

std::string checkMessages(const Variant &variant, const SymmetryGroup &group,
                          uint32_t numRanks) {
  return MessageWalk(variant, group, numRanks).run();
}

} // namespace blink::sched
