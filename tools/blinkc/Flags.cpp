//===- Flags.cpp - options that several commands share --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Flags.h"

#include "compiler/support/Error.h"

using namespace blink;

/// Adds the options that identify a collective on some GPUs, with their help.
static std::vector<CLI::Option *>
addCollective(CLI::App &command, std::string &collective,
              const std::string &collectiveHelp, std::vector<int> &gpus,
              const std::string &gpusHelp, int &root,
              const std::string &rootHelp) {
  return {command.add_option("-c,--collective", collective, collectiveHelp)
              ->type_name("COLLECTIVE")
              ->capture_default_str(),
          command.add_option("-g,--gpus", gpus, gpusHelp)
              ->delimiter(',')
              ->allow_extra_args(false) // the file follows
              ->type_name("LIST"),
          command.add_option("-r,--root", root, rootHelp)
              ->type_name("RANK")
              ->capture_default_str()};
}

void RequestFlags::addTo(CLI::App &command) {
  addCollective(command, collective,
                "allreduce, broadcast, reduce, allgather, reducescatter, "
                "gather, scatter, alltoall or sendrecv (point to point)",
                rest.gpus,
                "The GPUs the job gets, e.g. 1,4,5,6; the first is rank 0. "
                "Default: all of the machine",
                rest.root,
                "Root of a broadcast, reduce, gather or scatter: a "
                "rank, 0 to n-1");
  command
      .add_option("-l,--links", links,
                  "Kinds of link to use: all, or a list of nvlink, pcie, host, "
                  "c2c, xgmi, network")
      ->type_name("KINDS")
      ->capture_default_str();
  command.add_flag("--relays", rest.relays,
                   "GPUs of the machine that are not in --gpus forward data; "
                   "they run a program, too, but give and take nothing");
  command
      .add_option("--order", order,
                  "In which order every element of a reduction is added, "
                  "whatever its place and the message's size: invariant is any "
                  "one; rank is ((r0 + r1) + r2) + ..., the same on every "
                  "machine; none is one for each tree")
      ->check(CLI::IsMember({"none", "invariant", "rank"}))
      ->type_name("ORDER")
      ->capture_default_str();
  command.add_flag("--in-switch", rest.inSwitch,
                   "Switches that can (\"reduce\" and \"multicast\" in the "
                   "topology; NVLink SHARP) add and copy for trees, where that "
                   "is faster; the order of their sums is their own");
  command
      .add_option("--without-link", withoutLinks,
                  "The machine as it is today: no link is left between these "
                  "two nodes, either way, e.g. gpu0:gpu3. May be repeated")
      ->allow_extra_args(false)
      ->type_name("A:B");
  addLimitLink(command, limitLinks);
}

void blink::addLimitLink(CLI::App &command,
                         std::vector<std::string> &limitLinks) {
  command
      .add_option("--limit-link", limitLinks,
                  "The links between these two nodes together have only so "
                  "many GB/s left, each way. When one of two NVLinks died, "
                  "half of what both had: gpu0:gpu3=25. May be repeated")
      ->allow_extra_args(false)
      ->type_name("A:B=GBPS");
}

void blink::addCosts(CLI::App &command, std::string &costs) {
  command
      .add_option("--costs", costs,
                  "What lanes cost: a file (docs/cli.md), or model: what the "
                  "model of time takes them to cost. Without, nothing")
      ->type_name("FILE");
}

llvm::Expected<CompileOptions> RequestFlags::options() const {
  CompileOptions options = rest;
  std::optional<Collective> parsed = parseCollective(collective);
  if (!parsed)
    return makeError(
        "--collective: no collective '{0}'; expected allreduce, broadcast, "
        "reduce, allgather, reducescatter, gather, scatter, alltoall or "
        "sendrecv",
        collective);
  options.collective = *parsed;
  llvm::Expected<LinkKindSet> kinds = parseLinkKinds(links);
  if (!kinds)
    return makeError("--links: {0}", llvm::toString(kinds.takeError()));
  options.links = *kinds;
  options.order = *parseReductionOrder(order);
  for (const std::string &ends : withoutLinks)
    options.linkEdits.push_back({ends, std::nullopt, "--without-link " + ends});
  if (llvm::Error error = readLimitLinks(limitLinks, options.linkEdits))
    return error;
  return options;
}

llvm::Error blink::readLimitLinks(const std::vector<std::string> &limitLinks,
                                  std::vector<LinkEdit> &edits) {
  for (const std::string &text : limitLinks) {
    llvm::Expected<LinkEdit> edit =
        parseLinkLimit(text, "--limit-link " + text);
    if (!edit)
      return edit.takeError();
    edits.push_back(std::move(*edit));
  }
  return llvm::Error::success();
}

void JobFlags::addTo(CLI::App &command) {
  options_ = addCollective(
      command, collective, "Of a bundle: one of those it is for", rest.gpus,
      "Of a bundle: the GPUs of the job, in any order; the first is rank 0. "
      "Default: all of the machine",
      rest.root,
      "Of a bundle: root of a broadcast, reduce, gather or scatter: a rank, 0 "
      "to n-1");
}

llvm::Expected<BundleJob> JobFlags::job() const {
  std::optional<Collective> parsed = parseCollective(collective);
  if (!parsed)
    return makeError("--collective: no collective '{0}'", collective);
  BundleJob job = rest;
  job.collective = *parsed;
  return job;
}

llvm::Expected<InputFile>
JobFlags::readSchedule(const std::string &path) const {
  llvm::Expected<InputFile> input =
      blink::readSchedule(path, /*orBundle=*/true);
  if (!input)
    return input;
  if (input->kind == InputKind::bundle) {
    llvm::Expected<BundleJob> wanted = job();
    if (!wanted)
      return wanted.takeError();
    return extractSchedule(*input, *wanted);
  }
  for (CLI::Option *option : options_)
    if (option->count() > 0)
      return makeError("{0}: {1} is no bundle: it runs as it was compiled",
                       option->get_name(), input->path);
  return input;
}

void blink::addGpuModel(CLI::App &command, std::string &name,
                        const std::string &help) {
  command.add_option("--gpu-model", name, help)->type_name("MODEL");
}

llvm::Expected<const GpuModel *> blink::readGpuModel(const std::string &name) {
  if (name.empty())
    return nullptr;
  if (const GpuModel *model = findGpuModel(name))
    return model;
  std::string names;
  for (const GpuModel &model : gpuModels())
    names += (names.empty() ? "" : ", ") + model.name.str();
  return makeError("--gpu-model '{0}': not known; expected one of: {1}", name,
                   names);
}

void blink::addInput(CLI::App &command, std::string &input) {
  command
      .add_option("input", input,
                  "A schedule, or a bundle of schedules (.sched)")
      ->type_name("FILE")
      ->required();
}

void blink::addJobs(CLI::App &command, unsigned &jobs,
                    const std::string &help) {
  command.add_option("-j,--jobs", jobs, help)
      ->check(CLI::Range(0, 1024))
      ->type_name("N")
      ->capture_default_str();
}

void blink::addTolerance(CLI::App &command, const char *name, double &tolerance,
                         const std::string &help) {
  command.add_option(name, tolerance, help)
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("X")
      ->capture_default_str();
}

void blink::addBytes(CLI::App &command, uint64_t &bytes, uint64_t least) {
  bytes = 64 << 20;
  command
      .add_option("-b,--bytes", bytes,
                  "Size of the buffer (K, M, G); the whole gathered or "
                  "scattered one where the ranks' blocks differ")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(least, uint64_t(1) << 40))
      ->type_name("SIZE")
      ->default_str("64M");
}
