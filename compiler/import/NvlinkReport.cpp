//===- NvlinkReport.cpp - reading `nvidia-smi nvlink` ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A report has a paragraph per GPU and a line per link. With -R a line names
// the bus id and the link at the other end, with -s a rate; both print
// "<inactive>".
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Readers.h"
#include "compiler/import/TerminalText.h"

#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <map>
#include <set>

using namespace blink;
using End = PeerLinks::End;

namespace {

struct RemoteEnd {
  std::string busId;
  int link;
};

struct ReportedGpu {
  std::map<int, RemoteEnd> remotes; ///< by link number
  std::map<int, double> rates;      ///< GB/s, by link number
  std::vector<int> inactive;
  std::string where;
};

class NvlinkReader {
public:
  NvlinkReader(llvm::StringRef fileName, const ImportOptions &options)
      : options_(options) {
    inventory_.where = fileName.str();
    inventory_.source = "nvidia-smi nvlink";
  }
  llvm::Expected<Inventory> read(llvm::StringRef text);

private:
  llvm::Error readLine(const TextLine &line);
  llvm::Error readLink(const TextLine &line, llvm::StringRef rest);
  std::map<std::string, int> gpusOfRemotes() const;
  bool areMutual(const std::map<std::string, int> &gpuOf) const;
  void addRemoteLinks();
  llvm::Error addRatedLinks();
  double rateOf(int gpu, double reported) const;

  const ImportOptions &options_;
  Inventory inventory_;
  std::vector<ReportedGpu> gpus_;
};

} // namespace

llvm::Error NvlinkReader::readLine(const TextLine &line) {
  llvm::StringRef rest = llvm::StringRef(line.text).ltrim();
  if (rest.consume_front("Link "))
    return gpus_.empty() ? errorAt(line, "a link before the first 'GPU 0: ...'")
                         : readLink(line, rest);
  int number = 0;
  if (rest.consume_front("GPU ") && !rest.consumeInteger(10, number) &&
      rest.consume_front(":")) {
    if (number != static_cast<int>(gpus_.size()))
      return errorAt(line, "GPU " + llvm::Twine(number) + " where GPU " +
                               llvm::Twine(gpus_.size()) +
                               " was expected; take the report of all GPUs");
    const GpuModel *model = options_.gpuModel;
    if (!model)
      model = gpuModelOfProduct(rest.split('(').first);
    inventory_.gpus.push_back({-1, model, line.where});
    gpus_.emplace_back();
    gpus_.back().where = line.where;
  }
  return llvm::Error::success(); // a prompt or other surrounding text
}

/// `rest` is "3: Remote Device 00000008:00:00.0: Link 29", "3: 26.562 GB/s" or
/// "3: <inactive>".
llvm::Error NvlinkReader::readLink(const TextLine &line, llvm::StringRef rest) {
  ReportedGpu &gpu = gpus_.back();
  int link = 0, otherLink = -1;
  if (rest.consumeInteger(10, link) || !rest.consume_front(":") || link < 0)
    return errorAt(line, "expected 'Link 3: ...'");
  rest = rest.trim();
  if (rest.consume_front("Remote Device ")) {
    auto [device, other] = rest.split(": Link ");
    std::string busId = normalBusId(device);
    if (busId.empty() || other.getAsInteger(10, otherLink))
      return errorAt(line, "expected 'Remote Device 00000008:00:00.0: Link "
                           "29', got '" +
                               rest + "'");
    if (!gpu.remotes.try_emplace(link, RemoteEnd{busId, otherLink}).second)
      return errorAt(line, "link " + llvm::Twine(link) + " again");
    return llvm::Error::success();
  }
  if (rest.contains_insensitive("inactive")) {
    gpu.inactive.push_back(link);
    return llvm::Error::success();
  }
  double rate = 0;
  if (!rest.consume_back("GB/s") || rest.trim().getAsDouble(rate) ||
      !(rate > 0) || rate > 1e4)
    return errorAt(line, "expected '26.562 GB/s', 'Remote Device ...' or "
                         "'<inactive>', got '" +
                             rest.take_front(40) + "'");
  gpu.rates[link] = rate;
  return llvm::Error::success();
}

/// Returns the number of the GPU with each bus id, if all remote ends are GPUs.
/// It assigns the GPUs that have links in the order of bus ids, which is
/// nvidia-smi's own.
std::map<std::string, int> NvlinkReader::gpusOfRemotes() const {
  std::set<std::string> remotes;
  std::vector<int> linked;
  for (size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    if (!gpus_[gpu].remotes.empty())
      linked.push_back(static_cast<int>(gpu));
    for (const auto &[link, end] : gpus_[gpu].remotes)
      remotes.insert(end.busId);
  }
  std::map<std::string, int> gpuOf;
  if (remotes.size() == linked.size())
    for (const std::string &busId : remotes)
      gpuOf[busId] = linked[gpuOf.size()];
  return gpuOf;
}

