//===- Flags.cpp - options that several commands share --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Flags.h"
#include "tools/manual/Checks.h"

#include "compiler/support/Error.h"
#include "compiler/topology/Names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <climits>

using namespace blink;

/// Reads "1,4,8-15". Unlike CLI11's own lists, which skip empty items, it
/// refuses "1,,5": an unset variable of a script must not make a smaller job.
static void readGpus(const std::vector<std::string> &lists,
                     std::vector<int> &gpus) {
  constexpr int kMost = 1 << 16; // more than any machine has
  for (const std::string &list : lists)
    for (llvm::StringRef item : llvm::split(list, ',')) {
      const size_t dash = item.find('-', 1);
      int first = 0, last = 0;
      if (item.take_front(dash).getAsInteger(10, first))
        throw CLI::ValidationError(
            "--gpus",
            llvm::formatv("'{0}' is not a decimal number", item).str());
      last = first;
      if (dash != llvm::StringRef::npos &&
          (item.drop_front(dash + 1).getAsInteger(10, last) || last < first ||
           last > INT_MAX / 2 || last - first > kMost))
        throw CLI::ValidationError(
            "--gpus",
            llvm::formatv("'{0}' is not a range such as 0-7", item).str());
      for (int gpu = first; gpu <= last; ++gpu)
        gpus.push_back(gpu);
    }
}

/// Adds the options that identify a collective on some GPUs, with their help.
static std::vector<CLI::Option *>
addCollective(CLI::App &command, std::string &collective,
              const std::string &collectiveHelp, std::vector<int> &gpus,
              const std::string &gpusHelp, int &root,
              const std::string &rootHelp) {
  return {command.add_option("-c,--collective", collective, collectiveHelp)
              ->type_name("COLLECTIVE")
              ->capture_default_str(),
          command
              .add_option_function<std::vector<std::string>>(
                  "-g,--gpus",
                  [&gpus](const std::vector<std::string> &lists) {
                    readGpus(lists, gpus);
                  },
                  gpusHelp)
              ->allow_extra_args(false) // the file follows
              ->type_name("LIST"),
          command.add_option("-r,--root", root, rootHelp)
              ->type_name("RANK")
              ->capture_default_str()};
}

/// Returns an error if one of the options that select a schedule of a bundle
/// was given for a schedule or machine.
static llvm::Error refuseJob(const std::vector<CLI::Option *> &options,
                             const InputFile &file) {
  for (const CLI::Option *option : options)
    if (option->count() > 0)
      return makeError("{0}: {1} is not a bundle, but {2}: omit this option",
                       option->get_name(), file.path,
                       file.kind == InputKind::topology
                           ? "a machine"
                           : "the schedule of one job");
  return llvm::Error::success();
}

llvm::Error blink::refuseChosen(llvm::ArrayRef<CLI::Option *> options,
                                const InputFile &file) {
  for (const CLI::Option *option : options)
    if (option->count() > 0)
      return makeError(
          "{0}: {1} is not a topology: it already contains this choice",
          option->get_name(), file.path);
  return llvm::Error::success();
}

void RequestFlags::addTo(CLI::App &command) {
  jobOptions_ = addCollective(
      command, collective,
      "allreduce, broadcast, reduce, allgather, reducescatter, "
      "gather, scatter, alltoall or sendrecv (point to point)",
      rest.gpus,
      "GPUs of the job in the order of its ranks, e.g. 1,4,5,6 or 0-7. "
      "Default: all GPUs of the machine",
      rest.root,
      "Rank (0 to n-1) of the root of a broadcast, reduce, gather or "
      "scatter");
  command
      .add_option(
          "-l,--links", links,
          "Kinds of links to use: all, or a list of nvlink, pcie, host, "
          "c2c, xgmi, network")
      ->type_name("KINDS")
      ->capture_default_str();
  command.add_flag("--relays", rest.relays,
                   "Let GPUs of the machine that are not in --gpus forward "
                   "data; they run a program, but have no input or output");
  command
      .add_option("--order", order,
                  "Order in which ranks are added in a reduction: none (each "
                  "tree has its own order), invariant (one order for all "
                  "elements and message sizes, chosen by the compiler) or rank "
                  "(((r0 + r1) + r2) + ..., the same on every machine)")
      ->check(CLI::IsMember({"none", "invariant", "rank"}))
      ->type_name("ORDER")
      ->capture_default_str();
  command.add_flag(
      "--in-switch", rest.inSwitch,
      "Let switches add and copy for trees if that is faster; this "
      "needs \"reduce\" or \"multicast\" in the topology (NVLink "
      "SHARP), and the switch determines the order of its sums");
  command
      .add_option(
          "--without-link", withoutLinks,
          "Remove all links between two nodes, in both directions, e.g. "
          "gpu0:gpu3, as if they had failed. May be repeated")
      ->allow_extra_args(false)
      ->type_name("A:B");
  addLimitLink(command, limitLinks);
  for (const char *name : {"--links", "--relays", "--order", "--in-switch"})
    otherOptions_.push_back(command.get_option(name));
}

