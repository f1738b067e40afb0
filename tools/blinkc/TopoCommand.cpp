//===- TopoCommand.cpp - blinkc topo --------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/manual/Checks.h"

#include "compiler/driver/InputFile.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/generate/Generate.h"
#include "compiler/topology/Names.h"
#include "compiler/topology/TopologyWriter.h"
#include "schedules/MachineLimits.h"

#include <functional>
#include <memory>

using namespace blink;

namespace {

struct TopoFlags {
  std::string output = "-";
  std::string name;
  double bandwidth = 25, latency = 0.7;
  std::string kind = "nvlink";
  std::string sizes, machine;
  int count = 0, ports = 0, levels = 1;
  double oversubscription = 1, globalBandwidth = 0;
  int groups = 0, routers = 0, gpus = 0;
  int boxes = 2, rails = 1;
  int switches = 0, links = 0;
  uint64_t seed = 0;
  bool directed = false;

  Wire wire() const { return {bandwidth, latency, *parseLinkKind(kind)}; }
};

manual::RealRange bandwidthRange() {
  return manual::RealRange(sched::kLeastBandwidth, sched::kMostBandwidth);
}

using Generator = std::function<llvm::Expected<Topology>(const TopoFlags &)>;

/// What all families of topologies share.
struct TopoCommand {
  CLI::App &command;
  int &exitCode;
};

llvm::Expected<std::vector<int>> parseSizes(llvm::StringRef text) {
  std::vector<int> sizes;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int size = 0;
    if (part.getAsInteger(10, size) || size < 1)
      return makeError(
          "sizes '{0}': expected whole numbers joined by x, as in 8x8", text);
    sizes.push_back(size);
  }
  return sizes;
}

llvm::Expected<Topology> podOf(const TopoFlags &flags) {
  llvm::Expected<InputFile> file = readInput(flags.machine);
  if (!file)
    return file.takeError();
  llvm::Expected<Topology> machine = openTopology(*file);
  if (!machine)
    return machine;
  return generatePod(*machine, flags.boxes, flags.rails, flags.wire());
}

/// Returns the command line that made the file, without -o.
std::string commandLine(const CLI::App &family) {
  std::string text = "blinkc topo " + family.get_name();
  for (const CLI::Option *option : family.get_options()) {
    if (option->count() == 0 || option->check_lname("output"))
      continue;
    if (!option->get_positional())
      text += " " + option->get_name();
    if (option->get_expected_max() > 0)
      for (const std::string &value : option->results())
        text += " " + value;
  }
  return text;
}

/// Refuses names that no reader of the file would accept. The names of a pod
/// are longer than those of its machine.
llvm::Error checkNames(const Topology &topology) {
  if (!isName(topology.name))
    return makeError("the machine would be called '{0}', which is not {1}; "
                     "choose another --name",
                     topology.name, kNameRule);
  for (const Node &node : topology.nodes)
    if (!isName(node.id))
      return makeError("a node would be called '{0}', which is not {1}; choose "
                       "shorter ids in the machine's file",
                       node.id, kNameRule);
  return llvm::Error::success();
}

int run(const CLI::App &family, const TopoFlags &flags,
        const Generator &generate) {
  if (llvm::Error error = checkOutput(flags.machine, flags.output))
    return reportError(std::move(error));
  llvm::Expected<Topology> topology = generate(flags);
  if (!topology)
    return reportError(topology.takeError());
  if (!flags.name.empty())
    topology->name = flags.name;
  if (llvm::Error error = checkNames(*topology))
    return reportError(std::move(error));
  std::string text =
      writeTopology(*topology, "Written by " + commandLine(family));
  if (llvm::Error error = writeFile(flags.output, text))
    return reportError(std::move(error));
  return kGood;
}

/// Adds a family of topologies that `generate` makes. Returns its command and
/// flags, for adding options.
std::pair<CLI::App &, TopoFlags &> addFamily(const TopoCommand &topo,
                                             const char *name, const char *help,
                                             Generator generate,
                                             TopoFlags defaults = {}) {
  auto flags = std::make_shared<TopoFlags>(std::move(defaults));
  CLI::App *family = topo.command.add_subcommand(name, help);
  family
      ->add_option("-o,--output", flags->output,
                   "Output file (.topo); - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  addMachineName(*family, flags->name,
                 "Name of the machine. Default: a name with the sizes");
  family
      ->add_option("--bandwidth", flags->bandwidth,
                   "Bandwidth of a link in GB/s, in each direction")
      ->check(bandwidthRange())
      ->capture_default_str();
  family
      ->add_option("--latency", flags->latency,
                   "Latency of a link in microseconds")
      ->check(manual::RealRange(0.0, sched::kMostLatency))
      ->capture_default_str();
  std::vector<std::string> kinds;
  for (LinkKind kind : sched::EnumValuesLinkKind())
    kinds.push_back(toString(kind).str());
  family
      ->add_option("--kind", flags->kind,
                   "Kind of the links; those of kind network meet in nic nodes")
      ->check(CLI::IsMember(kinds))
      ->capture_default_str();
  family->callback([=, &exitCode = topo.exitCode] {
    exitCode = run(*family, *flags, generate);
  });
  return {*family, *flags};
}

