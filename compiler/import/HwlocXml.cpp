//===- HwlocXml.cpp - reading `lstopo --of xml` ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// hwloc writes a tree of objects: packages, NUMA nodes (hwloc 2: beside the
// objects they are local to; hwloc 1: above them), bridges, PCI devices and the
// system's names for them. Links between GPUs are matrices at the end, with
// GB/s instead of numbers of links.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Processors.h"
#include "compiler/import/Readers.h"
#include "compiler/import/XmlDocument.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <cstring>
#include <map>
#include <set>

using namespace blink;
using Kind = PciDevice::Kind;
using End = PeerLinks::End;

namespace {

class HwlocXmlReader {
public:
  HwlocXmlReader(const XmlDocument &document, const ImportOptions &options)
      : document_(document), options_(options) {
    inventory_.where = document_.fileName().str();
    inventory_.source = "hwloc XML";
  }
  llvm::Expected<Inventory> read(const pugi::xml_node &topology) {
    for (pugi::xml_node object : topology.children("object"))
      if (llvm::Error error = readObject(object, {}))
        return error;
    numberGpus();
    if (inventory_.numaNodes.empty())
      inventory_.numaNodes.push_back(
          {0,
           {},
           parseCpuMask(topology.child("object").attribute("cpuset").value())});
    for (pugi::xml_node child : topology.children())
      if (llvm::StringRef(child.name()).starts_with("distances2"))
        if (llvm::Error error = readMatrix(child))
          return error;
    if (inventory_.gpus.size() > 1 && inventory_.links.empty())
      inventory_.notes.warn(inventory_.where,
                            "no NVLinkBandwidth or XGMIBandwidth in the file: "
                            "hwloc was built without the vendor's library, or "
                            "there are no such links");
    return std::move(inventory_);
  }

private:
  /// What an object inherits from the objects around it.
  struct Around {
    CpuModel cpu;
    int device = -1; ///< the bridge or PCI device
    int numaNode = 0;
  };

  llvm::Error readObject(const pugi::xml_node &object, Around around);
  llvm::Error enterNumaNode(const pugi::xml_node &object, Around &around);
  llvm::Error readPciDevice(const pugi::xml_node &object, Around &around);
  llvm::Error readMatrix(const pugi::xml_node &matrix);
  void numberGpus();

  const XmlDocument &document_;
  const ImportOptions &options_;
  Inventory inventory_;
  std::map<std::string, Around> placeOfObject_; ///< by gp_index
  std::map<pugi::xml_node, int> numaNodeOf_;
  std::set<int> numaIds_;
  std::map<int, int> gpuOfDevice_;
  std::map<int, bool> isSwitch_; ///< NVSwitches
};

} // namespace

static std::string info(const pugi::xml_node &object, const char *name) {
  return object.find_child_by_attribute("info", "name", name)
      .attribute("value")
      .value();
}

static CpuModel cpuOf(const pugi::xml_node &package) {
  using Vendor = CpuModel::Vendor;
  CpuModel cpu;
  cpu.vendor = llvm::StringSwitch<Vendor>(info(package, "CPUVendor"))
                   .Case("GenuineIntel", Vendor::intel)
                   .Case("AuthenticAMD", Vendor::amd)
                   .Default(Vendor::unknown);
  (void)llvm::StringRef(info(package, "CPUFamilyNumber"))
      .getAsInteger(10, cpu.family);
  (void)llvm::StringRef(info(package, "CPUModelNumber"))
      .getAsInteger(10, cpu.model);
  return cpu;
}

/// Returns the speed for which hwloc computed this many GB/s; unknown if none
/// fits. hwloc writes 0 if it lacks the rights to read the speed.
static PciSpeed speedOf(double bandwidth) {
  for (int lanes : {16, 8, 4, 2, 1, 32})
    for (double speed : {2.5, 5.0, 8.0, 16.0, 32.0, 64.0}) {
      double expected = pciBandwidth({speed, lanes}, RateSource::nominal);
      if (std::abs(bandwidth - expected) < 0.02 * expected)
        return {speed, lanes};
    }
  return {};
}

