//===- CudaBackend.h - the CUDA back end of one job -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The host side: it allocates rings and programs on each device when
// communicators are made, and launches one kernel per collective. A call plans
// and allocates nothing.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_CUDABACKEND_H
#define BLINK_RUNTIME_CUDA_CUDABACKEND_H

#include "runtime/Backend.h"
#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/DevicePeerInfo.h"
#include "runtime/cuda/DeviceTransport.h"
#include "runtime/cuda/LaneUse.h"
#include "runtime/cuda/Launch.h"
#include "runtime/cuda/Proxy.h"
#include "runtime/cuda/SwitchMeeting.h"
#include "runtime/job/SharedBlocks.h"
#include "runtime/job/WindowBoard.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

namespace blink::runtime {

extern const BackendEntry kCudaBackend;

class CudaBackend final : public Backend {
public:
  CudaBackend() : Backend(kCudaBackend) {}
  ~CudaBackend() override;

  /// Rank r is on device devices[r], or on device r if `devices` is empty;
  /// several ranks may share a device. request.gpus[r] is the number that rank
  /// r's GPU has in the machine of a bundle. If that list is empty, the numbers
  /// follow from the devices, or are the ranks' own if several ranks share a
  /// device. Errors: no program for these ranks; a device that does not exist;
  /// two devices that cannot reach each other's memory though the schedule has
  /// a channel between them; more lanes than a device can run at the same time;
  /// memory.
  Status createAll(const BackendRequest &request) override;
  /// If request.gpus is empty, the ranks exchange their devices and derive the
  /// numbers as above. Further errors: the other ranks have not joined in time,
  /// or have opened other files; memory that cannot be shared.
  Status join(const BackendRequest &request) override;

  /// Launches each job's calls in their order; ranks of one device that are at
  /// the same collective run in one kernel. Returns when the launches are in
  /// their streams. An error applies to all calls of a job: the job has failed,
  /// a launch fails, or the calls differ (then nothing is launched).
  void run(PendingCall *const *calls, size_t numCalls) override;

  Status probe(const Call &, bool &) override {
    return {blinkInvalidUsage,
            "messages on GPUs arrive in streams: blinkProbe is for the host"};
  }
  Status registerBuffer(int rank, void *buffer, size_t bytes,
                        uintptr_t &handle) override;
  Status deregisterBuffer(int rank, uintptr_t handle) override;
  void abort(int rank) override;
  void cancel(const Status &why) override;
  bool drained(int rank) const override;
  void finish(int rank) override;
  /// Always false: a launch waits for no other rank.
  bool inFlight(int) const override { return false; }
  Status failure() const override;
  Status asyncError() const override;
  blinkMemoryInfo_t memory(int rank) override;

private:
  /// A registered buffer of a rank of this process.
  struct Window {
    int rank = 0;
    const char *begin = nullptr; ///< null: the entry is free
    size_t bytes = 0;
    BlockUse use; ///< owns the memory if it is blinkMemAlloc's
    // Across processes:
    /// Offers the files until every process has mapped them.
    std::unique_ptr<FileOffer> files;
    /// `open`: this rank's tables have it, so calls use it; `failed`: they
    /// could not be written, so no call does.
    bool open = false, failed = false;
    bool captured = false; ///< a graph may use it
  };

  struct Rank {
    bool here = true; ///< whether this back end runs it
    int device = 0;
    // For a rank of another back end the next three are its memory as this
    // process reaches it, or null.
    std::shared_ptr<char> control; ///< ring ends, `freed`, pointers, abort word
    std::shared_ptr<char> pool;    ///< slots and tags of rings that end here
    std::shared_ptr<char> code;    ///< programs of all variants
    uint64_t controlBytes = 0, poolBytes = 0, codeBytes = 0;
    LaneReport *reports = nullptr; ///< of its lanes; in the job's memory
    /// Traces of its lanes; null if nothing is traced.
    std::shared_ptr<char> traces;
    std::vector<DeviceProgram *> programs; ///< of each variant; in `code`
    uint64_t *abortHere = nullptr;
    uint32_t *busy = nullptr; ///< one word for each lane
    // See DeviceNotes; `sums` has the waits in collectives, then those in
    // messages.
    uint64_t *calls = nullptr, *sums = nullptr;
    Event order;                  ///< orders its stream and that of a launch
    std::deque<OwnStream> beside; ///< see besideStream
    /// Recorded after the last launch of collectives, and shared by all ranks
    /// of that launch. Null before the first launch.
    std::shared_ptr<Event> launched;
    /// The same for messages, by Call::queue() - 1: queues may overtake each
    /// other.
    std::vector<std::shared_ptr<Event>> messagesLaunched;
    /// Number of trees of a message, by the variant's number and Call::queue()
    /// - 1.
    std::map<uint32_t, std::vector<uint32_t>> messageTrees;
    /// The lanes that can run on its GPU at the same time; 0: they suffice
    /// whatever the ranks there call, and `lanes` is not kept.
    uint32_t room = 0;
    LaneUse lanes;
    /// How many blocks a kernel of messages may have, so that the lanes of a
    /// collective can run beside them.
    uint32_t messageRoom = std::numeric_limits<uint32_t>::max();
    /// For a rank of another process: the addresses at which that process has
    /// mapped this process's windows.
    std::shared_ptr<char> windows;
  };