void addDirectNetworks(const TopoCommand &topo) {
  using Grid =
      llvm::Expected<Topology> (*)(const std::vector<int> &, const Wire &);
  auto addGrid = [&](const char *name, const char *help, Grid generate) {
    auto [family, flags] =
        addFamily(topo, name, help,
                  [generate](const TopoFlags &f) -> llvm::Expected<Topology> {
                    llvm::Expected<std::vector<int>> sizes =
                        parseSizes(f.sizes);
                    if (!sizes)
                      return sizes.takeError();
                    return generate(*sizes, f.wire());
                  });
    family
        .add_option("sizes", flags.sizes,
                    "Number of GPUs in each dimension, such as 8x8")
        ->required();
  };
  addGrid("torus", "A grid with wrap-around links, as in TPU pods",
          generateTorus);
  addGrid("mesh", "A grid without wrap-around links", generateMesh);

  using Counted = llvm::Expected<Topology> (*)(int, const Wire &);
  auto addCounted = [&](const char *name, const char *help, const char *what,
                        Counted generate) {
    auto [family, flags] =
        addFamily(topo, name, help, [generate](const TopoFlags &f) {
          return generate(f.count, f.wire());
        });
    family.add_option(what, flags.count, "Number of them")->required();
  };
  addCounted("hypercube",
             "GPUs that are connected if their numbers differ in one bit",
             "dimensions", generateHypercube);
  addCounted("ring", "A ring of GPUs", "gpus", generateRing);
  addCounted("fully-connected", "A link between every two GPUs", "gpus",
             generateFullyConnected);
}

void addFatTree(const TopoCommand &topo) {
  auto [family, flags] = addFamily(
      topo, "fat-tree", "A k-ary fat tree of k^3/4 GPUs (Al-Fares et al.)",
      [](const TopoFlags &f) {
        return generateFatTree(f.ports, f.oversubscription, f.wire());
      });
  family.add_option("k", flags.ports, "Number of ports of a switch, even")
      ->required();
  family
      .add_option("--oversubscription", flags.oversubscription,
                  "Factor by which links above the edge have less bandwidth")
      ->capture_default_str();
}

void addBCube(const TopoCommand &topo) {
  auto [family, flags] =
      addFamily(topo, "bcube", "BCube(n, k): n^(k+1) GPUs that forward data",
                [](const TopoFlags &f) {
                  return generateBCube(f.ports, f.levels, f.wire());
                });
  family.add_option("n", flags.ports, "Number of ports of a switch")
      ->required();
  family.add_option("k", flags.levels, "Number of levels above level 0")
      ->required();
}

void addDragonfly(const TopoCommand &topo) {
  auto [family, flags] = addFamily(
      topo, "dragonfly", "Fully connected groups of fully connected routers",
      [](const TopoFlags &f) {
        return generateDragonfly(
            f.groups, f.routers, f.gpus,
            f.globalBandwidth > 0 ? f.globalBandwidth : f.bandwidth, f.wire());
      });
  family.add_option("groups", flags.groups, "Number of groups")->required();
  family.add_option("routers", flags.routers, "Number of routers of a group")
      ->required();
  family.add_option("gpus", flags.gpus, "Number of GPUs of a router")
      ->required();
  family
      .add_option(
          "--global-bandwidth", flags.globalBandwidth,
          "Bandwidth of a link between groups in GB/s. Default: that of "
          "--bandwidth")
      ->check(bandwidthRange());
}

void addPod(const TopoCommand &topo) {
  TopoFlags defaults;
  defaults.latency = 2;
  defaults.kind = "network";
  defaults.bandwidth = 50;
  auto [family, flags] = addFamily(
      topo, "pod", "Several machines of one type, connected by a network",
      podOf, defaults);
  family
      .add_option("machine", flags.machine,
                  "Machine type: a .topo file, or a name from blinkc topo list")
      ->type_name("FILE|MACHINE")
      ->required();
  family.add_option("--boxes", flags.boxes, "Number of machines")
      ->capture_default_str();
  family
      .add_option("--nic-bandwidth", flags.bandwidth,
                  "Same as --bandwidth: GB/s between a GPU and the network")
      ->check(bandwidthRange());
  family
      .add_option(
          "--rails", flags.rails,
          "Number of networks; GPU i of each box is connected to network "
          "i mod RAILS")
      ->capture_default_str();
}

void addRandom(const TopoCommand &topo) {
  auto [family, flags] = addFamily(
      topo, "random",
      "A connected random graph; bandwidths are 1 to 4 times --bandwidth",
      [](const TopoFlags &f) {
        return generateRandom(f.gpus, f.switches, f.links, f.seed, f.directed,
                              f.wire());
      });
  family.add_option("--gpus", flags.gpus, "Number of GPUs")->required();
  family.add_option("--switches", flags.switches, "Number of switches")
      ->capture_default_str();
  family.add_option("--links", flags.links, "Number of links")->required();
  family
      .add_option("--seed", flags.seed,
                  "Seed; the same seed gives the same graph")
      ->check(CLI::Range(uint64_t(0), uint64_t(INT64_MAX)))
      ->capture_default_str();
  family.add_flag("--directed", flags.directed,
                  "Make links in one direction only");
}

} // namespace

void blink::addTopoCommand(CLI::App &app, int &exitCode) {
  CLI::App *command =
      app.add_subcommand("topo", "Write a topology of a well-known shape, or "
                                 "list the shipped machine types");
  command->require_subcommand(1);
  command->footer("Examples:\n"
                  "  blinkc topo torus 8x8 --bandwidth 50 -o torus.topo\n"
                  "  blinkc topo pod dgx-h100 --boxes 4 --nic-bandwidth "
                  "50 -o pod.topo\n"
                  "  blinkc topo bcube 4 1 --kind network --bandwidth 12.5 | "
                  "blinkc bound -\n"
                  "  blinkc topo list\n"
                  "Options of a shape: blinkc topo pod --help");
  for (auto *add : {addDirectNetworks, addFatTree, addBCube, addDragonfly,
                    addPod, addRandom})
    add({*command, exitCode});
  addTopoListCommand(*command, exitCode);
}
