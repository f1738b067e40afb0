//===- CompileFuzzer.cpp - small machines of any numbers, compiled --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Two to five GPUs and some switches, with links that the bytes choose; each
// number is anywhere in the range that readers accept. Every collective must
// compile or be refused with an error text, and what compiles must be correct.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Pipeline.h"
#include "compiler/target/ExportSchedule.h"
#include "compiler/verify/Verify.h"
#include "schedules/MachineLimits.h"
#include "schedules/ScheduleFile.h"
#include "test/fuzz/FuzzTarget.h"
#include "test/fuzz/SharedContext.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace blink;
using test::require;

namespace {

/// Reads numbers from the bytes; returns zeros after the end.
class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
  bool left() const { return at_ < end_; }
  unsigned next() { return left() ? *at_++ : 0; }
  unsigned below(unsigned limit) { return next() % limit; }
  /// Returns a number from `least` to `most`, on a logarithmic scale.
  double number(double least, double most) {
    const double part = (next() * 256 + next()) / 65535.0;
    return std::clamp(least * std::pow(most / least, part), least, most);
  }

private:
  const uint8_t *at_, *end_;
};

Topology machineOf(Bytes &bytes) {
  Topology topology;
  topology.name = "fuzz";
  const unsigned gpus = 2 + bytes.below(4), others = bytes.below(3);
  for (unsigned i = 0; i < gpus + others; ++i)
    topology.nodes.push_back({"n" + std::to_string(i),
                              i < gpus ? NodeKind::gpu : NodeKind::switch_});
  const NodeKind kinds[] = {NodeKind::switch_, NodeKind::cpu, NodeKind::nic};
  for (unsigned i = gpus; i < gpus + others; ++i)
    topology.nodes[i].kind = kinds[bytes.below(3)];
  std::map<std::tuple<int, int, LinkKind>, Link> links;
  for (unsigned i = 1 + bytes.below(16); i > 0; --i) {
    const int a = int(bytes.below(gpus + others));
    const int b = int(bytes.below(gpus + others));
    const auto kind = LinkKind(bytes.below(unsigned(LinkKind::MAX) + 1));
    const double bandwidth =
        bytes.number(sched::kLeastBandwidth, sched::kMostBandwidth);
    const double latency = bytes.next() % 2 ? bytes.number(1e-3, 1e6) : 0;
    if (a == b)
      continue;
    links.emplace(std::tuple(a, b, kind), Link{a, b, bandwidth, latency, kind});
    if (bytes.next() % 4)
      links.emplace(std::tuple(b, a, kind),
                    Link{b, a, bandwidth, latency, kind});
  }
  for (const auto &[ends, link] : links)
    topology.links.push_back(link);
  return topology;
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes(data, size);
  CompileOptions options;
  options.collective = Collective(bytes.below(unsigned(Collective::MAX) + 1));
  const Topology topology = machineOf(bytes);
  mlir::MLIRContext *context = test::sharedContext();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](auto &diagnostic) { said += diagnostic.str(); });
  auto module = buildRequest(context, topology, options);
  if (!module) {
    require(!llvm::toString(module.takeError()).empty(), "an error says why");
    return 0;
  }
  if (mlir::failed(
          runPipeline(**module, options, Phase::sched, {}, test::keepGoing))) {
    std::fprintf(stderr, "%s\n", said.c_str());
    require(false, "a request that was taken is compiled");
  }
  mlir::FailureOr<std::vector<uint8_t>> file = exportSchedule(**module);
  require(mlir::succeeded(file), "a compiled request is a file");
  std::string error;
  const sched::Schedule *schedule =
      sched::openSchedule(file->data(), file->size(), error);
  require(schedule, error.c_str());
  for (const sched::Program *program : *schedule->programs())
    for (const Check &check : verifyProgram(*schedule, *program).checks)
      require(check.ok, check.detail.c_str());
  return 0;
}
