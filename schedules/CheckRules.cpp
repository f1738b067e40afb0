//===- CheckRules.cpp - the rules of schedule.fbs -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// One walk over an untrusted file. Every number is checked before it is used as
// an index; sums are computed in 64 bits, since fields have 32.
//
//===----------------------------------------------------------------------===//

#include "schedules/CheckRules.h"

#include "schedules/MessageRules.h"
#include "schedules/PartialSums.h"
#include "schedules/Provenance.h"
#include "schedules/ScheduleFile.h"
#include "schedules/SwitchRules.h"
#include "schedules/SymmetricImages.h"
#include "schedules/Text.h"
#include "schedules/TopologyRules.h"

#include <cmath>
#include <map>
#include <tuple>
#include <vector>

namespace blink::sched {
namespace {

constexpr uint32_t kMaxChunkBytes = 64u << 20;
constexpr uint16_t kMaxSlots = 1024;
constexpr uint64_t kNoLimit = ~uint64_t(0);
constexpr uint32_t kNoElement = ~0u;

std::string str(uint64_t value) { return std::to_string(value); }
bool finite(double value, double least) {
  return std::isfinite(value) && value >= least;
}

/// One walk over an untrusted file.
class RuleChecker : RuleWalk {
public:
  RuleChecker(const Schedule &file, size_t size, bool isPacked)
      : RuleWalk(size), file_(file), isPacked_(isPacked) {}

  std::string run() {
    checkFile();
    return std::move(error_);
  }

private:
  /// Whether a step seen so far writes a channel of the variant, and whether
  /// one reads it.
  struct ChannelEnds {
    bool written = false;
    bool read = false;
  };

  bool checkFile();
  bool checkTopology(const Topology &topology);
  bool checkProgram(const Program &program);
  bool checkSymmetry(const Program &program);
  bool checkDistinctPrograms();
  bool checkCertificate(const Certificate &certificate);
  bool checkVariant(const Variant &variant);
  bool checkPacked(const Variant &variant);
  bool checkTimes(const Variant &variant);
  bool checkTrees(const Variant &variant);
  bool checkChannels(const Variant &variant);
  bool checkRank(const Variant &variant, uint32_t number);
  bool checkStep(const Variant &variant, uint32_t number, uint32_t index,
                 uint64_t &operandsLeft);
  bool checkOperand(const Variant &variant, uint32_t rank, const Step &step,
                    uint32_t stepIndex, const Operand &operand, bool isSource);
  bool checkEnd(const Variant &variant, uint32_t rank, const Step &step,
                uint32_t stepIndex, uint32_t channel, bool isSource);
  bool checkChannelsJoined(const Variant &variant);
  bool checkPartialSums(const Variant &variant);
  bool checkSwitches(const Variant &variant);

  const Schedule &file_;
  const bool isPacked_;
  const Program *program_ = nullptr; // the one being checked