llvm::Error HwlocXmlReader::readObject(const pugi::xml_node &object,
                                       Around around) {
  llvm::StringRef type = object.attribute("type").value();
  if (type == "Machine") {
    const std::string architecture = info(object, "Architecture");
    if (architecture == "aarch64")
      around.cpu.vendor = CpuModel::Vendor::arm;
    else if (llvm::StringRef(architecture).starts_with("ppc64"))
      around.cpu.vendor = CpuModel::Vendor::power;
  }
  if (type == "NUMANode")
    if (llvm::Error error = enterNumaNode(object, around))
      return error;
  if ((type == "Package" || type == "Socket") &&
      !info(object, "CPUVendor").empty()) {
    around.cpu = cpuOf(object);
    // In hwloc 1, nodes precede their packages.
    for (NumaNode &node : inventory_.numaNodes)
      if (node.cpu.vendor == CpuModel::Vendor::unknown)
        node.cpu = around.cpu;
  }
  for (pugi::xml_node child : object.children("object"))
    if (std::strcmp(child.attribute("type").value(), "NUMANode") == 0)
      if (llvm::Error error = enterNumaNode(child, around))
        return error;
  if (type == "PCIDev" || (type == "Bridge" && object.attribute("pci_busid"))) {
    if (llvm::Error error = readPciDevice(object, around))
      return error;
  } else if (type == "OSDev" && around.device >= 0) {
    PciDevice &device = inventory_.devices[around.device];
    // 3 is an RDMA device; its name is preferred to that of a network
    // interface, 2.
    llvm::StringRef kind = object.attribute("osdev_type").value();
    if (kind == "3" || (kind == "2" && device.name.empty()))
      device.name = object.attribute("name").value();
    auto gpu = gpuOfDevice_.find(around.device);
    std::string product = info(object, "GPUModel");
    if (gpu != gpuOfDevice_.end() && !options_.gpuModel && !product.empty())
      inventory_.gpus[gpu->second].model = gpuModelOfProduct(product);
  }
  placeOfObject_[object.attribute("gp_index").value()] = around;
  for (pugi::xml_node child : object.children("object"))
    if (llvm::Error error = readObject(child, around))
      return error;
  return llvm::Error::success();
}

/// Makes a NUMA node that of `around`, and adds it to the inventory on first
/// use. Errors: another node has the same number.
llvm::Error HwlocXmlReader::enterNumaNode(const pugi::xml_node &object,
                                          Around &around) {
  const int next = static_cast<int>(inventory_.numaNodes.size());
  auto [place, isNew] = numaNodeOf_.try_emplace(object, next);
  around.numaNode = place->second;
  if (!isNew)
    return llvm::Error::success();
  const int id = object.attribute("os_index").as_int(next);
  if (!numaIds_.insert(id).second)
    return document_.error(object, "NUMA node " + llvm::Twine(id) +
                                       " again; a dump of several hosts? "
                                       "Take one of a single host");
  inventory_.numaNodes.push_back(
      {id, around.cpu, parseCpuMask(object.attribute("cpuset").value())});
  return llvm::Error::success();
}

/// Numbers GPUs by bus id; hwloc lists them by the packages that they are at.
void HwlocXmlReader::numberGpus() {
  sortGpus(inventory_);
  for (size_t gpu = 0; gpu < inventory_.gpus.size(); ++gpu)
    gpuOfDevice_[inventory_.gpus[gpu].device] = static_cast<int>(gpu);
}

