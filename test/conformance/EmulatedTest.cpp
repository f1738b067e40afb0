//===- EmulatedTest.cpp - machines that are not here ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the CUDA back end says of machines that a schedule does not fit, and
// does where copies are slow; they are emulated (test/emulation).
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/MachineGpus.h"
#include "test/common/BundleBuilder.h"
#include "test/common/Contains.h"
#include "test/conformance/Floats.h"
#include "test/conformance/Job.h"
#include "test/emulation/Emulation.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

/// What blinkCommInitAll says of a schedule on emulated devices.
std::string initError(const std::vector<uint8_t> &bytes, int numRanks,
                      const int *devices) {
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  std::vector<blinkComm_t> comms(numRanks);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  blinkResult_t result =
      blinkCommInitAll(comms.data(), numRanks, devices, schedule, &config);
  std::string text = result == blinkSuccess ? "" : blinkGetLastError(nullptr);
  for (blinkComm_t comm : comms)
    blinkCommDestroy(comm);
  blinkScheduleClose(schedule);
  return text;
}
std::string initError(const TestSchedule &model, int numRanks,
                      const int *devices) {
  return initError(seal(model), numRanks, devices);
}

} // namespace

TEST_CASE("what the machine cannot run is refused in a sentence") {
  TestSchedule four = makeSchedule(Collective::allreduce, 0, 4, {});
  emulatedMachine = {};
  CHECK(initError(four, 4, nullptr) == "");
  emulatedMachine.devices = 3;
  CHECK(contains(initError(four, 4, nullptr),
                 "rank 3 is for GPU 3, this machine has 3"));
  const int onTwo[] = {0, 0, 1, 1}, wrong[] = {0, 1, -1, 2};
  CHECK(initError(four, 4, onTwo) == "");
  CHECK(contains(initError(four, 4, wrong), "rank 2 is for GPU -1"));
  emulatedMachine.peerBorder = 1;
  CHECK(contains(initError(four, 4, onTwo),
                 "cannot access each other's memory here"));
  CHECK(initError(withKind(four, sched::ChannelKind::staged), 4, onTwo) == "");
  CHECK(
      contains(initError(withKind(four, sched::ChannelKind::network), 4, onTwo),
               "over the network"));
  emulatedMachine = {};
  emulatedMachine.residentLanes = 3;
  CHECK(contains(initError(four, 4, onTwo), "4 lanes, 3 can run"));
  emulatedMachine = {};
  const std::vector<int> onOne(33);
  CHECK(contains(initError(makeSchedule(Collective::allreduce, 0, 33, {}), 33,
                           onOne.data()),
                 "33 ranks are on GPU 0, which runs 32 together"));
}

namespace {

/// What two ranks say that join by an id, on these devices; what both say,
/// once.
std::string joinError(int first, int second) {
  const std::vector<uint8_t> bytes =
      seal(makeSchedule(Collective::allreduce, 0, 2, {}));
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  blinkUniqueId id;
  REQUIRE(blinkGetUniqueId(&id) == blinkSuccess);
  std::string said[2];
  std::vector<std::thread> threads;
  for (int rank : {0, 1})
    threads.emplace_back([&, rank] {
      blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
      config.backend = blinkBackendCuda;
      blinkComm_t comm = nullptr;
      if (blinkCommInitRank(&comm, 2, id, rank, rank == 0 ? first : second,
                            schedule, &config) != blinkSuccess)
        said[rank] = blinkGetLastError(nullptr);
      blinkCommDestroy(comm);
    });
  for (std::thread &thread : threads)
    thread.join();
  blinkScheduleClose(schedule);
  return said[0] == said[1] ? said[0] : said[0] + said[1];
}

} // namespace