  /// A rank's call, as far as the order of streams is concerned.
  struct StreamUse {
    Rank *rank;
    cudaStream_t stream;
    std::shared_ptr<Event> *launched; ///< after the last launch of its queue
  };

  /// One end of a message; both ends if a rank sends to itself.
  struct MessageEnd {
    const Call *call;
    int source, destination;
    /// Number of the message among those from `source` to `destination`.
    uint32_t turn;
    bool isSameMessage(const MessageEnd &other) const {
      return source == other.source && destination == other.destination &&
             turn == other.turn;
    }
  };

  /// The messages of a group whose ends are on one device.
  struct MessageBatch {
    int device = 0;
    std::vector<MessageEnd> ends;
    std::vector<StreamUse> uses;   ///< one for each end
    cudaStream_t stream = nullptr; ///< the stream of the kernels
    bool capturing = false, begun = false;
  };

  // CudaBackend.cpp
  Status placeRanks(int numRanks, const std::vector<int> &devices);
  std::vector<int> devicesHere() const;
  Status findGpus(const BackendRequest &request, std::vector<int> &gpus) const;
  Status makePlan(const BackendRequest &request);
  Status connectCarried(std::chrono::steady_clock::time_point deadline);
  // CudaBackendMemory.cpp
  size_t layJob(char *base);
  void layRank(size_t rank, char *control, size_t &controlBytes, char *pool,
               size_t &poolBytes);
  Status allocate();
  // CudaBackendSwitches.cpp
  /// Of a tree: the offsets and the number of its slots in the switch's memory.
  struct SwitchPlace {
    size_t up, results;
    uint32_t slots;
    bool forAll; ///< whether every tree of its variant has a place
  };
  size_t laySwitches();
  void prepareSwitches();
  Status prepareSwitches(int rank,
                         std::chrono::steady_clock::time_point deadline,
                         const std::function<Status()> &peerFailure);
  bool sharesGpus() const;
  void noteSwitches(int rank, const Status &status);
  bool switchesWork(const VariantPlan &variant, const CallKind &kind) const;
  const SwitchPlace *firstSwitchPlaceOf(const VariantPlan &variant) const;
  const SwitchPlace *switchPlaceOf(const VariantPlan &variant,
                                   uint32_t tree) const;
  SwitchStep switchStepOf(const SwitchPlace &place, const StepCode &step,
                          const OperandCode *operands, size_t self) const;
  // CudaBackendNotes.cpp
  Status createNotes(const BackendRequest &request);
  DeviceNotes notesOf(size_t self, bool messages);
  Status beginNotes();
  uint32_t noteLaunch(const Call *const *calls, size_t count);
  // CudaBackendPrograms.cpp
  /// Returns the steps of each lane. For messages each step is a lane of its
  /// own, and the lanes of a queue are adjacent.
  std::vector<std::vector<const StepCode *>>
  lanesOf(const VariantPlan &variant, size_t self, bool messages) const;
  uint32_t numMessageLanes() const;
  DeviceChannel channelOf(const VariantPlan &variant, uint32_t channel,
                          size_t self) const;
  LaneOperand operandOf(const VariantPlan &variant, const OperandCode &code,
                        uint32_t step, size_t self) const;
  size_t layPrograms(size_t self, char *base, char *image);
  Status copyPrograms();
  // CudaBackendProcesses.cpp
  bool reaches(size_t self, size_t other) const;
  bool inThisProcess(size_t other) const;
  Status findOther(size_t self, size_t other);
  Status meet(int rank, std::chrono::steady_clock::time_point deadline,
              const std::function<Status()> &peerFailure);
  Status shareGpus(int rank) const;
  Status openOthers(int rank, std::chrono::steady_clock::time_point deadline,
                    const std::function<Status()> &peerFailure);
  void watchOthers();
  void partFromOthers();
  // CudaBackendRoom.cpp
  std::vector<size_t> ranksBeside(size_t self) const;
  /// Finds out whether lanes of rank `self` have to be counted.
  void prepareRoom(size_t self, uint32_t residentLanes);
  void addLanes(size_t self, const std::vector<Call *> &calls,
                LaneUse &use) const;
  bool areWhole(const std::vector<Call *> &calls) const;
  /// Counts the lanes of calls that are about to be launched together. Errors:
  /// a shared GPU may have no room for them.
  Status takeRoom(const std::vector<Call *> &calls);
  // CudaBackendWindows.cpp
  Status registerHere(int rank, const char *buffer, size_t bytes,
                      uintptr_t &handle);
  Window &setWindow(int rank, size_t index, const char *buffer, size_t bytes);
  Status offerWindow(int rank, const char *buffer, size_t bytes,
                     uintptr_t &handle);
  Status tellTables(int rank, uint32_t number, bool open);
  bool isOpen(int rank, uint32_t number);
  uint64_t exchangedPtr(const Call &call, const void *buffer, uint64_t bytes);
  void beginWindows(int rank);
  bool openWindow(int rank, int owner, uint32_t number);
  void closeWindow(int rank, int owner, uint32_t number);
  WindowOffer &offerOf(int rank, uint32_t number) const {
    return offers_[near_[size_t(rank)] * kMaxWindows + number];
  }
  /// The address at which `reader` has mapped the window. Accesses are relaxed:
  /// the window board orders them.
  uint64_t &reachedAt(int owner, uint32_t number, int reader) const {
    return reached_[(near_[size_t(reader)] * numNear_ + near_[size_t(owner)]) *
                        kMaxWindows +
                    number];
  }
  // CudaBackendLaunch.cpp
  Status launch(const std::vector<Call *> &calls);
  Status launchRound(const std::vector<Call *> &round);
  bool needsStages(const VariantPlan &variant, const CallKind &kind,
                   const Launch &launch) const;
  Status launchOnDevice(int device, const std::vector<Call *> &calls,
                        bool &begun, bool &capturing);
  // CudaBackendStreams.cpp
  static bool isCapturing(cudaStream_t stream);
  static bool isAnyCapturing(const std::vector<StreamUse> &uses);
  static Status besideStream(Rank &rank, cudaStream_t &stream);
  Status launchInOrder(int device, const std::vector<StreamUse> &uses,
                       bool &begun, bool &capturing,
                       const std::function<Status(cudaStream_t)> &launchIt);
  Status announced(cudaStream_t stream, bool capturing,
                   std::vector<CarriedChunks> chunks,
                   const std::function<Status()> &launchIt);
  Status waitForStreams(const std::vector<StreamUse> &uses, cudaStream_t main,
                        bool capturing);
  Status signalStreams(const std::vector<StreamUse> &uses, cudaStream_t main,
                       bool capturing);
  // CudaBackendMessages.cpp
  Status collectMessages(const std::vector<Call *> &calls,
                         std::vector<MessageBatch> &batches) const;
  Status beginMessages(MessageBatch &batch, bool beside, bool &begun);
  size_t windowEnd(const MessageBatch &batch, size_t begin) const;
  Status launchWindow(const MessageBatch &batch, size_t begin, size_t end);
  Status endMessages(const MessageBatch &batch);
  LaunchedMessage messageOf(const MessageEnd &end);
  // CudaBackendFailure.cpp
  bool fail(const Status &status);
  void finishLaunches();
  static void waitForLaunches(const Rank &rank);
  Status explain(size_t rank, uint32_t lane, const LaneReport &report,
                 uint64_t reason) const;
  Status explainMessage(size_t rank, uint32_t lane, const LaneReport &report,
                        uint64_t reason) const;

