//===- Renaming.h - a program on other GPUs than its own --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A bundle says that the program of one allocation serves another one under a
// node map. This is proved here from the definitions, without relying on how
// the map was found.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_RENAMING_H
#define BLINK_COMPILER_VERIFY_RENAMING_H

#include "compiler/verify/Repricing.h"

#include <map>
#include <set>
#include <tuple>

namespace blink::verify {

/// Maps programs of one file to other nodes, of the same machine or of that of
/// a second file on the same nodes, after some links of it have failed. The
/// files must outlive it. What a program computes does not depend on names, so
/// a program that verifyProgram has proved is right under a map if this check
/// passes:
///
///   - its GPUs are mapped to `gpus`, each to a different one;
///   - every link that it uses or that its certificate prices is mapped to a
///     link that has not failed, of the same kind, with at least the bandwidth
///     and at most the latency, between nodes of the same kinds;
///   - the mapped paths are ones that the runtime can drive (PathRules.h);
///   - the mapped loads leave the stated rate possible;
///   - the mapped prices, re-priced among `gpus`, prove the stated bound.
class Renaming {
public:
  explicit Renaming(const sched::Schedule &file) : Renaming(file, file, {}) {}
  Renaming(const sched::Schedule &file, const sched::Schedule &onto,
           const FailedLinks &failed);

  /// `map` holds for each node of the machine another node or sched::kUnmapped;
  /// `gpus` are nodes. Adds to `used` the links over which the mapped program
  /// sends.
  Failure check(const sched::Program &program, const std::vector<uint16_t> &map,
                const std::vector<uint32_t> &gpus,
                std::set<uint32_t> *used = nullptr) const;

private:
  class ProgramCheck;

  /// The facts about a program in its own place that every map needs.
  struct Own {
    Own(const sched::Schedule &file, const sched::Program &program);

    TopologyView machine;
    /// One channel for each combination of ends, kind and path.
    std::vector<std::pair<const sched::Channel *, std::vector<uint32_t>>>
        channels;
    std::vector<double> loads; ///< by link
    TreeCosts costs;           ///< at the certificate's prices
  };

  std::map<const sched::Program *, Own> programs_;
  /// The machine to which programs are mapped.
  const TopologyView onto_;
  /// The links of `onto_` without failed ones, by ends and kind.
  std::map<std::tuple<uint32_t, uint32_t, sched::LinkKind>, uint32_t> links_;
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_RENAMING_H
