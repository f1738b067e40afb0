//===- Renaming.h - a program on other GPUs than its own --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A bundle says that the program of one allocation serves another under a node
// map. Here that is proved, by definition: nothing is believed of how the map
// was found.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_RENAMING_H
#define BLINK_COMPILER_VERIFY_RENAMING_H

#include "compiler/verify/Repricing.h"

#include <map>
#include <set>
#include <tuple>

namespace blink::verify {

/// Carries programs of one file over to other nodes: of the file's machine, or
/// of that of a second file on the same nodes, when some of its links have
/// failed. The files must outlive it. What a program computes does not depend
/// on names, so a program that verifyProgram has proved is right under a map
/// when this check passes:
///
///   - its GPUs are carried onto `gpus`, each onto another;
///   - every link that it uses or its certificate prices is carried onto a link
///     that has not failed, of the same kind, with at least the bandwidth and
///     at most the latency, between nodes of the same kinds;
///   - the carried paths are ones the runtime can drive (PathRules.h);
///   - the carried loads leave the stated rate possible;
///   - the carried prices, re-priced among `gpus`, prove the stated bound.
class Renaming {
public:
  explicit Renaming(const sched::Schedule &file) : Renaming(file, file, {}) {}
  Renaming(const sched::Schedule &file, const sched::Schedule &onto,
           const FailedLinks &failed);

  /// `map` holds for each node of the machine another or sched::kUnmapped;
  /// `gpus` are nodes. Adds to `used` the links that the program, carried over,
  /// sends over.
  Failure check(const sched::Program &program, const std::vector<uint16_t> &map,
                const std::vector<uint32_t> &gpus,
                std::set<uint32_t> *used = nullptr) const;

private:
  class ProgramCheck;

  /// A program where it is, as far as every map needs that.
  struct Own {
    Own(const sched::Schedule &file, const sched::Program &program);

    TopologyView machine;
    /// One of each kind of channel: ends, kind and path.
    std::vector<std::pair<const sched::Channel *, std::vector<uint32_t>>>
        channels;
    std::vector<double> loads; ///< by link
    TreeCosts costs;           ///< at the certificate's prices
  };

  std::map<const sched::Program *, Own> programs_;
  /// Where programs are carried to.
  const TopologyView onto_;
  /// Of `onto_`, without failed ones.
  std::map<std::tuple<uint32_t, uint32_t, sched::LinkKind>, uint32_t> links_;
};

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_RENAMING_H
