//===- SystemFiles.cpp - the PCI tree and CPUs of a Linux system ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/SystemFiles.h"

#include "compiler/import/Processors.h"
#include "compiler/support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace blink;
using Kind = PciDevice::Kind;
using End = PeerLinks::End;

/// Returns a file's text without surrounding blanks and the zeros that end some
/// masks; empty if the file cannot be read.
static std::string textOf(const llvm::Twine &path) {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().rtrim('\0').trim().str() : "";
}

/// Reads a number, "0x..." or decimal; returns `otherwise` if the file has
/// none.
static int numberOf(const llvm::Twine &path, int otherwise) {
  int number = 0;
  return llvm::StringRef(textOf(path)).getAsInteger(0, number) ? otherwise
                                                               : number;
}

/// Returns the names in a folder, sorted.
static std::vector<std::string> namesIn(const llvm::Twine &folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(folder, error, false), end;
       !error && at != end; at.increment(error))
    names.push_back(llvm::sys::path::filename(at->path()).str());
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

class SystemReader {
public:
  SystemReader(llvm::StringRef sysfs, Inventory &inventory)
      : sysfs_(sysfs), inventory_(inventory) {}

  llvm::Error read() {
    readNumaNodes();
    for (const std::string &name : namesIn(sysfs_ + "/bus/pci/devices"))
      addDevice(name);
    if (inventory_.devices.empty() && inventory_.numaNodes.empty())
      return makeError(sysfs_ +
                       ": error: no bus/pci/devices, no devices/system/node "
                       "and no devices/system/cpu; is this a Linux /sys?");
    if (inventory_.numaNodes.empty())
      inventory_.numaNodes.push_back({});
    sortGpus(inventory_); // as nvidia-smi numbers them
    addXgmiLinks();
    return llvm::Error::success();
  }

private:
  void readNumaNodes();
  int addDevice(const std::string &busId);
  void describe(PciDevice &device, const std::string &folder);
  void addGpu(int device, unsigned vendor, unsigned product);
  void addXgmiLinks();

  std::string sysfs_;
  Inventory &inventory_;
  std::map<std::string, int> deviceOf_; ///< by bus id
};

} // namespace

/// Returns the processors of a NUMA node. Copies by hwloc-gather-topology only
/// have the mask.
static std::vector<int> processorsOf(const std::string &folder) {
  std::vector<int> processors = parseCpuList(textOf(folder + "/cpulist"));
  return processors.empty() ? parseCpuMask(textOf(folder + "/cpumap"))
                            : processors;
}

/// Reads the NUMA nodes. /proc/cpuinfo states the CPU model for all of them.
void SystemReader::readNumaNodes() {
  CpuModel cpu;
  std::string path = sysfs_ + "/../proc/cpuinfo";
  std::string text = textOf(path);
  auto field = [&](llvm::StringRef name) {
    for (llvm::StringRef line : llvm::split(text, '\n')) {
      auto [key, value] = line.split(':');
      if (key.trim() == name)
        return value.trim();
    }
    return llvm::StringRef();
  };
  using Vendor = CpuModel::Vendor;
  cpu.vendor = llvm::StringSwitch<Vendor>(field("vendor_id"))
                   .Case("GenuineIntel", Vendor::intel)
                   .Case("AuthenticAMD", Vendor::amd)
                   .Cases("CentaurHauls", "Shanghai", Vendor::zhaoxin)
                   .Default(Vendor::unknown);
  if (!field("CPU implementer").empty())
    cpu.vendor = Vendor::arm;
  else if (field("cpu").starts_with("POWER"))
    cpu.vendor = Vendor::power;
  (void)field("cpu family").getAsInteger(10, cpu.family);
  (void)field("model").getAsInteger(10, cpu.model);

  std::map<int, std::vector<int>> processors; // by node
  const std::string folder = sysfs_ + "/devices/system/";
  for (const std::string &name : namesIn(folder + "node")) {
    llvm::StringRef rest = name;
    int id = 0;
    if (rest.consume_front("node") && !rest.getAsInteger(10, id))
      processors[id] = processorsOf(folder + "node/" + name);
  }
  // A kernel without NUMA support, or a machine description without it.
  if (processors.empty())
    for (const std::string &name : namesIn(folder + "cpu")) {
      llvm::StringRef rest = name;
      int processor = 0;
      if (rest.consume_front("cpu") && !rest.getAsInteger(10, processor) &&
          numberOf(folder + "cpu/" + name + "/online", 1) != 0)
        processors[0].push_back(processor);
    }
  // Nodes without processors are memory only, like a GPU's in a GH200.
  for (auto &[id, list] : processors)
    if (!list.empty())
      inventory_.numaNodes.push_back({id, cpu, std::move(list)});
}

