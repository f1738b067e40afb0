//===- ScheduleDiff.cpp - what changed between two schedules --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/ScheduleDiff.h"

#include "compiler/report/MachineDiff.h"
#include "compiler/report/Merge.h"
#include "compiler/support/Error.h"
#include "compiler/topology/AllocationList.h"
#include "schedules/ChunkSize.h"
#include "schedules/Hash.h"
#include "schedules/Provenance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <functional>

using namespace blink;

OpenedFile OpenedFile::of(const sched::Schedule &schedule,
                          llvm::ArrayRef<uint8_t> bytes) {
  return {bytes, {{&schedule}}, schedule.topology(), schedule.provenance()};
}

llvm::Expected<OpenedFile> OpenedFile::of(const sched::BundleView &bundle,
                                          llvm::ArrayRef<uint8_t> bytes) {
  const sched::Bundle &index = *bundle.index;
  OpenedFile file{bytes, {}, nullptr, index.provenance()};
  auto conditionOf = [&](uint32_t number) {
    return index.conditions()->Get(number)->description()->str();
  };
  for (uint32_t c = 0; c < index.classes()->size(); ++c)
    for (uint32_t i = 0; i < index.collectives()->size(); ++i) {
      std::string error;
      const sched::Schedule *piece = sched::openPiece(bundle, c, i, error);
      if (!error.empty())
        return makeError(error);
      if (piece) // no piece: no path joins the GPUs
        file.pieces.push_back(
            {piece, conditionOf(index.classes()->Get(c)->condition())});
    }
  if (file.pieces.empty())
    return makeError("a bundle without schedules: no path joins any of its "
                     "GPUs");
  file.topology = index.cluster() ? index.cluster()->topology()
                                  : file.pieces[0].schedule->topology();
  auto serves = [&](const sched::Entry &entry, uint32_t condition) {
    if (entry.class_number() == sched::kNoClass)
      return;
    const auto first = index.gpus()->begin() + entry.gpus_begin();
    file.served.push_back(
        {{first, first + entry.gpus_count()}, conditionOf(condition)});
  };
  for (const sched::Entry *entry : *index.entries())
    serves(*entry, sched::kWholeMachine);
  if (index.survivors())
    for (const sched::Survivor *survivor : *index.survivors())
      serves(survivor->entry(), survivor->condition());
  llvm::sort(file.served);
  return file;
}

size_t OpenedFile::numPrograms() const {
  size_t programs = 0;
  for (const OpenedPiece &piece : pieces)
    programs += piece.schedule->programs()->size();
  return programs;
}

uint64_t OpenedFile::checksum() const {
  if (isBundle())
    return sched::hash64(bytes.data(), bytes.size());
  return llvm::support::endian::read64le(bytes.end() - 8);
}

size_t ScheduleDiff::count(Severity severity) const {
  return countOf(findings, severity);
}

namespace {

/// Compares the bytes of vectors of numbers or plain structs.
template <typename T>
bool isSame(const flatbuffers::Vector<T> &a, const flatbuffers::Vector<T> &b) {
  using Element = std::remove_const_t<std::remove_pointer_t<T>>;
  return a.size() == b.size() &&
         std::memcmp(a.Data(), b.Data(), a.size() * sizeof(Element)) == 0;
}

bool isSameVariant(const sched::Variant *a, const sched::Variant *b) {
  return a->min_bytes() == b->min_bytes() && a->max_bytes() == b->max_bytes() &&
         a->protocol() == b->protocol() &&
         sched::chunksOf(*a) == sched::chunksOf(*b) &&
         isSame(*a->trees(), *b->trees()) &&
         isSame(*a->channels(), *b->channels()) &&
         isSame(*a->paths(), *b->paths()) &&
         llvm::equal(
             *a->ranks(), *b->ranks(),
             [](const sched::RankProgram *a, const sched::RankProgram *b) {
               return isSame(*a->lanes(), *b->lanes()) &&
                      isSame(*a->steps(), *b->steps()) &&
                      isSame(*a->operands(), *b->operands());
             });
}

bool areSameVariants(const sched::Program &a, const sched::Program &b) {
  return llvm::equal(*a.variants(), *b.variants(), isSameVariant);
}

bool areSamePrices(const sched::Program &a, const sched::Program &b) {
  return isSame(*a.certificate()->prices(), *b.certificate()->prices());
}

bool areSameRates(const sched::Program &a, const sched::Program &b) {
  return a.algbw() == b.algbw() &&
         a.certificate()->bound() == b.certificate()->bound();
}

/// A program with its key, which is computed once.
struct KeyedProgram {
  ProgramKey key;
  const sched::Schedule *file;
  const sched::Program *program;
};

bool isLess(const KeyedProgram &a, const KeyedProgram &b) {
  return a.key < b.key;
}

std::vector<KeyedProgram> programsOf(const OpenedFile &file) {
  std::vector<KeyedProgram> programs;
  for (const OpenedPiece &piece : file.pieces)
    for (const sched::Program *program : *piece.schedule->programs()) {
      programs.push_back({ProgramKey::of(*program), piece.schedule, program});
      programs.back().key.condition = piece.condition;
    }
  return programs;
}

class Diff : Comparison {
public:
  Diff(const OpenedFile &before, const OpenedFile &after,
       const DiffOptions &options, ScheduleDiff &diff)
      : Comparison(diff.findings), before_(before), after_(after),
        options_(options), diff_(diff) {}