  std::vector<uint32_t> gpuNodes_; // per GPU of the machine
  uint32_t numRanks_ = 0;
  uint32_t numPrograms_ = 0; // ranks and relays
  uint32_t inputBlocks_ = 0;
  uint32_t outputBlocks_ = 0;
  SymmetryGroup group_;           // of the program
  bool symmetric_ = false;        // the variant is in symmetric form
  uint32_t element_ = kNoElement; // asked for by a step of it so far
  std::vector<ChannelEnds> ends_;
  // Per block, the last step (numbered over the whole file) that named it. This
  // finds operands that a step lists twice without clearing anything between
  // steps.
  uint64_t stepNumber_ = 0;
  std::vector<uint64_t> inputRead_, outputRead_, outputWritten_;
};

bool RuleChecker::checkFile() {
  if (file_.format_version() != kFormatVersion)
    return fail("", "format version ", file_.format_version(), ", expected ",
                kFormatVersion, "; compile the schedule again with this Blink");
  error_ = checkProvenance(*file_.provenance(), budget_);
  if (!error_.empty())
    return false;
  if (file_.link_kinds() >> (unsigned(LinkKind::MAX) + 1))
    return fail("link_kinds", "unknown bits in " + str(file_.link_kinds()));
  if (file_.link_kinds() == 0)
    return fail("link_kinds", "no kind of link");
  if (!checkTopology(*file_.topology()))
    return false;
  if (file_.programs()->size() == 0)
    return fail("programs", "empty, expected at least one");
  if (!pay("programs", file_.programs()))
    return false;
  for (uint32_t i = 0; i < file_.programs()->size(); ++i) {
    within_ = at("programs", i) + ".";
    if (!checkProgram(*file_.programs()->Get(i)))
      return false;
  }
  within_.clear();
  return checkDistinctPrograms();
}

bool RuleChecker::checkTopology(const Topology &topology) {
  error_ = checkTopologyRules(topology, budget_);
  if (!error_.empty())
    return false;
  const auto &nodes = *topology.nodes();
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (nodes[i]->kind() == NodeKind::gpu)
      gpuNodes_.push_back(i);
  return true;
}

bool RuleChecker::checkProgram(const Program &program) {
  const auto &allocation = *program.allocation();
  if (!known(program.collective()))
    return fail("collective", unknown("collective", program.collective()));
  if (!pay("allocation", &allocation) || !pay("variants", program.variants()))
    return false;
  numRanks_ = allocation.size();
  if (numRanks_ == 0)
    return fail("allocation", "empty, expected one GPU a rank");
  const auto numGpus = uint32_t(gpuNodes_.size());
  std::vector<bool> used(numGpus);
  for (uint32_t rank = 0; rank < numRanks_; ++rank) {
    uint32_t gpu = allocation[rank];
    if (gpu >= numGpus)
      return fail(at("allocation", rank), outOf("GPU", gpu, numGpus));
    if (used[gpu])
      return fail(at("allocation", rank), "GPU " + str(gpu) + " twice");
    used[gpu] = true;
  }
  numPrograms_ = numRanks_;
  if (const auto *relays = program.relays()) {
    if (!pay("relays", relays))
      return false;
    for (uint32_t i = 0; i < relays->size(); ++i) {
      uint32_t gpu = relays->Get(i);
      if (gpu >= numGpus)
        return fail(at("relays", i), outOf("GPU", gpu, numGpus));
      if (used[gpu])
        return fail(at("relays", i),
                    "GPU " + str(gpu) + " is a rank or a relay already");
      used[gpu] = true;
    }
    numPrograms_ += relays->size();
  }
  if (!known(program.order()))
    return fail("order", unknown("order", program.order()));
  if (program.order() != ReductionOrder::none &&
      !traitsOf(program.collective()).reduces)
    return fail("order", EnumNameReductionOrder(program.order()),
                ", expected none: ", EnumNameCollective(program.collective()),
                " adds nothing");
  if (!known(program.accumulate()))
    return fail("accumulate", unknown("accumulation", program.accumulate()));
  if (program.accumulate() != Accumulation::none &&
      !traitsOf(program.collective()).reduces)
    return fail("accumulate", EnumNameAccumulation(program.accumulate()),
                ", expected none: ", EnumNameCollective(program.collective()),
                " adds nothing");
  bool rooted = isRooted(program.collective());
  if (program.root() >= numRanks_)
    return fail("root", outOf("rank", program.root(), numRanks_));
  if (!rooted && program.root() != 0)
    return fail("root", program.root(),
                ", expected 0: ", EnumNameCollective(program.collective()),
                " has no root");
  bool rateHolds = numRanks_ == 1 ? std::isinf(program.algbw())
                                  : std::isfinite(program.algbw());
  if (!rateHolds || !(program.algbw() > 0))
    return fail("algbw", numRanks_ == 1 ? "expected infinity for one rank"
                                        : "expected a positive number of GB/s");
  if (!checkCertificate(*program.certificate()) || !checkSymmetry(program))
    return false;

  program_ = &program;
  inputBlocks_ = inputBlocks(program.collective(), numRanks_);
  outputBlocks_ = outputBlocks(program.collective(), numRanks_);
  inputRead_.assign(inputBlocks_, 0);
  outputRead_.assign(outputBlocks_, 0);
  outputWritten_.assign(outputBlocks_, 0);

  const auto &variants = *program.variants();
  if (variants.size() == 0)
    return fail("variants", "empty, expected at least one");
  const std::string inProgram = within_;
  uint64_t next = 0;
  for (uint32_t i = 0; i < variants.size(); ++i) {
    const Variant &variant = *variants[i];
    within_ = inProgram + at("variants", i) + ".";
    if (variant.min_bytes() != next)
      return fail("min_bytes", variant.min_bytes(), ", expected ", next,
                  ", where the range before it ends");
    if (variant.max_bytes() <= variant.min_bytes())
      return fail("max_bytes", "the range of sizes is empty");
    next = variant.max_bytes();
    if (!checkVariant(variant) || (program.accumulate() != Accumulation::none &&
                                   !isPacked_ && !checkPartialSums(variant)))
      return false;
  }
  if (next != kNoLimit)
    return fail("max_bytes", "the last range of sizes ends at ", next,
                ", expected no limit");
  within_ = inProgram;
  return true;
}

bool RuleChecker::checkSymmetry(const Program &program) {
  group_ = SymmetryGroup();
  if (!program.symmetry())
    return true;
  if (!pay("symmetry", program.symmetry()))
    return false;
  for (uint32_t i = 0; i < program.symmetry()->size(); ++i)
    if (!pay(at("symmetry", i).c_str(), program.symmetry()->Get(i)->nodes()))
      return false;
  if (numPrograms_ > numRanks_)
    return fail("symmetry", "of a program with relays, which has none");
  if (isRooted(program.collective()))
    return fail("symmetry", "of a ", EnumNameCollective(program.collective()),
                ", whose root no renaming may move; expected none");
  const std::string wrong = SymmetryGroup::create(
      *file_.topology(), *program.allocation(), renamingsOf(program), group_);
  return wrong.empty() || fail(wrong);
}

bool RuleChecker::checkDistinctPrograms() {
  using Key = std::tuple<Collective, uint32_t, std::vector<uint32_t>>;
  std::map<Key, uint32_t> firsts;
  for (uint32_t i = 0; i < file_.programs()->size(); ++i) {
    const Program &program = *file_.programs()->Get(i);
    const auto [first, isNew] = firsts.insert(
        {{program.collective(),
          program.root(),
          {program.allocation()->begin(), program.allocation()->end()}},
         i});
    if (!isNew)
      return fail(at("programs", i),
                  "same collective, root and allocation as " +
                      at("programs", first->second));
  }
  return true;
}

bool RuleChecker::checkCertificate(const Certificate &certificate) {
  const auto &prices = *certificate.prices();
  if (!pay("certificate.prices", &prices))
    return false;
  if (!(certificate.bound() > 0) ||
      std::isinf(certificate.bound()) != (numRanks_ == 1))
    return fail("certificate.bound", numRanks_ == 1
                                         ? "expected infinity for one rank"
                                         : "expected a positive number");
  uint32_t numLinks = file_.topology()->links()->size();
  if (prices.size() != numLinks)
    return fail("certificate.prices", prices.size(),
                " prices, expected one for each of ", numLinks, " links");
  for (uint32_t i = 0; i < numLinks; ++i)
    if (!finite(prices[i], 0))
      return fail(at("certificate.prices", i), "not a number >= 0");
  return true;
}

/// Checks what a packed variant has besides its packed parts.
bool RuleChecker::checkPacked(const Variant &variant) {
  if (!variant.packed())
    return fail("packed", "missing, expected in each variant of a packed file");
  if (variant.trees()->size() + variant.channels()->size() +
          variant.paths()->size() + variant.ranks()->size() !=
      0)
    return fail("packed", "together with parts that are not packed");
  return pay("packed", variant.packed()) &&
         (!variant.switches() || pay("switches", variant.switches())) &&
         checkTimes(variant);
}

bool RuleChecker::checkVariant(const Variant &variant) {
  if (isPacked_)
    return checkPacked(variant);
  if (variant.packed())
    return fail("packed", "in a file that is not a packed one");
  if (!known(variant.protocol()))
    return fail("protocol", unknown("protocol", variant.protocol()));
  uint32_t chunk = variant.chunk_bytes();
  if (chunk % 16 != 0 || chunk < 16 || chunk > kMaxChunkBytes)
    return fail("chunk_bytes", chunk, ", expected a multiple of 16 ",
                "from 16 to ", kMaxChunkBytes);
  const uint32_t least = variant.least_chunk_bytes();
  if (least % 64 != 0 || least < 64 || least > kMaxChunkBytes)
    return fail("least_chunk_bytes", least, ", expected a multiple of 64 ",
                "from 64 to ", kMaxChunkBytes);
  if (variant.least_chunks() == 0)
    return fail("least_chunks", "0, expected at least 1");
  symmetric_ = variant.symmetric();
  if (symmetric_ && group_.order() == 1)
    return fail("symmetric", "of a program without symmetry");
  if (!checkTimes(variant) || !checkTrees(variant) || !checkChannels(variant))
    return false;
  if (!pay("ranks", variant.ranks()))
    return false;
  const auto &representatives = group_.representatives();
  if (symmetric_ && variant.ranks()->size() != representatives.size())
    return fail("ranks", variant.ranks()->size(),
                " rank programs, expected one for each of ",
                representatives.size(), " representatives");
  if (!symmetric_ && variant.ranks()->size() != numPrograms_)
    return fail("ranks", variant.ranks()->size(),
                " rank programs, expected one for each of ", numRanks_,
                " ranks",
                numPrograms_ == numRanks_
                    ? ""
                    : textOf(" and ", numPrograms_ - numRanks_, " relays"));
  const std::string inVariant = within_;
  for (uint32_t i = 0; i < variant.ranks()->size(); ++i) {
    within_ = inVariant + at("ranks", i) + ".";
    if (!checkRank(variant, i))
      return false;
  }
  within_ = inVariant;
  if (!checkChannelsJoined(variant) || !checkSwitches(variant))
    return false;
  const std::string wrong = isPairwise(program_->collective())
                                ? checkMessages(variant, group_, numRanks_)
                                : "";
  return wrong.empty() || fail(wrong);
}

bool RuleChecker::checkSwitches(const Variant &variant) {
  if (!variant.switches())
    return true;
  const auto &uses = *variant.switches();
  if (!pay("switches", &uses))
    return false;
  const SwitchRules rules(*file_.topology(), gpuNodes_, *program_, variant);
  for (uint32_t i = 0; i < uses.size(); ++i) {
    if (i > 0 && uses[i]->tree() <= uses[i - 1]->tree())
      return fail(at("switches", i), "tree ", uses[i]->tree(), " after ",
                  uses[i - 1]->tree(), ", expected one that follows");
    const std::string wrong = rules.check(*uses[i]);
    if (!wrong.empty())
      return fail(at("switches", i), wrong);
  }
  return true;
}

bool RuleChecker::checkTimes(const Variant &variant) {
  if (!variant.times())
    return true;
  const auto &times = *variant.times();
  if (!pay("times", &times))
    return false;
  if (times.size() < 2)
    return fail("times", times.size(), " points, expected at least two");
  for (uint32_t i = 0; i < times.size(); ++i) {
    const uint64_t bytes = times[i]->bytes();
    if (i == 0 && bytes != 0)
      return fail(at("times", i), bytes, " bytes, expected 0 of the first");
    if (i > 0 && bytes <= times[i - 1]->bytes())
      return fail(at("times", i), bytes, " bytes, expected more than the ",
                  times[i - 1]->bytes(), " of the point before it");
    if (!finite(times[i]->microseconds(), 0))
      return fail(at("times", i), "microseconds are not a number >= 0");
  }
  const uint32_t last = times.size() - 1;
  if (times[last]->microseconds() < times[last - 1]->microseconds())
    return fail(at("times", last),
                "less time than the point before it: larger messages would "
                "take less than none");
  return true;
}

bool RuleChecker::checkTrees(const Variant &variant) {
  if (!pay("trees", variant.trees()))
    return false;
  const auto &trees = *variant.trees();
  // One block for each pair of an input block and an output block.
  uint64_t numBlocks = uint64_t(inputBlocks_) * outputBlocks_;
  // In symmetric form only blocks of representatives have trees here, or if
  // there is a single block, each tree stands for as many trees as there are
  // elements.
  uint64_t images = symmetric_ && numBlocks == 1 ? group_.order() : 1;
  const auto nextBlock = [&](uint32_t last) {
    uint64_t next = uint64_t(last) + 1;
    const uint64_t ofRank = numBlocks / numRanks_;
    while (symmetric_ && numBlocks > 1 && next < numBlocks &&
           group_.elementTo(uint32_t(next / ofRank)) != 0)
      next = (next / ofRank + 1) * ofRank;
    return uint32_t(next);
  };
  uint32_t block = 0; // all lower blocks have their trees
  uint64_t sum = 0;   // of the numerators so far of trees of `block`
  for (uint32_t i = 0; i < trees.size(); ++i) {
    const Tree &tree = *trees[i];
    const auto failHere = [&](const auto &...what) {
      return fail(at("trees", i), what...);
    };
    if (tree.block() >= numBlocks)
      return failHere(outOf("block", tree.block(), numBlocks));
    if (tree.root() >= numRanks_)
      return failHere(outOf("rank", tree.root(), numRanks_));
    if (tree.block() != block)
      return failHere("block ", tree.block(), ", expected ", block,
                      ": trees are sorted by block and ",
                      "the shares of each add up to one");
    if (tree.numerator() == 0 || tree.numerator() > tree.denominator())
      return failHere("share ", tree.numerator(), "/", tree.denominator(),
                      ", expected more than 0 and at most 1");
    if (sum != 0 && tree.denominator() != trees[i - 1]->denominator())
      return failHere("denominator ", tree.denominator(), ", expected ",
                      trees[i - 1]->denominator(),
                      " as in the block's other trees");
    if (symmetric_ && group_.elementTo(tree.root()) != 0)
      return failHere("root ", tree.root(), " is not a representative");
    sum += tree.numerator();
    if (sum * images > tree.denominator())
      return failHere("the shares of block ", block,
                      " add up to more than one");
    if (sum * images == tree.denominator()) {
      block = nextBlock(block);
      sum = 0;
    }
  }
  if (block != numBlocks)
    return fail("trees", "the shares of block ", block,
                " add up to less than one");
  return true;
}

bool RuleChecker::checkChannels(const Variant &variant) {
  const auto &channels = *variant.channels();
  const auto &paths = *variant.paths();
  if (!pay("channels", &channels) || !pay("paths", &paths))
    return false;
  const uint32_t numNodes = file_.topology()->nodes()->size();
  const uint32_t numLinks = file_.topology()->links()->size();
  constexpr uint32_t kMostVisits = 3; // of a node, on the way to a relay
  const uint64_t pathLimit =
      uint64_t(kMostVisits) * numNodes * (1 + numPrograms_ - numRanks_);
  for (uint32_t i = 0; i < paths.size(); ++i)
    if (paths[i] >= numLinks)
      return fail(at("paths", i), outOf("link", paths[i], numLinks));
  for (uint32_t i = 0; i < channels.size(); ++i) {
    const Channel &channel = *channels[i];
    uint64_t pathEnd = uint64_t(channel.path_begin()) + channel.path_count();
    std::string what;
    if (channel.tree() >= variant.trees()->size())
      what = outOf("tree", channel.tree(), variant.trees()->size());
    else if (pathEnd > paths.size())
      what = "path ends at " + outOf("link", pathEnd, paths.size());
    else if (channel.path_count() >= pathLimit)
      what = textOf("path of ", channel.path_count(), " links among ", numNodes,
                    " nodes; expected fewer than ", pathLimit);
    else if (channel.source() >= numPrograms_)
      what = outOf("source rank", channel.source(), numPrograms_);
    else if (channel.destination() >= numPrograms_)
      what = outOf("destination rank", channel.destination(), numPrograms_);
    else if (channel.source() == channel.destination())
      what = "joins rank " + str(channel.source()) + " with itself";
    else if (channel.slots() == 0 || channel.slots() > kMaxSlots)
      what = str(channel.slots()) + " slots, expected 1 to " + str(kMaxSlots);
    else if (channel.window() > channel.slots())
      what = "window " + str(channel.window()) + " of " + str(channel.slots()) +
             " slots, expected no more than these";
    else if (!known(channel.kind()))
      what = unknown("channel kind", channel.kind());
    else if (channel.window() != 0 && channel.kind() != ChannelKind::network)
      what = "window " + str(channel.window()) + " of a " +
             EnumNameChannelKind(channel.kind()) +
             " channel, expected 0: only network channels have windows";
    else if (symmetric_ && i > 0 && channel.tree() < channels[i - 1]->tree())
      what = "of tree " + str(channel.tree()) + ", expected in tree order";
    if (!what.empty())
      return fail(at("channels", i), what);
  }
  ends_.assign(channels.size(), ChannelEnds());
  return true;
}

bool RuleChecker::checkRank(const Variant &variant, uint32_t number) {
  const RankProgram &program = *variant.ranks()->Get(number);
  if (!pay("lanes", program.lanes()) || !pay("steps", program.steps()) ||
      !pay("operands", program.operands()))
    return false;
  uint64_t next = 0;
  for (uint32_t i = 0; i < program.lanes()->size(); ++i) {
    const Lane &lane = *program.lanes()->Get(i);
    if (lane.steps_count() == 0)
      return fail(at("lanes", i), "empty, expected at least one step");
    if (lane.steps_begin() != next)
      return fail(at("lanes", i), "begins at step ", lane.steps_begin(),
                  ", expected ", next);
    next += lane.steps_count();
  }
  if (next != program.steps()->size())
    return fail("lanes", "hold ", next, " steps of ", program.steps()->size());
  for (const Lane *lane : *program.lanes())
    for (uint32_t i = 1; i < lane->steps_count(); ++i) {
      const uint32_t number = lane->steps_begin() + i;
      const uint16_t before = program.steps()->Get(number - 1)->delay();
      const uint16_t delay = program.steps()->Get(number)->delay();
      if (delay < before)
        return fail(at("steps", number), "delay ", delay, " after ", before,
                    " in its lane; expected no less");
    }
  uint64_t operandsLeft = program.operands()->size();
  for (uint32_t i = 0; i < program.steps()->size(); ++i)
    if (!checkStep(variant, number, i, operandsLeft))
      return false;
  if (operandsLeft != 0) // no step uses these
    return fail("operands", operandsLeft, " belong to no step");
  return true;
}

bool RuleChecker::checkStep(const Variant &variant, uint32_t number,
                            uint32_t index, uint64_t &operandsLeft) {
  const RankProgram &program = *variant.ranks()->Get(number);
  const uint32_t rank = symmetric_ ? group_.representatives()[number] : number;
  const Step &step = *program.steps()->Get(index);
  uint64_t begin = step.operands_begin();
  uint64_t count = uint64_t(step.sources()) + step.destinations();
  std::string what;
  if (step.tree() >= variant.trees()->size())
    what = outOf("tree", step.tree(), variant.trees()->size());
  else if (step.sources() == 0)
    what = "no source";
  else if (step.destinations() == 0)
    what = "no destination";
  else if (begin + count > program.operands()->size())
    what = "operands end at " +
           outOf("operand", begin + count, program.operands()->size());
  else if (count > operandsLeft)
    what = "shares operands with other steps";
  if (!what.empty())
    return fail(at("steps", index), what);
  operandsLeft -= count;
  ++stepNumber_;
  element_ = kNoElement;
  for (uint64_t i = 0; i < count; ++i)
    if (!checkOperand(variant, rank, step, index,
                      *program.operands()->Get(begin + i), i < step.sources()))
      return false;
  if (symmetric_ && element_ == kNoElement &&
      variant.trees()->Get(step.tree())->root() != rank)
    return fail(at("steps", index), "of a tree with root ",
                variant.trees()->Get(step.tree())->root(),
                ", which no channel joins with rank ", rank);
  return true;
}

bool RuleChecker::checkOperand(const Variant &variant, uint32_t rank,
                               const Step &step, uint32_t stepIndex,
                               const Operand &operand, bool isSource) {
  // Sentences are built only on failure, which is rare.
  const auto failHere = [&](const auto &...what) {
    return fail(at("steps", stepIndex), what...);
  };
  const char *role = isSource ? "source" : "destination";
  uint32_t index = operand.index();
  if (operand.kind() == OperandKind::channel) {
    const auto &channels = *variant.channels();
    if (index >= channels.size())
      return failHere(outOf("channel", index, channels.size()));
    const Channel &channel = *channels[index];
    const auto name = [&] { return "channel " + str(index); };
    if (!checkEnd(variant, rank, step, stepIndex, index, isSource))
      return false;
    if (channel.tree() != step.tree())
      return failHere(name(), " belongs to tree ", channel.tree(),
                      ", the step to tree ", step.tree());
    bool &joined = isSource ? ends_[index].read : ends_[index].written;
    if (joined)
      return failHere(name() +
                      (isSource ? " is read twice" : " is written twice"));
    joined = true;
    return true;
  }
  if (rank >= numRanks_)
    return failHere("a buffer is a " + std::string(role) +
                    " of a relay, which has none");
  bool isInput = operand.kind() == OperandKind::input;
  if (!isInput && operand.kind() != OperandKind::output)
    return failHere(unknown("operand kind", operand.kind()));
  if (isInput && !isSource)
    return failHere("the input is a destination; it is read only");
  uint32_t numBlocks = isInput ? inputBlocks_ : outputBlocks_;
  const char *name = isInput ? "input block" : "output block";
  if (index >= numBlocks)
    return failHere(outOf(name, index, numBlocks));
  uint64_t &last = (isInput    ? inputRead_
                    : isSource ? outputRead_
                               : outputWritten_)[index];
  if (last == stepNumber_)
    return failHere(name, " ", index, " is a ", role, " twice");
  last = stepNumber_;
  return true;
}

/// Checks that the step's rank is an end of a channel that it reads or writes.
/// In symmetric form it must be an end of an image of the channel, and all the
/// step's channels must belong to the same image of the tree.
bool RuleChecker::checkEnd(const Variant &variant, uint32_t rank,
                           const Step &step, uint32_t stepIndex, uint32_t index,
                           bool isSource) {
  const Channel &channel = *variant.channels()->Get(index);
  const uint32_t end = isSource ? channel.destination() : channel.source();
  const bool here =
      symmetric_ ? group_.orbitOf(end) == group_.orbitOf(rank) : end == rank;
  if (!here)
    return fail(at("steps", stepIndex), "channel ", index, " is a ",
                isSource ? "source" : "destination", " here, but ",
                isSource ? "ends" : "starts", " at rank ", end,
                symmetric_ ? ", of another orbit" : "");
  if (!symmetric_)
    return true;
  const uint32_t element = elementFrom(group_, end);
  if (element_ != kNoElement && element_ != element)
    return fail(at("steps", stepIndex), "channel ", index,
                " is not of the same image of tree ", step.tree(),
                " as the channels before it");
  element_ = element;
  return true;
}

bool RuleChecker::checkChannelsJoined(const Variant &variant) {
  for (uint32_t i = 0; i < ends_.size(); ++i) {
    const Channel &channel = *variant.channels()->Get(i);
    if (!ends_[i].written)
      return fail(at("channels", i),
                  "no step of rank " + str(channel.source()) + " writes it");
    if (!ends_[i].read)
      return fail(at("channels", i), "no step of rank ", channel.destination(),
                  " reads it");
  }
  return true;
}

/// Checks a program that accumulates in another type than that of its outputs.
bool RuleChecker::checkPartialSums(const Variant &variant) {
  const std::vector<bool> partial = partialSums(variant);
  const std::string inVariant = within_;
  for (uint32_t r = 0; r < variant.ranks()->size(); ++r) {
    const RankProgram &rank = *variant.ranks()->Get(r);
    within_ = inVariant + at("ranks", r) + ".";
    for (uint32_t s = 0; s < rank.steps()->size(); ++s) {
      const Step &step = *rank.steps()->Get(s);
      if (!isPartialSum(rank, step, partial))
        continue;
      for (uint32_t i = 0; i < step.destinations(); ++i)
        if (rank.operands()
                ->Get(step.operands_begin() + step.sources() + i)
                ->kind() == OperandKind::output)
          return fail(at("steps", s), "writes a partial sum to the output, "
                                      "which has no room for float32; the "
                                      "program accumulates in it");
    }
  }
  within_ = inVariant;
  return true;
}

} // namespace

std::string checkRules(const Schedule &file, size_t size, bool isPacked) {
  return RuleChecker(file, size, isPacked).run();
}

} // namespace blink::sched