/// Returns the PCI address of the folder above, if it has one; otherwise empty.
static std::string parentOf(llvm::StringRef realPath) {
  return normalBusId(
      llvm::sys::path::filename(llvm::sys::path::parent_path(realPath)));
}

/// Adds a device after the devices above it. Returns its index, or -1 if the
/// device does not exist.
int SystemReader::addDevice(const std::string &busId) {
  if (auto known = deviceOf_.find(busId); known != deviceOf_.end())
    return known->second;
  std::string folder = sysfs_ + "/bus/pci/devices/" + busId;
  llvm::SmallString<256> realPath;
  if (llvm::sys::fs::real_path(folder, realPath))
    return deviceOf_[busId] = -1;
  deviceOf_[busId] = -1; // ends the recursion if a folder links to itself
  PciDevice device;
  std::string parent = parentOf(realPath);
  if (!parent.empty())
    device.parent = addDevice(parent);
  device.busId = busId;
  device.where = folder;
  describe(device, folder);

  int index = static_cast<int>(inventory_.devices.size());
  inventory_.devices.push_back(device);
  if (device.kind == Kind::gpu)
    addGpu(index, static_cast<unsigned>(numberOf(folder + "/vendor", 0)),
           static_cast<unsigned>(numberOf(folder + "/device", 0)));
  return deviceOf_[busId] = index;
}

void SystemReader::describe(PciDevice &device, const std::string &folder) {
  unsigned code = static_cast<unsigned>(numberOf(folder + "/class", 0)) >> 8;
  if (isGpu(code, static_cast<unsigned>(numberOf(folder + "/vendor", 0)),
            static_cast<unsigned>(numberOf(folder + "/device", 0))))
    device.kind = Kind::gpu;
  else if (code >> 8 == 0x02)
    device.kind = Kind::nic;

  if (device.parent < 0) {
    int id = numberOf(folder + "/numa_node", -1); // -1: unknown to the kernel
    device.numaNode = 0;
    for (size_t node = 0; node < inventory_.numaNodes.size(); ++node)
      if (inventory_.numaNodes[node].id == id)
        device.numaNode = static_cast<int>(node);
  }

  device.speed = {parsePciSpeed(textOf(folder + "/max_link_speed")),
                  numberOf(folder + "/max_link_width", 0)};
  int width = numberOf(folder + "/current_link_width", 0);
  if (device.kind == Kind::gpu && width > 0 && width < device.speed.lanes) {
    inventory_.notes.warn(device.where,
                          "x" + llvm::Twine(width) + " of x" +
                              llvm::Twine(device.speed.lanes) +
                              " lanes; the slot has no more, or the card sits "
                              "badly");
    device.speed.lanes = width;
  }
  if (device.speed.lanes > 32) // 255 means a virtual device
    device.speed = {};
  if (device.kind != Kind::nic)
    return;
  // UCX and NCCL know NICs by the names of their RDMA devices.
  for (const char *kind : {"/infiniband", "/net"})
    for (const std::string &name : namesIn(folder + kind)) {
      if (device.name.empty())
        device.name = name;
      device.gigabits =
          std::max(device.gigabits,
                   numberOf(folder + kind + "/" + name + "/speed", 0) / 1000.0);
    }
}