TEST_CASE("what ranks that join cannot run is refused in a sentence") {
  emulatedMachine = {};
  emulatedMachine.residentLanes = 3;
  CHECK(joinError(0, 1) == "");
  CHECK(joinError(1, 1) ==
        "ranks 0,1 are on one GPU and have 4 lanes together, 3 can run there "
        "at the same time: give them GPUs of their own, or compile with fewer "
        "lanes");
  emulatedMachine = {};
  CHECK(joinError(1, 1) == "");
  emulatedMachine.hostOffset = 4096;
  CHECK(contains(joinError(0, 1), "see registered host memory at other "));
  // Devices that no other test has used.
  emulatedMachine = {};
  emulatedMachine.devices = 12;
  emulatedMachine.mostPeers = 0;
  const std::string error = joinError(10, 11);
  CHECK((contains(error, "GPU 10 cannot reach GPU 11, too") ||
         contains(error, "GPU 11 cannot reach GPU 10, too")));
  emulatedMachine = {};
}

namespace {

/// What each of two ranks adds up.
struct Summands {
  Floats values[2] = {Floats(100), Floats(100)};

  void fill() {
    for (int rank : {0, 1}) {
      std::fill(values[rank].host.begin(), values[rank].host.end(),
                rank + 1.0f);
      values[rank].upload();
    }
  }
  /// In one launch where they share a device, or a rank after the other.
  void sum(const Job &job, const cudaStream_t (&streams)[2], bool together) {
    if (together)
      blinkGroupStart();
    for (int rank : {0, 1}) {
      float *data = values[rank].memory;
      CHECK(blinkAllReduce(data, data, 100, blinkFloat32, blinkSum, job[rank],
                           streams[rank]) == blinkSuccess);
    }
    if (together)
      CHECK(blinkGroupEnd() == blinkSuccess);
    for (int rank : {0, 1}) {
      CHECK(cudaStreamSynchronize(streams[rank]) == cudaSuccess);
      values[rank].download();
      CHECK(values[rank].host == std::vector<float>(100, 3.0f));
    }
  }
};

} // namespace

TEST_CASE("kernels find their programs, in streams that wait for no other") {
  emulatedMachine = {};
  emulatedMachine.copyDelay = std::chrono::milliseconds(20);
  Summands summands;
  summands.fill(); // which waits: nothing does between programs and kernels
  cudaStream_t streams[2];
  for (int rank : {0, 1}) {
    useDeviceOf(rank);
    REQUIRE(cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking) ==
            cudaSuccess);
  }
  {
    Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
    summands.sum(job, streams, true);
  }
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  emulatedMachine = {};
}

TEST_CASE("ranks that were launched together may be launched apart") {
  emulatedMachine = {};
  emulatedMachine.devices = 1;
  Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2, 5000);
  const cudaStream_t streams[] = {
      reinterpret_cast<cudaStream_t>(job.stream(0)),
      reinterpret_cast<cudaStream_t>(job.stream(1))};
  Summands summands;
  for (bool together : {true, false, true, true, false, false}) {
    summands.fill();
    summands.sum(job, streams, together);
  }
  emulatedMachine = {};
}

namespace {

/// A tree like sysfs, removed at the end.
struct FakeSysfs {
  std::filesystem::path root;
  FakeSysfs() {
    char name[] = "/tmp/blink-sysfs-XXXXXX";
    REQUIRE(mkdtemp(name));
    root = name;
    runtime::sysfsRoot = root.c_str();
  }
  ~FakeSysfs() {
    runtime::sysfsRoot = "/sys";
    std::filesystem::remove_all(root);
  }
  void add(const char *address, const char *vendor, const char *kind) const {
    const std::filesystem::path device = root / "bus/pci/devices" / address;
    std::filesystem::create_directories(device);
    std::ofstream(device / "vendor") << vendor << "\n";
    std::ofstream(device / "class") << kind << "\n";
  }
  void addGpu(const char *address) const { add(address, "0x10de", "0x030200"); }
};

/// The GPUs that a bundle without schedules for them is asked for: those of
/// `devices`, or of all visible ones.
std::string gpusAsked(int numRanks, const int *devices) {
  BundleOptions options;
  options.numGpus = 16;
  options.collectives = {Collective::allreduce};
  options.allocations = {{15}};
  const std::vector<uint8_t> bytes = seal(makeBundle(options));
  const std::string error = initError(bytes, numRanks, devices);
  const std::string before = "no schedules for GPUs ";
  const size_t begin = error.find(before);
  if (begin == std::string::npos)
    return error;
  return error.substr(begin + before.size(),
                      error.find(':', begin) - begin - before.size());
}

} // namespace