/// Whether the other end of each link names the link in turn.
bool NvlinkReader::areMutual(const std::map<std::string, int> &gpuOf) const {
  for (size_t gpu = 0; gpu < gpus_.size(); ++gpu)
    for (const auto &[link, end] : gpus_[gpu].remotes) {
      const ReportedGpu &other = gpus_[gpuOf.at(end.busId)];
      auto back = other.remotes.find(end.link);
      if (back == other.remotes.end() || back->second.link != link ||
          gpuOf.at(back->second.busId) != static_cast<int>(gpu) ||
          &other == &gpus_[gpu])
        return false;
    }
  return true;
}

void NvlinkReader::addRemoteLinks() {
  std::map<std::string, int> gpuOf = gpusOfRemotes();
  bool direct = !gpuOf.empty() && areMutual(gpuOf);
  for (size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    std::map<int, int> counts; // by GPU; -1: a switch
    for (const auto &[link, end] : gpus_[gpu].remotes)
      ++counts[direct ? gpuOf.at(end.busId) : -1];
    for (auto [other, count] : counts) {
      PeerLinks links{static_cast<int>(gpu), direct ? End::gpu : End::fabric,
                      other, count};
      links.where = gpus_[gpu].where;
      inventory_.links.push_back(links);
    }
  }
  if (direct)
    inventory_.notes.guess(inventory_.where,
                           "the devices at the other ends are the GPUs, in the "
                           "order of bus ids: each link is named by both ends");
  else
    inventory_.notes.guess(inventory_.where,
                           "the devices at the other ends are switches, since "
                           "GPUs would name each other; they count as one");
}

/// Returns the GB/s of a link. A reported rate includes the encoding (26.562
/// for 25); if it agrees with the model's figure, the latter is used.
double NvlinkReader::rateOf(int gpu, double reported) const {
  constexpr double kEncoding = 1.0625;
  const GpuModel *model = inventory_.gpus[gpu].model;
  double payload = reported / kEncoding;
  bool same =
      model && std::abs(payload - model->nominal) < 0.1 * model->nominal;
  return same ? model->linkRate(options_.rates) : payload;
}

llvm::Error NvlinkReader::addRatedLinks() {
  size_t count = gpus_.size();
  const GpuModel *model = inventory_.gpus[0].model;
  bool direct = count == 2;
  bool onSwitch = model && model->onSwitch &&
                  (count >= 16 || (count >= 8 && model->architecture >= 80));
  if (!direct && !onSwitch)
    return makeError(inventory_.where +
                     ": error: rates alone do not tell which GPUs the links "
                     "join; take `nvidia-smi nvlink -R`");
  for (size_t gpu = 0; gpu < count; ++gpu) {
    std::map<double, int> counts; // by rate
    for (auto [link, rate] : gpus_[gpu].rates)
      ++counts[rateOf(static_cast<int>(gpu), rate)];
    for (auto [rate, number] : counts) {
      PeerLinks links{static_cast<int>(gpu), direct ? End::gpu : End::fabric,
                      direct ? 1 - static_cast<int>(gpu) : -1, number, rate};
      links.where = gpus_[gpu].where;
      inventory_.links.push_back(links);
    }
  }
  inventory_.notes.guess(inventory_.where,
                         direct ? "all links join the two GPUs"
                                : "all links go to NVSwitch; `nvidia-smi "
                                  "nvlink -R` would tell");
  return llvm::Error::success();
}

llvm::Expected<Inventory> NvlinkReader::read(llvm::StringRef text) {
  for (const TextLine &line : terminalLines(text, inventory_.where))
    if (llvm::Error error = readLine(line))
      return error;
  bool hasRemotes = false;
  for (size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    hasRemotes |= !gpus_[gpu].remotes.empty();
    if (!gpus_[gpu].inactive.empty())
      inventory_.notes.warn(gpus_[gpu].where,
                            "gpu" + llvm::Twine(gpu) + ": " +
                                llvm::Twine(gpus_[gpu].inactive.size()) +
                                " links are inactive, the first is link " +
                                llvm::Twine(gpus_[gpu].inactive.front()));
  }
  if (gpus_.empty())
    return makeError(inventory_.where + ": error: no line 'GPU 0: ...'");
  if (hasRemotes)
    addRemoteLinks();
  else if (llvm::Error error = addRatedLinks())
    return error;
  inventory_.notes.guess(inventory_.where,
                         "the report has NVLinks alone; PCIe is left out");
  return std::move(inventory_);
}

llvm::Expected<Inventory>
blink::readNvlinkReport(llvm::StringRef text, llvm::StringRef fileName,
                        const ImportOptions &options) {
  return NvlinkReader(fileName, options).read(text);
}