/// Returns the model of NVIDIA's and AMD's most common products by PCI id, for
/// machines without a driver that knows the name.
static const GpuModel *modelOfPciId(unsigned vendor, unsigned product) {
  static constexpr struct {
    unsigned vendor, product;
    llvm::StringLiteral model;
  } kIds[] = {
      {0x10de, 0x15f9, "p100-sxm"},  {0x10de, 0x15f8, "p100-pcie"},
      {0x10de, 0x1db1, "v100-sxm"},  {0x10de, 0x1db5, "v100-sxm"},
      {0x10de, 0x1db8, "v100-sxm"},  {0x10de, 0x1db4, "v100-pcie"},
      {0x10de, 0x1eb8, "t4"},        {0x10de, 0x20b0, "a100-sxm"},
      {0x10de, 0x20b2, "a100-sxm"},  {0x10de, 0x20b5, "a100-pcie"},
      {0x10de, 0x20f1, "a100-pcie"}, {0x10de, 0x2235, "a40"},
      {0x10de, 0x2236, "a10"},       {0x10de, 0x2237, "a10g"},
      {0x10de, 0x2230, "rtx-a6000"}, {0x10de, 0x2204, "rtx-3090"},
      {0x10de, 0x26b9, "l40s"},      {0x10de, 0x26b5, "l40"},
      {0x10de, 0x27b8, "l4"},        {0x10de, 0x2684, "rtx-4090"},
      {0x10de, 0x2330, "h100-sxm"},  {0x10de, 0x2331, "h100-pcie"},
      {0x10de, 0x2321, "h100-nvl"},  {0x10de, 0x2324, "h800-sxm"},
      {0x10de, 0x2335, "h200-sxm"},  {0x10de, 0x2342, "gh200"},
      {0x10de, 0x2901, "b200-sxm"},  {0x10de, 0x2941, "gb200"},
      {0x10de, 0x2b85, "rtx-5090"},  {0x1002, 0x738c, "mi100"},
      {0x1002, 0x7408, "mi250"},     {0x1002, 0x740c, "mi250"},
      {0x1002, 0x740f, "mi250"},     {0x1002, 0x74a1, "mi300x"},
      {0x1002, 0x74a5, "mi325x"},    {0x1002, 0x75a3, "mi355x"},
  };
  for (const auto &id : kIds)
    if (id.vendor == vendor && id.product == product)
      return findGpuModel(id.model);
  return nullptr;
}

void SystemReader::addGpu(int device, unsigned vendor, unsigned product) {
  inventory_.gpus.push_back({device, modelOfPciId(vendor, product),
                             inventory_.devices[device].where});
}

/// Adds the xGMI links. AMD's driver lists nodes (CPUs and GPUs) and the links
/// between them; type 11 is xGMI.
void SystemReader::addXgmiLinks() {
  const std::string nodes = sysfs_ + "/class/kfd/kfd/topology/nodes";
  auto field = [](const std::string &text, llvm::StringRef name) {
    for (llvm::StringRef line : llvm::split(text, '\n')) {
      auto [key, value] = line.split(' ');
      unsigned number = 0;
      if (key == name && !value.trim().getAsInteger(10, number))
        return static_cast<int>(number);
    }
    return -1;
  };
  std::map<int, int> gpuOfNode;
  for (const std::string &name : namesIn(nodes)) {
    int node = 0;
    std::string text = textOf(nodes + "/" + name + "/properties");
    int location = field(text, "location_id");
    if (llvm::StringRef(name).getAsInteger(10, node) || location <= 0)
      continue; // a CPU
    // Bus, device and function in 16 bits, as PCI encodes them.
    std::string busId = normalBusId(
        llvm::formatv("{0:x-4}:{1:x-2}:{2:x-2}.{3:x-1}",
                      std::max(field(text, "domain"), 0), location >> 8 & 0xff,
                      location >> 3 & 0x1f, location & 7)
            .str());
    for (size_t gpu = 0; gpu < inventory_.gpus.size(); ++gpu)
      if (inventory_.devices[inventory_.gpus[gpu].device].busId == busId)
        gpuOfNode[node] = static_cast<int>(gpu);
  }
  for (auto [node, gpu] : gpuOfNode) {
    std::string links = nodes + "/" + std::to_string(node) + "/io_links";
    for (const std::string &name : namesIn(links)) {
      std::string where = links + "/" + name + "/properties";
      std::string text = textOf(where);
      auto other = gpuOfNode.find(field(text, "node_to"));
      if (field(text, "type") != 11 || other == gpuOfNode.end())
        continue;
      PeerLinks entry{gpu, End::gpu, other->second};
      entry.kind = LinkKind::xgmi;
      // MB/s of all links to that node; older kernels report 0.
      if (const GpuModel *model = inventory_.gpus[gpu].model)
        entry.count = std::max(
            1, static_cast<int>(std::lround(field(text, "max_bandwidth") /
                                            (1000 * model->nominal))));
      entry.where = where;
      inventory_.links.push_back(entry);
    }
  }
}

llvm::Error blink::readSystemFiles(llvm::StringRef sysfs,
                                   Inventory &inventory) {
  return SystemReader(sysfs, inventory).read();
}