TEST_CASE("a machine's GPUs are numbered by address, hidden ones too") {
  FakeSysfs sysfs;
  emulatedMachine = {};
  emulatedMachine.devices = 3;
  emulatedMachine.buses = {0xd0, 0x1b, 0x40};
  // No such tree in there: what CUDA says.
  CHECK(gpusAsked(3, nullptr) == "0,1,2");
  for (const char *address : {"0000:d0:00.0", "0000:1b:00.0", "0000:40:00.0",
                              "0000:0a:00.0", "0000:3f:00.0"})
    sysfs.addGpu(address);
  sysfs.add("0000:00:02.0", "0x8086", "0x030000");  // another maker's display
  sysfs.add("0000:0a:00.1", "0x10de", "0x040300");  // sound
  sysfs.add("0000:05:00.0", "0x10de", "0x068000");  // an NVSwitch
  sysfs.add("0000:1b:00.7x", "0x10de", "0x030200"); // no address
  CHECK(gpusAsked(3, nullptr) == "4,1,3");
  const int backwards[] = {2, 1, 0}, one[] = {2}, shared[] = {0, 1, 0};
  CHECK(gpusAsked(3, backwards) == "3,1,4");
  CHECK(gpusAsked(1, one) == "3");
  CHECK(gpusAsked(3, shared) == "0,1,2");
  sysfs.add("0000:02:00.0", "0x10de", "0x030000"); // with a display
  CHECK(gpusAsked(3, nullptr) == "5,2,4");
  sysfs.addGpu("10000:01:00.0"); // behind a bridge with a domain of its own
  sysfs.addGpu("0001:00:00.0");
  CHECK(gpusAsked(3, nullptr) == "5,2,4");
  // A device that the tree does not have: it is of another machine.
  emulatedMachine.buses = {0xd0, 0x1b, 0x41};
  CHECK(gpusAsked(3, nullptr) == "0,1,2");
  emulatedMachine = {};
}

TEST_CASE("PCI addresses are read whatever their form, or not at all") {
  using runtime::pciAddress;
  CHECK(pciAddress("0000:1B:00.0") == pciAddress("00000000:1b:00.0"));
  CHECK(pciAddress("0000:1b:02.3") == (uint64_t(0x1b) << 8 | 2 << 3 | 3));
  CHECK(pciAddress("0001:00:00.0") > pciAddress("0000:ff:1f.7"));
  CHECK(pciAddress("10000:00:00.0") > pciAddress("ffff:ff:1f.7"));
  for (const char *wrong :
       {"", "0000:1b:00", "0000:1b:00.8", "0000:100:00.0", "0000:1b:20.0",
        "0000:1b:00.0 ", "100000000:00:00.0", " 0000:1b:00.0", "0000:-1:00.0",
        "0000:1b:00.0x", "0x00:1b:00.0", ":::.", "pci0000"})
    CHECK(!pciAddress(wrong));
}

TEST_CASE("a process of several does not know the others' GPUs") {
  BundleOptions options;
  options.collectives = {Collective::allreduce};
  options.allocations = {{0, 1}};
  const std::vector<uint8_t> bytes = seal(makeBundle(options));
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  blinkUniqueId id = {};
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  blinkComm_t comm;
  CHECK(blinkCommInitRank(&comm, 2, id, 0, 0, schedule, &config) ==
        blinkInvalidUsage);
  CHECK(contains(blinkGetLastError(nullptr), "set blinkConfig_t::gpus"));
  blinkScheduleClose(schedule);
}
