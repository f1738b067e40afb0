//===- NcclXml.cpp - reading NCCL's topology XML --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// There are three kinds: NCCL's own dumps (`<gpu>` with `<nvlink>`), the files
// that cloud vendors pass to NCCL (the PCI tree alone, sometimes without
// classes), and RCCL's (`<xgmi>`, gfx numbers).
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Readers.h"
#include "compiler/import/XmlDocument.h"

#include "compiler/support/Error.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <set>

using namespace blink;
using Kind = PciDevice::Kind;
using End = PeerLinks::End;

namespace {

class NcclXmlReader {
public:
  NcclXmlReader(const XmlDocument &document, const ImportOptions &options)
      : document_(document), options_(options) {}

  llvm::Expected<Inventory> read(const pugi::xml_node &system) {
    inventory_.source = "NCCL topology XML";
    inventory_.where = document_.fileName().str();
    for (pugi::xml_node cpu : system.children())
      if (llvm::Error error = readCpu(cpu))
        return error;
    sortGpus();
    if (inventory_.gpus.empty())
      placeUnlistedGpus();
    if (llvm::Error error = readLinks())
      return error;
    if (!listsGpus_)
      addUnlistedSwitch();
    return std::move(inventory_);
  }

private:
  llvm::Error readCpu(const pugi::xml_node &cpu);
  llvm::Error readPci(const pugi::xml_node &pci, int parent, int numaNode);
  void readGpu(const pugi::xml_node &gpu, int device);
  llvm::Error readLinks();
  llvm::Error readLink(const pugi::xml_node &link, int gpu);
  void sortGpus();
  void placeUnlistedGpus();
  void addUnlistedSwitch();
  void warnUnknown(const pugi::xml_node &node) {
    if (node.type() == pugi::node_element)
      inventory_.notes.warn(document_.where(node),
                            llvm::Twine("<") + node.name() +
                                "> is not known and left out");
  }

  const XmlDocument &document_;
  const ImportOptions &options_;
  Inventory inventory_;
  bool listsGpus_ = false; ///< there are `<gpu>` elements
  llvm::StringMap<int> gpuOfBusId_;
  std::vector<pugi::xml_node> gpuElements_; ///< of each GPU; may be empty nodes
  std::vector<int> numaOfGpu_;
  std::set<int> numaIds_;
};

} // namespace

static CpuModel::Vendor vendorOf(const pugi::xml_node &cpu) {
  using Vendor = CpuModel::Vendor;
  llvm::StringRef architecture = cpu.attribute("arch").value();
  if (architecture == "ppc64")
    return Vendor::power;
  if (architecture == "arm64" || architecture == "aarch64")
    return Vendor::arm;
  return llvm::StringSwitch<Vendor>(
             llvm::StringRef(cpu.attribute("vendor").value()).trim())
      .Case("GenuineIntel", Vendor::intel)
      .Case("AuthenticAMD", Vendor::amd)
      .Cases("CentaurHauls", "Shanghai", Vendor::zhaoxin)
      .Default(Vendor::unknown);
}

/// Returns the family as in /proc/cpuinfo for NCCL's number, which writes a
/// family beyond 15, for example 0x19, as 0xaf: the excess over 15, then 15.
static int familyOf(int number) {
  return number > 0x1f && (number & 0xf) == 0xf ? 0xf + (number >> 4) : number;
}

llvm::Error NcclXmlReader::readCpu(const pugi::xml_node &cpu) {
  if (llvm::StringRef(cpu.name()) != "cpu") {
    warnUnknown(cpu);
    return llvm::Error::success();
  }
  int node = static_cast<int>(inventory_.numaNodes.size());
  NumaNode numa;
  numa.id = cpu.attribute("numaid").as_int(node);
  if (!numaIds_.insert(numa.id).second)
    return document_.error(cpu, "NUMA node " + llvm::Twine(numa.id) +
                                    " again; a dump of several hosts? Take "
                                    "one of a single host");
  numa.cpu = {vendorOf(cpu), familyOf(cpu.attribute("familyid").as_int()),
              cpu.attribute("modelid").as_int()};
  inventory_.numaNodes.push_back(numa);
  for (pugi::xml_node child : cpu.children()) {
    llvm::StringRef name = child.name();
    if (name == "pci") {
      if (llvm::Error error = readPci(child, -1, node))
        return error;
    } else if (name == "nic") { // virtual NICs: bridges and the like
      for (pugi::xml_node net : child.children("net"))
        inventory_.notes.guess(document_.where(net),
                               llvm::Twine(net.attribute("name").value()) +
                                   " is no PCI device; left out");
    } else {
      warnUnknown(child);
    }
  }
  return llvm::Error::success();
}

/// Returns 0x0302 and the like: base class and subclass of a class code of 24
/// bits.
static unsigned pciClass(const pugi::xml_node &pci) {
  unsigned code = 0;
  llvm::StringRef text = pci.attribute("class").value();
  text.consume_front("0x");
  return text.getAsInteger(16, code) ? 0 : code >> 8;
}

