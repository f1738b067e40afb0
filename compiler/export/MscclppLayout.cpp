//===- MscclppLayout.cpp - places of a plan's chunks and channels ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/MscclppLayout.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace blink;

MscclppLayout::MscclppLayout(const MscclppJobs &jobs,
                             const sched::Variant &variant,
                             const EqualChunks &chunks,
                             llvm::ArrayRef<unsigned> wanted)
    : jobs_(jobs), variant_(variant), chunks_(chunks),
      peers_(variant.ranks()->size()), scratch_(variant.ranks()->size()) {
  place();
  findAnnounced();
  chooseParts(wanted);
  connect();
}

/// Returns the output among the destinations of a fold whose only source is a
/// channel; null if there is none.
static const sched::Operand *directOutput(const MscclppJobs &jobs,
                                          const MscclppJob &job) {
  const MscclppJobs::Operands sources = jobs.sources(job);
  if (sources.size() == 1 && sources[0]->kind() == sched::OperandKind::channel)
    for (const sched::Operand *to : jobs.destinations(job))
      if (to->kind() == sched::OperandKind::output)
        return to;
  return nullptr;
}

bool MscclppLayout::onlyWaits(const MscclppJob &job) const {
  return directOutput(jobs_, job) && jobs_.destinations(job).size() == 1;
}

/// Determines where the chunks of each channel are put.
void MscclppLayout::place() {
  landing_.resize(variant_.channels()->size());
  for (const MscclppJob &job : jobs_.list()) {
    const sched::Operand *output = directOutput(jobs_, job);
    const int rank = job.rank;
    const unsigned count = chunks_.count[job.tree];
    for (uint32_t channel : jobs_.channels(job, /*reads=*/true)) {
      if (output) {
        landing_[channel] = {rank, 'o',
                             output->index() * chunks_.perBlock +
                                 chunks_.first[job.tree],
                             count};
        continue;
      }
      landing_[channel] = {rank, 's', scratch_[rank], count};
      scratch_[rank] += count;
    }
  }
}

/// Finds the channels whose reader must announce that it has begun. Before
/// that, the reader's output may be in use, and so may its scratch until the
/// data of the last run was read. The announcement is unnecessary if the data
/// implies it: either the data that the writer sends depends on data that the
/// reader sent in this run, or, for scratch, the writer received data in the
/// last run that depended on what was read there. In trees up and down this is
/// the case.
void MscclppLayout::findAnnounced() {
  const size_t numChannels = variant_.channels()->size();
  // By channel: the ranks that contribute to its data, and those that use it.
  const llvm::BitVector none(peers_.size());
  std::vector<llvm::BitVector> before(numChannels, none), after = before;
  auto spread = [&](const MscclppJob &job, std::vector<llvm::BitVector> &ranks,
                    bool forwards) {
    llvm::BitVector all = none;
    all.set(job.rank);
    for (uint32_t channel : jobs_.channels(job, forwards))
      all |= ranks[channel];
    for (uint32_t channel : jobs_.channels(job, !forwards))
      ranks[channel] = all;
  };
  for (const MscclppJob &job : jobs_.list())
    spread(job, before, /*forwards=*/true);
  for (const MscclppJob &job : llvm::reverse(jobs_.list()))
    spread(job, after, /*forwards=*/false);
  for (uint32_t c = 0; c < numChannels; ++c) {
    const sched::Channel &channel = *variant_.channels()->Get(c);
    isAnnounced_.push_back(
        !before[c].test(channel.destination()) &&
        (landing_[c].buffer == 'o' || !after[c].test(channel.source())));
  }
}

/// Chooses as many parts as trees want if each rank has enough thread blocks.
void MscclppLayout::chooseParts(llvm::ArrayRef<unsigned> wanted) {
  for (unsigned most = kMostBlocks; most > 0; most /= 2) {
    parts_.clear();
    for (size_t tree = 0; tree < wanted.size(); ++tree)
      parts_.push_back(
          std::min({most, wanted[tree], std::max(1u, chunks_.count[tree])}));
    std::vector<unsigned> blocks(peers_.size());
    for (const MscclppJob &job : jobs_.list())
      if (!onlyWaits(job))
        blocks[job.rank] += parts_[job.tree];
    if (*llvm::max_element(blocks) <= kMostBlocks)
      break;
  }
}

/// Makes the channels: one for each part and pair of ranks of a tree, which
/// both ranks list in the same order. A channel of MSCCL++ has two directions:
/// for data both ways, or for data and the signal that the reader has begun.
void MscclppLayout::connect() {
  ends_.resize(variant_.channels()->size());
  using Pair = std::tuple<uint32_t, int, int, int, bool>;
  std::map<Pair, std::vector<uint32_t>> pairs;
  std::map<std::tuple<uint32_t, int, int>, int> times;
  for (uint32_t c = 0; c < variant_.channels()->size(); ++c) {
    const sched::Channel &channel = *variant_.channels()->Get(c);
    if (chunks_.count[channel.tree()] == 0)
      continue;
    int low = channel.source(), high = channel.destination();
    const int time = times[{channel.tree(), low, high}]++;
    if (low > high && !isAnnounced_[c])
      std::swap(low, high);
    pairs[{channel.tree(), low, high, time, isAnnounced_[c]}].push_back(c);
  }
  for (const auto &[pair, channels] : pairs) {
    const auto &[tree, low, high, time, isAnnounced] = pair;
    auto &atLow = peers_[low], &atHigh = peers_[high];
    for (unsigned part = 0; part < parts_[tree]; ++part) {
      for (uint32_t c : channels) {
        const bool isUpwards = variant_.channels()->Get(c)->source() == low;
        const int a = atLow.size(), b = atHigh.size();
        ends_[c].push_back(isUpwards ? Ends{a, b} : Ends{b, a});
      }
      atLow.push_back(high);
      atHigh.push_back(low);
    }
  }
}

ChunkRange MscclppLayout::part(const MscclppJob &job, int rank, char buffer,
                               unsigned first) const {
  const unsigned count = chunks_.count[job.tree], parts = parts_[job.tree];
  const unsigned begin = count * job.part / parts;
  return {rank, buffer, first + begin, count * (job.part + 1) / parts - begin};
}

ChunkRange MscclppLayout::rangeOf(const MscclppJob &job,
                                  const sched::Operand &operand) const {
  if (operand.kind() == sched::OperandKind::channel) {
    const ChunkRange &all = landing_[operand.index()];
    return part(job, all.rank, all.buffer, all.first);
  }
  return part(job, job.rank,
              operand.kind() == sched::OperandKind::input ? 'i' : 'o',
              operand.index() * chunks_.perBlock + chunks_.first[job.tree]);
}

std::vector<int> MscclppLayout::channels(const MscclppJob &job, bool reads,
                                         Which which) const {
  std::vector<int> list;
  for (uint32_t channel : jobs_.channels(job, reads))
    if (which == Which::all || isAnnounced_[channel]) {
      const Ends &ends = ends_[channel][job.part];
      list.push_back(reads ? ends.atDestination : ends.atSource);
    }
  return list;
}