  void run() {
    diff_.identical = before_.bytes == after_.bytes;
    diff_.sameContent = diff_.identical;
    if (diff_.identical)
      return;
    sameMachine_ = diffMachines(*before_.topology, *after_.topology, findings_);
    diffLinkKinds();
    diffServed();
    diffPrograms();
    diff_.sameContent = findings_.empty();
    diffMaking();
    sortFindings(findings_);
  }

private:
  void diffLinkKinds() {
    addChange(Aspect::linkKinds, "links", "kinds",
              toString(before_.linkKinds()), toString(after_.linkKinds()));
  }

  /// Counts the allocations that only one of two bundles serves, and names the
  /// first of them.
  void diffServed() {
    size_t gone = 0, added = 0;
    std::string firstGone, firstAdded;
    auto note = [](size_t &number, std::string &first, const auto &served) {
      if (number++ == 0)
        first = "GPUs " + formatGpus(served.first) +
                (served.second.empty() ? "" : ", " + served.second);
    };
    mergeSorted(
        before_.served, after_.served, std::less<>(),
        [](const auto &, const auto &) {},
        [&](const auto &served) { note(gone, firstGone, served); },
        [&](const auto &served) { note(added, firstAdded, served); });
    if (gone > 0)
      findings_.push_back({Severity::worse, Aspect::program, "file",
                           llvm::formatv("serves {0} allocations less, {1} "
                                         "the first",
                                         gone, firstGone)});
    if (added > 0)
      add(Aspect::program, "file",
          llvm::formatv("serves {0} allocations more, {1} the first", added,
                        firstAdded)
              .str());
  }

  void diffPrograms() {
    std::vector<KeyedProgram> before = programsOf(before_);
    std::vector<KeyedProgram> after = programsOf(after_);
    bool sameOrder = llvm::equal(
        before, after, [](const KeyedProgram &a, const KeyedProgram &b) {
          return a.key == b.key;
        });
    llvm::sort(before, isLess);
    llvm::sort(after, isLess);
    size_t unmatched = 0;
    auto addUnmatched = [&](Severity severity, const KeyedProgram &program,
                            const char *words) {
      ++unmatched;
      addOf(program.key, severity, Aspect::program, words);
    };
    mergeSorted(
        before, after, isLess,
        [&](const KeyedProgram &a, const KeyedProgram &b) {
          diffProgram(a, b);
        },
        [&](const KeyedProgram &program) {
          addUnmatched(Severity::worse, program, "program is gone");
        },
        [&](const KeyedProgram &program) {
          addUnmatched(Severity::different, program, "program is new");
        });
    if (!sameOrder && unmatched == 0)
      add(Aspect::order, "file", "the programs are in another order");
  }

  void diffProgram(const KeyedProgram &one, const KeyedProgram &other) {
    const sched::Program &before = *one.program, &after = *other.program;
    bool sameVariants = areSameVariants(before, after);
    bool samePrices = areSamePrices(before, after);
    if (sameMachine_ && sameVariants && samePrices &&
        areSameRates(before, after))
      return; // true of most programs of a large file
    size_t found = findings_.size();
    Summary from = summarize(*one.file, before);
    Summary to = summarize(*other.file, after);
    from.condition = to.condition = one.key.condition;
    diffSummaries(from, to, options_, findings_);
    // On a machine with other numbers the parts of a program cannot be
    // compared, and the findings on the machine say what changed.
    if (findings_.size() > found || !sameMachine_)
      return;
    const char *words =
        !sameVariants ? "other trees, paths or steps, with the same numbers"
        : !samePrices ? "the same but for the prices of its certificate"
                      : "the same but for the last digits of its rates";
    addOf(one.key, Severity::different, Aspect::content, words);
  }

  /// Compares compiler, options and checksums.
  void diffMaking() {
    addChange(Aspect::compiler, "file", "compiler",
              before_.provenance->compiler()->str(),
              after_.provenance->compiler()->str());
    diffMakingOptions();
    std::string from = formatHash(before_.checksum());
    std::string to = formatHash(after_.checksum());
    add(Aspect::file, "file",
        llvm::formatv("{0} -> {1} bytes, checksum {2} -> {3}",
                      before_.bytes.size(), after_.bytes.size(), from, to)
            .str(),
        from, to);
  }

  /// Lists only the settings that differ.
  void diffMakingOptions() {
    const sched::Settings from = sched::settingsOf(*before_.provenance);
    const sched::Settings to = sched::settingsOf(*after_.provenance);
    if (from == to)
      return;
    auto only = [](sched::Settings own, const sched::Settings &other) {
      llvm::erase_if(own, [&](const sched::Setting &setting) {
        return llvm::is_contained(other, setting);
      });
      return own.empty() ? "none" : sched::toString(own);
    };
    add(Aspect::options, "file",
        "options " + only(from, to) + " -> " + only(to, from),
        sched::toString(from), sched::toString(to));
  }

  const OpenedFile &before_;
  const OpenedFile &after_;
  const DiffOptions &options_;
  bool sameMachine_ = false;
  ScheduleDiff &diff_;
};

} // namespace

ScheduleDiff blink::diffSchedules(const OpenedFile &before,
                                  const OpenedFile &after,
                                  const DiffOptions &options) {
  ScheduleDiff diff;
  Diff(before, after, options, diff).run();
  return diff;
}