llvm::Error RequestFlags::checkUse(const InputFile &file) const {
  if (file.kind == InputKind::topology)
    return llvm::Error::success();
  if (file.kind == InputKind::schedule)
    if (llvm::Error error = refuseJob(jobOptions_, file))
      return error;
  std::vector<CLI::Option *> without = otherOptions_;
  if (file.kind == InputKind::ir)
    llvm::append_range(without, jobOptions_);
  return refuseChosen(without, file);
}

void blink::addLimitLink(CLI::App &command,
                         std::vector<std::string> &limitLinks) {
  command
      .add_option("--limit-link", limitLinks,
                  "Limit all links between two nodes together to this rate in "
                  "each direction. If one of two NVLinks has failed, use half "
                  "of the rate of both: gpu0:gpu3=25. May be repeated")
      ->allow_extra_args(false)
      ->type_name("A:B=GBPS");
}

void blink::addCosts(CLI::App &command, std::string &costs) {
  command
      .add_option("--costs", costs,
                  "Costs of lanes: a cost file (docs/cli.md), or model for the "
                  "costs of the model of time. Default: lanes take no time")
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
      command, collective,
      "For a bundle: the collective, one of those in the bundle", rest.gpus,
      "For a bundle: the GPUs of the job in the order of its ranks, which may "
      "be any order. Default: all GPUs of the machine",
      rest.root,
      "For a bundle: rank (0 to n-1) of the root of a broadcast, reduce, "
      "gather or scatter");
}

llvm::Expected<BundleJob> JobFlags::job() const {
  std::optional<Collective> parsed = parseCollective(collective);
  if (!parsed)
    return makeError("--collective: no collective '{0}'", collective);
  BundleJob job = rest;
  job.collective = *parsed;
  return job;
}

llvm::Expected<InputFile> JobFlags::readSchedule(const std::string &path,
                                                 bool inFull) const {
  llvm::Expected<InputFile> input =
      blink::readSchedule(path, /*orBundle=*/true, inFull);
  if (!input)
    return input;
  if (input->kind == InputKind::bundle) {
    llvm::Expected<BundleJob> wanted = job();
    if (!wanted)
      return wanted.takeError();
    return extractSchedule(*input, *wanted);
  }
  if (llvm::Error error = refuseJob(options_, *input))
    return error;
  return input;
}

llvm::Error JobFlags::refuseFor(const InputFile &file) const {
  return refuseJob(options_, file);
}

void blink::addMachineName(CLI::App &command, std::string &name,
                           const std::string &help) {
  command.add_option("--name", name, help)->check([](const std::string &text) {
    return isName(text) ? std::string() : "must be " + std::string(kNameRule);
  });
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
      .add_option("input", input, "Schedule, or bundle of schedules (.sched)")
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
      ->check(manual::RealRange(0.0, 1.0))
      ->type_name("X")
      ->capture_default_str();
}

void blink::addBytes(CLI::App &command, uint64_t &bytes, uint64_t least) {
  bytes = 64 << 20;
  command
      .add_option("-b,--bytes", bytes,
                  "Size of the buffer, with K, M or G; if the ranks' blocks "
                  "differ, the size of the whole gathered or scattered buffer")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(least, uint64_t(1) << 40))
      ->type_name("SIZE")
      ->default_str("64M");
}