llvm::Error HwlocXmlReader::readPciDevice(const pugi::xml_node &object,
                                          Around &around) {
  PciDevice device;
  device.where = document_.where(object);
  device.busId = normalBusId(object.attribute("pci_busid").value());
  if (device.busId.empty())
    return document_.error(object, llvm::Twine("pci_busid '") +
                                       object.attribute("pci_busid").value() +
                                       "': expected one like 0000:1b:00.0");
  device.parent = around.device;
  device.numaNode = around.device < 0 ? around.numaNode : -1;
  device.speed = speedOf(object.attribute("pci_link_speed").as_double());
  unsigned code = 0, vendor = 0, product = 0; // "0302 [10de:2330] ..."
  llvm::StringRef pciType = object.attribute("pci_type").value();
  (void)pciType.take_front(4).getAsInteger(16, code);
  (void)pciType.substr(6, 4).getAsInteger(16, vendor);
  (void)pciType.substr(11, 4).getAsInteger(16, product);
  int index = static_cast<int>(inventory_.devices.size());
  if (isGpu(code, vendor, product)) {
    device.kind = Kind::gpu;
    gpuOfDevice_[index] = static_cast<int>(inventory_.gpus.size());
    const GpuModel *model = options_.gpuModel;
    std::string product = info(object, "PCIDevice");
    if (!model && !product.empty())
      model = gpuModelOfProduct(product);
    inventory_.gpus.push_back({index, model, device.where});
  } else if (code >> 8 == 0x02) {
    device.kind = Kind::nic;
  } else if (code == 0x0680) {
    isSwitch_[index] = true;
  }
  inventory_.devices.push_back(device);
  around.device = index;
  return llvm::Error::success();
}

/// Rows and columns are the objects of `indexes`; values are MB/s of all links
/// from one object to the other.
llvm::Error HwlocXmlReader::readMatrix(const pugi::xml_node &matrix) {
  llvm::StringRef name = matrix.attribute("name").value();
  if (name != "NVLinkBandwidth" && name != "XGMIBandwidth")
    return llvm::Error::success();
  std::vector<Around> places;
  for (pugi::xml_node list : matrix.children("indexes")) {
    llvm::SmallVector<llvm::StringRef, 16> words;
    llvm::SplitString(list.text().get(), words);
    for (llvm::StringRef word : words) {
      // "OSDev:332" if there are objects of several types.
      auto found = placeOfObject_.find(word.rsplit(':').second.empty()
                                           ? word.str()
                                           : word.rsplit(':').second.str());
      if (found == placeOfObject_.end())
        return document_.error(list, "'" + word +
                                         "' is not the gp_index of an object");
      places.push_back(found->second);
    }
  }
  std::vector<double> values;
  for (pugi::xml_node list : matrix.children("u64values")) {
    llvm::SmallVector<llvm::StringRef, 16> words;
    llvm::SplitString(list.text().get(), words);
    for (llvm::StringRef word : words) {
      uint64_t value = 0;
      if (word.getAsInteger(10, value))
        return document_.error(list, "'" + word + "' is not a number");
      values.push_back(static_cast<double>(value) / 1000);
    }
  }
  size_t count = places.size();
  if (values.size() != count * count)
    return document_.error(matrix, llvm::Twine(values.size()) + " values for " +
                                       llvm::Twine(count) +
                                       " objects; is the file whole?");
  for (size_t a = 0; a < count; ++a)
    for (size_t b = 0; b < count; ++b) {
      auto from = gpuOfDevice_.find(places[a].device);
      if (a == b || values[a * count + b] <= 0 || from == gpuOfDevice_.end())
        continue;
      PeerLinks links{from->second, End::fabric};
      auto to = gpuOfDevice_.find(places[b].device);
      if (to != gpuOfDevice_.end()) {
        links.end = End::gpu;
        links.index = to->second;
      } else if (places[b].device < 0) { // a package, as on POWER
        links.end = End::cpu;
        links.index = places[b].numaNode;
      } else if (!isSwitch_.count(places[b].device)) {
        continue;
      }
      links.bandwidth = values[a * count + b];
      links.kind = name == "XGMIBandwidth" ? LinkKind::xgmi : LinkKind::nvlink;
      links.where = document_.where(matrix);
      inventory_.links.push_back(links);
    }
  return llvm::Error::success();
}

llvm::Expected<Inventory> blink::readHwlocXml(const XmlDocument &document,
                                              const pugi::xml_node &topology,
                                              const ImportOptions &options) {
  return HwlocXmlReader(document, options).read(topology);
}
