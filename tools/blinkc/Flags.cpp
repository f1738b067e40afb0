//===- Flags.cpp - options that several commands have ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Flags.h"

using namespace blink;

void RequestFlags::addTo(CLI::App &command) {
  command
      .add_option("-c,--collective", collective,
                  "allreduce, broadcast, reduce, allgather, reducescatter, "
                  "gather, scatter or alltoall")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("-g,--gpus", gpus,
                  "The GPUs the job gets, e.g. 1,4,5,6; the first is rank 0. "
                  "Default: all of the machine")
      ->delimiter(',')
      ->allow_extra_args(false) // what follows is the file
      ->type_name("LIST");
  command
      .add_option("-r,--root", root,
                  "Root of a broadcast, reduce, gather or scatter: a "
                  "rank, 0 to n-1")
      ->type_name("RANK")
      ->capture_default_str();
  command
      .add_option("-l,--links", links,
                  "Kinds of link to use: all, or a list of nvlink, pcie, host, "
                  "c2c, xgmi, network")
      ->type_name("KINDS")
      ->capture_default_str();
  command.add_flag("--relays", relays,
                   "GPUs of the machine that are not in --gpus forward data; "
                   "they run a program, too, but give and take nothing");
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
  CompileOptions options;
  std::optional<Collective> parsed = parseCollective(collective);
  if (!parsed)
    return llvm::createStringError(
        std::errc::invalid_argument,
        "--collective: no collective '%s'; expected allreduce, broadcast, "
        "reduce, allgather, reducescatter, gather, scatter or alltoall",
        collective.c_str());
  options.collective = *parsed;
  options.gpus = gpus;
  options.root = root;
  options.relays = relays;
  llvm::Expected<LinkKindSet> kinds = parseLinkKinds(links);
  if (!kinds)
    return llvm::createStringError(std::errc::invalid_argument, "--links: %s",
                                   llvm::toString(kinds.takeError()).c_str());
  options.links = *kinds;
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
  options_.push_back(command
                         .add_option("-c,--collective", collective,
                                     "Of a bundle: one of those it is for")
                         ->type_name("NAME")
                         ->capture_default_str());
  options_.push_back(
      command
          .add_option(
              "-g,--gpus", gpus,
              "Of a bundle: the GPUs of the job, in any order; the first "
              "is rank 0. Default: all of the machine")
          ->delimiter(',')
          ->allow_extra_args(false) // what follows is the file
          ->type_name("LIST"));
  options_.push_back(
      command
          .add_option("-r,--root", root,
                      "Of a bundle: root of a broadcast, reduce, gather or "
                      "scatter: a rank, 0 to n-1")
          ->type_name("RANK")
          ->capture_default_str());
}

llvm::Expected<BundleJob> JobFlags::job() const {
  std::optional<Collective> parsed = parseCollective(collective);
  if (!parsed)
    return llvm::createStringError(std::errc::invalid_argument,
                                   "--collective: no collective '%s'",
                                   collective.c_str());
  return BundleJob{*parsed, gpus, root, ""};
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
      return llvm::createStringError(
          std::errc::invalid_argument,
          "%s: %s is no bundle: it runs as it was compiled",
          option->get_name().c_str(), input->path.c_str());
  return input;
}

void blink::addInput(CLI::App &command, std::string &input) {
  command
      .add_option("input", input,
                  "A schedule, or a bundle of schedules (.sched)")
      ->required();
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