llvm::Error NcclXmlReader::readPci(const pugi::xml_node &pci, int parent,
                                   int numaNode) {
  PciDevice device;
  device.where = document_.where(pci);
  device.busId = normalBusId(pci.attribute("busid").value());
  // Vendors number devices without an address of their own "ffff:ff:01.0".
  if (device.busId.empty())
    return document_.error(pci, llvm::Twine("busid '") +
                                    pci.attribute("busid").value() +
                                    "': expected one like 0000:1b:00.0");
  device.parent = parent;
  device.numaNode = parent < 0 ? numaNode : -1;
  device.speed = {parsePciSpeed(pci.attribute("link_speed").value()),
                  pci.attribute("link_width").as_int()};
  if (pugi::xml_attribute width = pci.attribute("link_width");
      width && (device.speed.lanes < 1 || device.speed.lanes > 32)) {
    inventory_.notes.warn(device.where, device.busId + ": link_width " +
                                            width.value() +
                                            " is not a width; taken as 16");
    device.speed.lanes = 16;
  }

  bool hasChildren = pci.child("pci") || pci.child("gpu") || pci.child("nic");
  unsigned code = pciClass(pci);
  if (pci.child("gpu") || (!hasChildren && (code >> 8 == 0x03)) ||
      (!hasChildren && code == 0x1200)) // processing accelerators: AMD's newest
    device.kind = Kind::gpu;
  else if (pci.child("nic") || (!hasChildren && code >> 8 == 0x02))
    device.kind = Kind::nic;
  else if (!hasChildren && code == 0 && !pci.attribute("class"))
    device.kind = Kind::nic; // AWS lists no classes, and NICs only
  int index = static_cast<int>(inventory_.devices.size());
  inventory_.devices.push_back(device);

  if (device.kind == Kind::gpu) {
    numaOfGpu_.push_back(numaNode);
    readGpu(pci.child("gpu"), index);
  }
  for (pugi::xml_node child : pci.children()) {
    llvm::StringRef name = child.name();
    if (name == "pci") {
      if (llvm::Error error = readPci(child, index, numaNode))
        return error;
    } else if (name == "nic") {
      for (pugi::xml_node net : child.children("net")) {
        PciDevice &nic = inventory_.devices[index];
        if (nic.name.empty())
          nic.name = net.attribute("name").value();
        nic.gigabits += net.attribute("speed").as_double() / 1000;
      }
    } else if (name != "gpu" && name != "pcilink") {
      warnUnknown(child);
    }
  }
  return llvm::Error::success();
}

/// `gpu` may be empty, for files without `<gpu>` elements.
void NcclXmlReader::readGpu(const pugi::xml_node &gpu, int device) {
  const PciDevice &pci = inventory_.devices[device];
  GpuDevice entry;
  entry.device = device;
  entry.where = gpu ? document_.where(gpu) : pci.where;
  entry.model = options_.gpuModel;
  listsGpus_ |= bool(gpu);
  if (!entry.model && gpu) {
    llvm::StringRef gfx = gpu.attribute("gcn").value();
    int architecture = gpu.attribute("sm").as_int();
    if (!gfx.empty()) { // "908", or "gfx942" in newer ones; 90a is 910
      gfx.consume_front("gfx");
      architecture = 0;
      if (gfx == "90a")
        architecture = 910;
      else
        (void)gfx.getAsInteger(10, architecture);
    }
    entry.model = gpuModelOfArchitecture(architecture);
  }
  inventory_.gpus.push_back(entry);
  gpuElements_.push_back(gpu);
}

/// Sorts GPUs by bus id, the order in which nvidia-smi numbers them. `dev` is
/// the order in one process, which CUDA_VISIBLE_DEVICES changes.
void NcclXmlReader::sortGpus() {
  std::vector<size_t> order(inventory_.gpus.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  auto busId = [&](size_t gpu) -> const std::string & {
    return inventory_.devices[inventory_.gpus[gpu].device].busId;
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return isBusBefore(busId(a), busId(b));
  });
  std::vector<GpuDevice> gpus;
  std::vector<pugi::xml_node> elements;
  std::vector<int> nodes;
  for (size_t gpu : order) {
    gpuOfBusId_[busId(gpu)] = static_cast<int>(gpus.size());
    gpus.push_back(inventory_.gpus[gpu]);
    elements.push_back(gpuElements_[gpu]);
    nodes.push_back(numaOfGpu_[gpu]);
  }
  inventory_.gpus = std::move(gpus);
  gpuElements_ = std::move(elements);
  numaOfGpu_ = std::move(nodes);
}

llvm::Error NcclXmlReader::readLinks() {
  for (size_t gpu = 0; gpu < gpuElements_.size(); ++gpu)
    for (pugi::xml_node link : gpuElements_[gpu].children())
      if (llvm::Error error = readLink(link, static_cast<int>(gpu)))
        return error;
  return llvm::Error::success();
}

