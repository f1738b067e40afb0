//===- Worker.h - a rank's end of one NIC, on UCX ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The only code that uses UCX: a context and a worker, and an endpoint for each
// NIC of another rank that rings lead to. What is done ring by ring is in
// NetworkTransport.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_WORKER_H
#define BLINK_RUNTIME_NETWORK_WORKER_H

#include "runtime/network/Devices.h"
#include "runtime/network/LinkMeter.h"
#include "runtime/network/Message.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <ucp/api/ucp.h>

namespace blink::runtime::network {

using Clock = std::chrono::steady_clock;

/// One end of a connection between the NICs of two ranks.
struct Connection {
  uint16_t rank = 0, nic = 0; ///< of the other end
  std::string name;           ///< "NIC b of rank 1"
  uint64_t key = 0;           ///< the other end's
  std::string address;        ///< of the other end's worker, in UCX's form
  ucp_ep_h endpoint = nullptr;
  uint32_t sent = 0, received = 0; ///< numbers of messages
  bool greeted = false;            ///< the other end has said hello
  bool left = false;               ///< the other end has said goodbye
  bool lost = false;
  std::string why; ///< why it is lost
  /// For heartbeats: the values at the last one.
  uint32_t sentBefore = 0, receivedBefore = 0;
  uint64_t cameBefore = 0;
  Clock::time_point heard;
  /// Bytes of chunks: sent; received; and received at the other end, as that
  /// says.
  uint64_t bytesSent = 0, bytesCame = 0, bytesThere = 0;
  /// Rings to the other end and from it, indexed by TransportRing::between.
  std::vector<uint32_t> outgoing, incoming;
  LinkMeter meter;
  bool noted = false; ///< that it is slow, in the log
};

/// Gets what a worker receives. Called with the worker's mutex held.
class WorkerClient {
public:
  virtual ~WorkerClient() = default;
  /// A chunk or credits have come. Sets `place` to where the bytes go, or null
  /// if there are none. Returns false if the message is not what it should be.
  virtual bool came(Connection &from, const MessageHeader &header,
                    uint64_t bytes, char *&place) = 0;
  /// The bytes of a chunk have all arrived.
  virtual void complete(Connection &from, const MessageHeader &header,
                        uint64_t bytes) = 0;
  /// The connection is lost, because of Connection::why.
  virtual void lost(Connection &connection) = 0;
};

/// UCX's worker for one rank and NIC. Everything but the mutex requires the
/// mutex to be held.
class Worker {
public:
  Worker(int rank, uint16_t nic, std::string name, Device device)
      : rank_(uint16_t(rank)), nic_(nic), name_(std::move(name)),
        device_(std::move(device)) {}
  ~Worker();

  /// Errors: UCX's, for example that it does not know the device.
  Status open(uint64_t largestChunk, WorkerClient &client);
  uint16_t nic() const { return nic_; }
  int rank() const { return rank_; }
  const std::string &name() const { return name_; }
  const std::string &device() const { return device_.name; }
  /// Appends an AddressHeader and UCX's address to `text`.
  Status address(std::string &text) const;
  /// Notes that there will be a connection to this NIC.
  Connection &add(uint16_t rank, uint16_t nic);
  /// Begins a connection and says hello. UCX 1.13 may lose messages if both
  /// ends begin at the same time; therefore one of them waits until it is
  /// greeted.
  Status begin(Connection &connection);
  bool beginsFirst(const Connection &connection) const {
    return std::make_pair(rank_, nic_) <
           std::make_pair(connection.rank, connection.nic);
  }
  Connection *find(uint16_t rank, uint16_t nic);
  std::map<std::pair<uint16_t, uint16_t>, Connection> &connections() {
    return connections_;
  }

  /// Sends a header, in which it fills in the fields that belong to the
  /// connection, and `bytes` bytes, which must stay valid until openMessages()
  /// is 0. If `open` is not null, the message counts there as long as UCX may
  /// still read its bytes.
  void send(Connection &to, MessageHeader header, const char *data = nullptr,
            uint64_t bytes = 0, uint64_t *open = nullptr);
  /// Returns true if anything came or went.
  bool progress();
  /// Returns a file in which poll() sees whatever comes from now on, and
  /// signal(); negative if something has already come, or UCX has no such file.
  int arm();
  void signal();
  /// Number of messages that UCX has not finished sending and still has to
  /// read. UCX may hold a copy of a small message that is not counted here;
  /// that one goes at the next turn of the thread of heartbeats, if not before.
  uint64_t openMessages() const { return open_; }
  /// Asks all other ends, before the connections are closed, whether they have
  /// received everything; they have when openFlushes() is 0.
  void flush();
  uint32_t openFlushes() const { return openFlushes_; }
  /// Marks the connection as lost; it is not used any more.
  void lose(Connection &connection, std::string why);
  /// Closes all connections: UCX no longer reads anything that was sent.
  void abandon();

  std::mutex mutex;

private:
  /// A message that UCX may still read.
  struct Send {
    MessageHeader header;
    Worker *worker;
    Connection *to;
    uint64_t *open; ///< send()'s
  };
  /// A chunk whose bytes come separately, after its header.
  struct Receive {
    MessageHeader header;
    Worker *worker;
    Connection *from;
  };
  static ucs_status_t received(void *self, const void *header,
                               size_t headerBytes, void *data, size_t bytes,
                               const ucp_am_recv_param_t *param);
  static void receivedData(void *request, ucs_status_t status, size_t bytes,
                           void *message);
  static void sentData(void *request, ucs_status_t status, void *message);
  static void flushed(void *request, ucs_status_t status, void *self);
  static void failed(void *self, ucp_ep_h endpoint, ucs_status_t status);
  ucs_status_t receive(const MessageHeader &header, void *data, size_t bytes,
                       bool rendezvous);
  void complete(Connection &from, const MessageHeader &header, uint64_t bytes);
  void close(Connection &connection);
  void tellLost();
  Send *take();

  const uint16_t rank_, nic_;
  const std::string name_;
  const Device device_;
  WorkerClient *client_ = nullptr;
  uint64_t key_ = 0;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int events_ = -1; ///< for poll(); negative: there is none
  std::map<std::pair<uint16_t, uint16_t>, Connection> connections_;
  uint64_t open_ = 0;
  uint32_t openFlushes_ = 0;
  std::vector<Connection *> lost_; ///< of which the client has not been told
  std::vector<std::unique_ptr<Send>> sends_;
  std::vector<Send *> free_;
};

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_WORKER_H