  std::deque<Rank> ranks_;
  std::vector<RingPlace> rings_;
  CarriedRings carried_; ///< those of `rings_` that transports carry
  Proxy proxy_;          ///< serves `carried_`
  /// Indexed by the variant's number and the tree; empty if switches cannot be
  /// used.
  std::map<std::pair<uint32_t, uint32_t>, SwitchPlace> switchPlaces_;
  std::shared_ptr<SwitchMemory> switchMemory_;
  bool oneProcess_ = true;
  bool severalDevices_ = false; ///< set only if all ranks are in one process
  /// The job's memory: what the ranks tell each other, and rings through the
  /// host.
  std::shared_ptr<char> memory_;
  uint64_t jobBytes_ = 0; ///< of `memory_`
  DevicePeerInfo *peers_ = nullptr;
  // Across processes:
  BoardMemory boardMemory_;
  SwitchRecord *switchRecords_ = nullptr;
  /// By rank: its number on its server; and the ranks of this one's server.
  /// Only these reach each other's windows.
  std::vector<size_t> near_;
  size_t numNear_ = 0;
  WindowOffer *offers_ = nullptr;
  uint64_t *reached_ = nullptr;
  WindowBoard board_;
  /// Windows of other processes that are mapped here, by rank and number; only
  /// the board's thread uses this.
  std::map<std::pair<int, uint32_t>, std::shared_ptr<char>> othersWindows_;

  std::vector<Window> windows_; ///< as many as were ever in use at once
  std::mutex mutex_;            ///< serialises launches
  uint32_t numLaunches_ = 0;    ///< those that are noted (CudaBackendNotes.cpp)
  mutable std::mutex failureMutex_;
  mutable Status failure_;
  /// Watches the other processes, which a kernel cannot do.
  std::thread watcher_;
  std::mutex watching_; ///< guards what follows
  bool stopping_ = false;
  std::condition_variable stop_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_CUDABACKEND_H