llvm::Error NcclXmlReader::readLink(const pugi::xml_node &link, int gpu) {
  llvm::StringRef name = link.name();
  PeerLinks links;
  links.gpu = gpu;
  links.where = document_.where(link);
  links.count = link.attribute("count").as_int(1);
  if (name == "c2c") {
    links.end = End::cpu;
    links.index = numaOfGpu_[gpu];
    links.kind = LinkKind::c2c;
    links.bandwidth = link.attribute("bw").as_double() / 1000; // MB/s
    if (!(links.bandwidth > 0) || links.count < 1)
      return document_.error(link,
                             "expected bw in MB/s and count of 1 or more");
    inventory_.links.push_back(links);
    return llvm::Error::success();
  }
  if (name != "nvlink" && name != "xgmi") {
    warnUnknown(link);
    return llvm::Error::success();
  }
  links.kind = name == "xgmi" ? LinkKind::xgmi : LinkKind::nvlink;
  llvm::StringRef target = link.attribute("target").value();
  if (links.count < 1 || links.count > 1000)
    return document_.error(link, llvm::Twine("count '") +
                                     link.attribute("count").value() +
                                     "': expected a whole number from 1");
  llvm::StringRef type = link.attribute("tclass").value();
  std::string busId = normalBusId(target);
  auto known = gpuOfBusId_.find(busId);
  if (known != gpuOfBusId_.end()) {
    links.end = End::gpu;
    links.index = known->second;
    if (links.index == gpu)
      return document_.error(link, "a link from a GPU to itself");
  } else if (type.starts_with("0x0680") && type != "0x068001") {
    links.end = End::fabric;
  } else if (type == "0x068001") { // POWER9
    links.end = End::cpu;
    links.index = numaOfGpu_[gpu];
  } else if (target.starts_with("fffffff")) { // hidden from guests
    links.end = End::fabric;
  } else if (busId.empty()) {
    return document_.error(link, "target '" + target +
                                     "': expected a bus id like 0000:1b:00.0");
  } else {
    inventory_.notes.warn(links.where,
                          "target " + target +
                              " is not a device of this file; left out. A dump "
                              "has only the GPUs that took part");
    return llvm::Error::success();
  }
  inventory_.links.push_back(links);
  return llvm::Error::success();
}

/// Adds GPUs to a vendor's file that lists NICs only, as NCCL itself finds the
/// GPUs when it reads one. In all known machines of this kind, each switch that
/// NICs share also has one GPU.
void NcclXmlReader::placeUnlistedGpus() {
  llvm::SetVector<int> switches;
  for (const PciDevice &device : inventory_.devices)
    if (device.kind == Kind::nic && device.parent >= 0)
      switches.insert(device.parent);
  for (int parent : switches) {
    PciDevice device;
    device.kind = Kind::gpu;
    device.parent = parent;
    device.where = inventory_.devices[parent].where;
    GpuDevice gpu;
    gpu.device = static_cast<int>(inventory_.devices.size());
    gpu.model = options_.gpuModel;
    gpu.where = device.where;
    inventory_.devices.push_back(device);
    inventory_.gpus.push_back(gpu);
    gpuElements_.emplace_back();
  }
  if (!switches.empty())
    inventory_.notes.warn(inventory_.where,
                          "the file lists NICs and no GPU; one GPU is put at "
                          "each PCIe switch that has NICs. NCCL_TOPO_DUMP_FILE "
                          "on the machine itself tells where they are");
}

/// Vendors' files do not list NVLinks either.
void NcclXmlReader::addUnlistedSwitch() {
  if (inventory_.gpus.size() < 2)
    return;
  const GpuModel *model = options_.gpuModel;
  if (!model || !model->onSwitch || inventory_.gpus.size() < 8 ||
      model->architecture < 80) {
    inventory_.notes.warn(inventory_.where,
                          "the file lists no links between GPUs, and PCIe "
                          "alone is taken; --gpu-model a100-sxm (or h100-sxm, "
                          "...) adds the NVSwitch of eight such GPUs");
    return;
  }
  for (size_t gpu = 0; gpu < inventory_.gpus.size(); ++gpu) {
    PeerLinks links;
    links.gpu = static_cast<int>(gpu);
    links.end = End::fabric;
    links.count = model->maxLinks;
    links.where = inventory_.gpus[gpu].where;
    inventory_.links.push_back(links);
  }
  inventory_.notes.guess(inventory_.where,
                         llvm::Twine(model->maxLinks) +
                             " NVLinks from each GPU to NVSwitch, as " +
                             model->name + "s have; the file lists none");
}

llvm::Expected<Inventory> blink::readNcclXml(const XmlDocument &document,
                                             const pugi::xml_node &system,
                                             const ImportOptions &options) {
  return NcclXmlReader(document, options).read(system);
}
