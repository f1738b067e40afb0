//===- NetworkTransport.h - rings between servers ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the rings of a job need beyond messages: windows at the writer's end,
// credits that wait for a message to go with at the reader's end, and
// heartbeats. The rings and connections of a rank's NIC are guarded by the
// mutex of its worker.
//
//   NetworkTransport.cpp  joining and leaving
//   Carry.cpp             chunks and credits
//   Beat.cpp              heartbeats
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_NETWORKTRANSPORT_H
#define BLINK_RUNTIME_NETWORK_NETWORKTRANSPORT_H

#include "runtime/network/Heartbeats.h"
#include "runtime/network/Worker.h"

#include <atomic>
#include <deque>
#include <optional>
#include <thread>

namespace blink::runtime::network {

class NetworkTransport final : public Transport {
public:
  NetworkTransport(const TransportJob &job, TransportClient &client)
      : job_(job), client_(client) {}
  ~NetworkTransport() override;

  /// Errors: settings; devices; UCX's.
  Status open();

  Status listen(int rank, std::string &address) override;
  Status connect(const std::vector<std::string> &addresses,
                 Clock::time_point deadline,
                 const std::function<Status()> &ended) override;
  void post(const ChunkMessage &message, const char *data,
            ChannelPace pace) override;
  void credit(uint32_t ring, uint64_t number) override;
  bool progress(int rank, bool wait) override;
  bool awaitable(int rank, std::vector<pollfd> &files,
                 std::chrono::nanoseconds &most) override;
  bool flushed(uint32_t ring) override;
  void abandon(int rank) override;

private:
  struct NicEnd;

  /// The writer's end of a ring.
  struct Outgoing {
    NicEnd *end = nullptr; ///< null: in another process
    Connection *to = nullptr;
    uint32_t between = 0;         ///< the ring's number at the other end
    uint64_t sent = 0, freed = 0; ///< numbers of chunks
    uint64_t open = 0;            ///< of these: UCX may still read them
    struct Chunk {
      ChunkMessage message;
      const char *data;
      ChannelPace pace;
    };
    std::deque<Chunk> waiting; ///< for the window
    float waitingRate = -1;    ///< as told to the meter; -1: not waiting
    bool ready = false;        ///< in NicEnd::ready
  };
  /// The reader's end.
  struct Incoming {
    NicEnd *end = nullptr;
    Connection *from = nullptr;
    uint32_t between = 0;
    uint64_t arrived = 0;             ///< number of chunks
    uint64_t freed = 0, credited = 0; ///< of these: read, and reported to the
                                      ///< writer
    uint64_t creditAt = 0;            ///< how many may be read until they are
                                      ///< reported
    bool owing = false;               ///< in NicEnd::owing
    Clock::time_point owingSince{};
  };
  /// A worker, and what is to be done for its rings.
  struct NicEnd final : WorkerClient {
    NicEnd(NetworkTransport &transport, int rank, uint16_t nic,
           std::string name, Device device)
        : transport(transport),
          worker(rank, nic, std::move(name), std::move(device)) {}
    bool came(Connection &from, const MessageHeader &header, uint64_t bytes,
              char *&place) override;
    void complete(Connection &from, const MessageHeader &header,
                  uint64_t bytes) override;
    void lost(Connection &connection) override;
    bool credited(Connection &from, const MessageHeader &header);
    bool carryOn();
    void sendReady();
    void tellMeter(Outgoing &ring);
    void send(uint32_t ring, const Outgoing::Chunk &chunk);
    void sendCredit(uint32_t ring);
    void sendOldCredits(Clock::time_point since);
    void takeCredit(Connection &to, MessageHeader &header);
    void beat(Clock::duration late);
    void meter(Connection &connection, Clock::time_point now);

    NetworkTransport &transport;
    Worker worker;
    std::deque<uint32_t> owing;  ///< rings whose readers owe credits, the one
                                 ///< that owes for the longest time first
    std::vector<uint32_t> ready; ///< rings that may send again
    /// Since when nothing has moved while credits are owed.
    std::optional<Clock::time_point> idleSince;
    /// The thread that polls for what comes, and must be signalled if another
    /// thread takes it. The id of no thread: several threads poll.
    std::optional<std::thread::id> sleeper;
    /// If not 0, the next thread that makes progress sends heartbeats; the
    /// value is how late their thread was, plus 1.
    std::atomic<Clock::rep> beatDue{0};
  };

  Status addEnd(int rank, uint16_t nic, const SystemDevices &system,
                const DeviceSettings &settings);
  Status reach(NicEnd &end, int rank, uint16_t nic,
               const std::string &addresses, Connection *&connection);
  Status join(NicEnd &end, const std::vector<std::string> &addresses);
  bool allGreeted(Status &status);
  Status notGreeted() const;
  std::string nameOf(int rank, uint16_t nic) const;
  NicEnd *endOf(int rank, uint16_t nic);
  void turn(Clock::duration late);
  void leave();
  void sayWhatWent() const;

  const TransportJob job_;
  TransportClient &client_;
  std::vector<Outgoing> outgoing_; ///< of each ring; workers refer to these
  std::vector<Incoming> incoming_;
  std::vector<std::vector<std::unique_ptr<NicEnd>>> ends_; ///< of each rank
  std::chrono::milliseconds silence_{1000}; ///< silence longer than this means
                                            ///< that the other end is dead
  double leastRate_ = 0; ///< part of the plan; a link with less has failed
  /// The thread of heartbeats also carries on what a rank left when its call
  /// ended, and does that more often than it sends heartbeats: once per turn.
  uint32_t turnsOfBeat_ = 1;
  uint32_t turns_ = 0;      ///< of the thread
  Clock::duration late_{0}; ///< in the last turns
  Heartbeats heartbeats_;
};

/// TransportEntry::create.
Status createNetwork(const TransportJob &job, TransportClient &client,
                     std::unique_ptr<Transport> &transport);

extern const TransportEntry kNetworkTransport;

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_NETWORKTRANSPORT_H
