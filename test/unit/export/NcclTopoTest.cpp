//===- NcclTopoTest.cpp - machines to NCCL's XML and back -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// `blinkc import` reads an exported machine as the same machine, up to names
// and latencies, or else a note says what differs.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/Export.h"

#include "compiler/import/Import.h"
#include "compiler/machines/MachineTypes.h"
#include "compiler/machines/PartMatch.h"

#include "doctest/doctest.h"

using namespace blink;

namespace {

Topology importedAgain(const ExportedFile &file) {
  auto machine = importMachine(file.text, "exported.xml", {});
  REQUIRE_MESSAGE(bool(machine), llvm::toString(machine.takeError()));
  CHECK(machine->notes.warnings.empty());
  return machine->topology;
}

/// Whether the graphs are isomorphic, including rates.
bool isSame(const Topology &a, const Topology &b, bool peerLinksOnly) {
  MachinePart left = partOf(a, peerLinksOnly), right = partOf(b, peerLinksOnly);
  if (left.numNodes() != right.numNodes() ||
      left.numPairs() != right.numPairs())
    return false;
  auto match = matchPart(left, right);
  return match && match->thin.empty() && match->distance() < 0.005 &&
         match->hostDistance() < 0.005;
}

/// Exports a machine of two GPUs, a switch and a CPU, modified by `change`, and
/// returns the error.
template <typename Change> std::string exportError(Change change) {
  Topology machine;
  machine.name = "box";
  machine.nodes = {{"gpu0", NodeKind::gpu},
                   {"gpu1", NodeKind::gpu},
                   {"plx0", NodeKind::switch_},
                   {"cpu0", NodeKind::cpu},
                   {"cpu1", NodeKind::cpu}};
  auto join = [&](int a, int b, double rate, LinkKind kind) {
    machine.links.push_back({a, b, rate, 0.5, kind});
    machine.links.push_back({b, a, rate, 0.5, kind});
  };
  join(0, 2, 15.75, LinkKind::pcie);
  join(1, 2, 15.75, LinkKind::pcie);
  join(2, 3, 15.75, LinkKind::pcie);
  join(3, 4, 38.4, LinkKind::host);
  change(machine, join);
  auto file = exportNcclTopo(machine);
  return file ? "" : llvm::toString(file.takeError());
}

} // namespace

TEST_CASE("every machine type with GPUs comes back from NCCL's XML") {
  int whole = 0, refused = 0;
  for (const MachineType &type : machineTypes()) {
    CAPTURE(type.name.str());
    const Topology machine = type.topology();
    auto file = exportNcclTopo(machine);
    if (!file) { // ranks of a host are not PCI devices
      CHECK(type.name.starts_with("host-"));
      CHECK(llvm::toString(file.takeError())
                .find("no host links between gpu and cpu") !=
            std::string::npos);
      ++refused;
      continue;
    }
    const Topology again = importedAgain(*file);
    CHECK(again.gpus().size() == machine.gpus().size());
    CHECK(isSame(machine, again, /*peerLinksOnly=*/true));
    bool isWhole = isSame(machine, again, /*peerLinksOnly=*/false);
    CHECK(isWhole == file->notes.empty());
    whole += isWhole;
  }
  CHECK(refused == 3);
  CHECK(whole >= 18);
}

TEST_CASE("GPU k stays GPU k") {
  const Topology machine = findMachineType("dgx1")->topology();
  const Topology again = importedAgain(*exportNcclTopo(machine));
  const std::vector<int> here = machine.gpus(), there = again.gpus();
  for (size_t i = 0; i < here.size(); ++i)
    for (size_t j = 0; j < here.size(); ++j)
      CHECK(machine.bandwidth(here[i], here[j]) ==
            again.bandwidth(there[i], there[j]));
}

TEST_CASE("rates that NCCL plans with") {
  Topology machine = findMachineType("dgx-a100")->topology();
  for (Link &link : machine.links)
    link.bandwidth *= 20.0 / 25;
  auto file = exportNcclTopo(machine);
  REQUIRE(bool(file));
  CHECK(file->text.find("count=\"12\"") != std::string::npos);
  CHECK(file->notes.front() ==
        "rates are those that NCCL plans with: import it with --rates nccl");
}

TEST_CASE("measured rates are rounded, with a note") {
  Topology machine = findMachineType("pcie-2gpu")->topology();
  for (Link &link : machine.links)
    link.bandwidth = 26;
  auto file = exportNcclTopo(machine);
  REQUIRE(bool(file));
  REQUIRE(file->notes.size() == 2);
  CHECK(file->notes[0] == "gpu0:cpu0 has 26 GB/s; written as PCIe of 16 GT/s "
                          "x16, 31.5");
  machine = findMachineType("a100-nv4")->topology();
  for (Link &link : machine.links)
    link.bandwidth = 90;
  CHECK(
      llvm::toString(exportNcclTopo(machine).takeError()).find("--gpu-model") !=
      std::string::npos);
  file = exportNcclTopo(machine, findGpuModel("a100-sxm"));
  REQUIRE(bool(file));
  CHECK(file->notes.size() == 6 + 2); // pairs; a CPU and PCIe
  CHECK(file->notes.back() ==
        "gpu2:gpu3 has 90 GB/s; written as 4 links of 25");
}

TEST_CASE("what NCCL's XML cannot say is refused") {
  auto holds = [](const std::string &text, const char *part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  CHECK(exportError([](Topology &, auto) {}).empty());
  holds(exportError(
            [](Topology &, auto join) { join(2, 4, 15.75, LinkKind::pcie); }),
        "cpu1: PCIe leads to it from plx0, too");
  holds(exportError(
            [](Topology &, auto join) { join(0, 4, 450, LinkKind::c2c); }),
        "gpu0: its c2c leads to cpu1 and its PCIe to cpu0");
  holds(exportError(
            [](Topology &, auto join) { join(0, 1, 15.75, LinkKind::pcie); }),
        "gpu0:gpu1: NCCL's topology XML has no pcie links between gpu and gpu");
  holds(exportError(
            [](Topology &, auto join) { join(0, 1, 12.5, LinkKind::network); }),
        "gpu0:gpu1: a network link");
  holds(exportError(
            [](Topology &, auto join) { join(0, 2, 150, LinkKind::nvlink); }),
        "plx0: a switch of NVLinks and of PCIe");
  holds(exportError([](Topology &machine, auto join) {
          machine.nodes.push_back({"sw0", NodeKind::switch_});
          machine.nodes.push_back({"sw1", NodeKind::switch_});
          join(0, 5, 150, LinkKind::nvlink);
          join(1, 6, 150, LinkKind::nvlink);
        }),
        "sw0 and sw1: two switches of NVLinks");
  holds(exportError([](Topology &machine, auto) {
          machine.nodes.push_back({"nic0", NodeKind::nic});
        }),
        "nic0: no PCIe links lead from it to a CPU");
  holds(exportError([](Topology &machine, auto join) {
          for (int i = 0; i < 40; ++i) {
            machine.nodes.push_back(
                {"deep" + std::to_string(i), NodeKind::switch_});
            join(i == 0 ? 3 : 4 + i, 5 + i, 15.75, LinkKind::pcie);
          }
        }),
        "more than 32 PCIe switches in a row");
}
