//===- SocketTransport.cpp - a transport for tests ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/transport/SocketTransport.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <poll.h>
#include <set>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

namespace blink::test {
namespace {

using namespace runtime;
using Clock = std::chrono::steady_clock;

std::atomic<uint64_t> numChunks{0};

Status systemError(const std::string &what) {
  return {blinkSystemError, what + ": " + std::strerror(errno)};
}

/// Precedes a chunk's bytes, or is a credit by itself.
struct Header {
  ChunkMessage chunk; ///< in a credit: its ring, and the number as `tag`
  uint64_t isCredit = 0;
};

/// One rank's end of its connection to another rank.
struct Connection {
  int rank = 0, other = 0;
  int file = -1;
  std::mutex mutex; ///< guards all that follows
  bool broken = false;
  bool deaf = false; ///< the other end; what it has sent may still come
  struct Outgoing {
    Header header;
    const char *data;
    uint64_t sent = 0; ///< bytes of header and data together
  };
  std::deque<Outgoing> outgoing;
  /// A ring that this rank writes to.
  struct Ring {
    uint64_t sent = 0, freed = 0;
    struct Chunk {
      Header header;
      const char *data;
      uint32_t window;
    };
    std::deque<Chunk> waiting; ///< for credits
  };
  std::map<uint32_t, Ring> rings;
  std::array<char, 16384> came; ///< from `begin` to `end` not yet taken
  size_t begin = 0, end = 0;
  bool drained = false; ///< the socket, for now
  Header incoming;
  uint64_t received = 0; ///< bytes of header and data together
  char *place = nullptr; ///< for the data

  ~Connection() {
    if (file >= 0)
      close(file);
  }
};

class SocketTransport final : public Transport {
public:
  SocketTransport(const TransportJob &job, TransportClient &client)
      : job_(job), client_(client) {
    for (const TransportRing &ring : job_.rings)
      rings_[ring.ring] = ring;
  }
  ~SocketTransport() override;

  Status listen(int rank, std::string &address) override;
  Status connect(const std::vector<std::string> &addresses,
                 Clock::time_point deadline,
                 const std::function<Status()> &ended) override;
  void post(const ChunkMessage &message, const char *data,
            ChannelPace pace) override;
  void credit(uint32_t ring, uint64_t number) override;
  bool progress(int rank, bool wait) override;
  bool flushed(uint32_t ring) override;
  void abandon(int rank) override;

  void breakBetween(int rank, int other);

private:
  Connection &connection(int rank, int other) {
    return *connections_.at({rank, other});
  }
  Status accept(int rank, Clock::time_point deadline,
                const std::function<Status()> &ended);
  Status begin(int file, int rank, int other);
  void send(Connection &to, const Header &header, const char *data);
  void sendReady(Connection &to, Connection::Ring &ring);
  bool sendMore(Connection &to);
  bool receiveMore(Connection &from);
  bool receive(Connection &from, char *to, uint64_t bytes);
  void lose(Connection &connection, const std::string &why);

  const TransportJob job_;
  TransportClient &client_;
  std::map<uint32_t, TransportRing> rings_;
  std::map<int, int> listeners_;
  std::map<std::pair<int, int>, std::unique_ptr<Connection>> connections_;
  /// An epoll descriptor for each rank here, over all its connections: one
  /// system call per poll instead of one per connection, which took a third of
  /// the tests' time.
  std::map<int, int> ready_;
};

/// All transports, for breakSockets().
std::mutex transportsMutex;
std::set<SocketTransport *> transports;

SocketTransport::~SocketTransport() {
  std::lock_guard<std::mutex> lock(transportsMutex);
  transports.erase(this);
  for (auto [rank, file] : listeners_)
    close(file);
  for (auto [rank, file] : ready_)
    close(file);
}

//===-- Joining -----------------------------------------------------------===//

Status SocketTransport::listen(int rank, std::string &address) {
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0)
    return systemError("cannot make a socket");
  listeners_[rank] = file;
  const int ready = epoll_create1(EPOLL_CLOEXEC);
  if (ready < 0)
    return systemError("cannot make an epoll");
  ready_[rank] = ready;
  // Let the kernel choose a name that is not a file.
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  socklen_t size = sizeof(name);
  if (bind(file, reinterpret_cast<sockaddr *>(&name), sizeof(sa_family_t)) ||
      ::listen(file, job_.numRanks) ||
      getsockname(file, reinterpret_cast<sockaddr *>(&name), &size))
    return systemError("cannot listen on a socket");
  address.assign(reinterpret_cast<char *>(&name), size);
  return {};
}

Status SocketTransport::begin(int file, int rank, int other) {
  auto connection = std::make_unique<Connection>();
  connection->rank = rank;
  connection->other = other;
  connection->file = file;
  // Less than most chunks, so that they leave in pieces; but the system calls
  // of that took a fifth of the tests' time, so a third of connections is
  // enough.
  if ((rank + other) % 3 == 0) {
    const int size = 4096;
    setsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = connection.get();
  connections_[{rank, other}] = std::move(connection);
  if (epoll_ctl(ready_.at(rank), EPOLL_CTL_ADD, file, &event))
    return systemError("cannot watch a connection");
  return {};
}

/// Lower ranks accept connections; higher ranks connect and send their number.
Status SocketTransport::accept(int rank, Clock::time_point deadline,
                               const std::function<Status()> &ended) {
  pollfd waiting{listeners_.at(rank), POLLIN, 0};
  while (poll(&waiting, 1, 10) <= 0) {
    if (Status why = ended ? ended() : Status(); !why.ok())
      return why;
    if (Clock::now() > deadline)
      return {blinkRemoteError,
              "rank " + std::to_string(rank) + " waited for others to connect"};
  }
  const int file = accept4(waiting.fd, nullptr, nullptr, SOCK_CLOEXEC);
  if (file < 0)
    return systemError("cannot accept a connection");
  int other = -1;
  if (recv(file, &other, sizeof(other), MSG_WAITALL) != sizeof(other))
    return systemError("a connection says nothing");
  return begin(file, rank, other);
}

Status SocketTransport::connect(const std::vector<std::string> &addresses,
                                Clock::time_point deadline,
                                const std::function<Status()> &ended) {
  std::set<std::pair<int, int>> pairs;
  for (const TransportRing &ring : job_.rings)
    pairs.insert(std::minmax(ring.source, ring.destination));
  for (auto [low, high] : pairs) {
    if (!job_.here[high])
      continue;
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const std::string &to = addresses[low];
    if (file < 0 ||
        ::connect(file, reinterpret_cast<const sockaddr *>(to.data()),
                  socklen_t(to.size())) ||
        ::send(file, &high, sizeof(high), MSG_NOSIGNAL) != sizeof(high))
      return systemError("cannot connect with rank " + std::to_string(low));
    if (Status status = begin(file, high, low); !status.ok())
      return status;
  }
  for (auto [low, high] : pairs)
    if (job_.here[low])
      if (Status status = accept(low, deadline, ended); !status.ok())
        return status;
  return {};
}

//===-- Carrying ----------------------------------------------------------===//

void SocketTransport::send(Connection &to, const Header &header,
                           const char *data) {
  std::lock_guard<std::mutex> lock(to.mutex);
  if (to.broken || to.deaf)
    return;
  to.outgoing.push_back({header, data});
  sendMore(to);
}

void SocketTransport::post(const ChunkMessage &message, const char *data,
                           ChannelPace pace) {
  const TransportRing &ends = rings_.at(message.ring);
  numChunks.fetch_add(1, std::memory_order_relaxed); // just a counter
  Connection &to = connection(ends.source, ends.destination);
  std::lock_guard<std::mutex> lock(to.mutex);
  if (to.broken || to.deaf)
    return;
  Connection::Ring &ring = to.rings[message.ring];
  ring.waiting.push_back({{message, 0}, data, pace.window});
  sendReady(to, ring);
  sendMore(to);
}

/// Sends the waiting chunks that the window has room for.
void SocketTransport::sendReady(Connection &to, Connection::Ring &ring) {
  while (!ring.waiting.empty() &&
         ring.sent - ring.freed < ring.waiting.front().window) {
    to.outgoing.push_back(
        {ring.waiting.front().header, ring.waiting.front().data});
    ring.waiting.pop_front();
    ++ring.sent;
  }
}

void SocketTransport::credit(uint32_t ring, uint64_t number) {
  const TransportRing &ends = rings_.at(ring);
  send(connection(ends.destination, ends.source), {{ring, 0, number, 0, 0}, 1},
       nullptr);
}

/// Sends as much as possible; returns whether anything was sent. Like all
/// functions below, it must be called with the mutex locked.
bool SocketTransport::sendMore(Connection &to) {
  bool moved = false;
  while (!to.outgoing.empty()) {
    Connection::Outgoing &next = to.outgoing.front();
    const uint64_t size = sizeof(Header) + next.header.chunk.bytes;
    const uint64_t ofHeader = std::min<uint64_t>(next.sent, sizeof(Header));
    const uint64_t ofData = next.sent - ofHeader;
    iovec parts[] = {{reinterpret_cast<char *>(&next.header) + ofHeader,
                      sizeof(Header) - ofHeader},
                     {const_cast<char *>(next.data) + ofData,
                      next.header.chunk.bytes - ofData}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t sent =
        sendmsg(to.file, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
      return moved;
    if (sent < 0) { // receiveMore() will see the end
      to.deaf = true;
      to.outgoing.clear();
      to.rings.clear();
      return moved;
    }
    moved = true;
    next.sent += uint64_t(sent);
    if (next.sent == size)
      to.outgoing.pop_front();
  }
  return moved;
}

/// Takes up to `bytes` of what has come; returns false if that is nothing. One
/// system call takes what it can hold, and what it did not fill is known to be
/// empty: most chunks of tests are small.
bool SocketTransport::receive(Connection &from, char *to, uint64_t bytes) {
  if (from.begin == from.end) {
    if (from.drained)
      return false;
    const ssize_t got =
        recv(from.file, from.came.data(), from.came.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      return false;
    if (got <= 0) {
      lose(from, got ? std::strerror(errno) : "it was closed");
      return false;
    }
    from.begin = 0;
    from.end = size_t(got);
    from.drained = from.end < from.came.size();
  }
  const size_t taken = std::min<size_t>(bytes, from.end - from.begin);
  std::memcpy(to, from.came.data() + from.begin, taken);
  from.begin += taken;
  from.received += taken;
  return true;
}

/// Receives as much as there is; returns whether there was anything.
bool SocketTransport::receiveMore(Connection &from) {
  bool moved = false;
  from.drained = false;
  while (!from.broken) {
    ChunkMessage &chunk = from.incoming.chunk;
    if (from.received < sizeof(Header)) {
      if (!receive(from,
                   reinterpret_cast<char *>(&from.incoming) + from.received,
                   sizeof(Header) - from.received))
        return moved;
      moved = true;
      if (from.received < sizeof(Header))
        continue;
      const auto ring = rings_.find(chunk.ring);
      const bool credit = from.incoming.isCredit;
      if (ring == rings_.end() ||
          (credit ? ring->second.source : ring->second.destination) !=
              from.rank ||
          (!credit && !(from.place = client_.placeFor(chunk)))) {
        lose(from, "what came belongs to no ring");
        return moved;
      }
      if (credit) {
        Connection::Ring &ring = from.rings[chunk.ring];
        ring.freed = chunk.tag;
        sendReady(from, ring);
        client_.freed(chunk.ring, chunk.tag);
      }
    }
    const uint64_t size = sizeof(Header) + chunk.bytes;
    if (from.received < size) {
      if (!receive(from, from.place + (from.received - sizeof(Header)),
                   size - from.received))
        return moved;
      moved = true;
    }
    if (from.received == size) {
      if (!from.incoming.isCredit)
        client_.arrived(chunk);
      from.received = 0;
    }
  }
  return moved;
}

/// Ranks that wait for one of the rings learn that it is broken.
void SocketTransport::lose(Connection &connection, const std::string &why) {
  connection.broken = true;
  connection.outgoing.clear();
  connection.rings.clear();
  for (const auto &[number, ring] : rings_)
    if (std::minmax(ring.source, ring.destination) ==
        std::minmax(connection.rank, connection.other))
      client_.broken(number, why);
}

bool SocketTransport::progress(int rank, bool) {
  bool moved = false;
  std::array<epoll_event, 16> events;
  const int ready =
      epoll_wait(ready_.at(rank), events.data(), int(events.size()), 0);
  for (int i = 0; i < ready; ++i) {
    auto &connection = *static_cast<Connection *>(events[size_t(i)].data.ptr);
    std::lock_guard<std::mutex> lock(connection.mutex);
    moved |= receiveMore(connection);
    // A broken connection is no longer read, so it would stay ready forever.
    if (connection.broken)
      epoll_ctl(ready_.at(rank), EPOLL_CTL_DEL, connection.file, nullptr);
  }
  for (auto it = connections_.lower_bound({rank, 0});
       it != connections_.end() && it->first.first == rank; ++it) {
    Connection &connection = *it->second;
    std::lock_guard<std::mutex> lock(connection.mutex);
    moved |= sendMore(connection);
  }
  return moved;
}

bool SocketTransport::flushed(uint32_t number) {
  const TransportRing &ends = rings_.at(number);
  Connection &to = connection(ends.source, ends.destination);
  std::lock_guard<std::mutex> lock(to.mutex);
  if (const auto ring = to.rings.find(number);
      ring != to.rings.end() && !ring->second.waiting.empty())
    return false;
  return std::none_of(to.outgoing.begin(), to.outgoing.end(),
                      [number](const Connection::Outgoing &message) {
                        return !message.header.isCredit &&
                               message.header.chunk.ring == number;
                      });
}

void SocketTransport::abandon(int rank) {
  for (auto it = connections_.lower_bound({rank, 0});
       it != connections_.end() && it->first.first == rank; ++it) {
    std::lock_guard<std::mutex> lock(it->second->mutex);
    it->second->broken = true;
    it->second->outgoing.clear();
    it->second->rings.clear();
  }
}

void SocketTransport::breakBetween(int rank, int other) {
  if (const auto found = connections_.find({rank, other});
      found != connections_.end())
    shutdown(found->second->file, SHUT_RDWR);
}

Status createSockets(const TransportJob &job, TransportClient &client,
                     std::unique_ptr<Transport> &result) {
  auto transport = std::make_unique<SocketTransport>(job, client);
  std::lock_guard<std::mutex> lock(transportsMutex);
  transports.insert(transport.get());
  result = std::move(transport);
  return {};
}

} // namespace

const TransportEntry kSocketTransport = {createSockets};

void useSockets(sched::ChannelKind kind) {
  setTransport(kind, &kSocketTransport);
}

void useSockets() {
  for (sched::ChannelKind kind : sched::EnumValuesChannelKind())
    useSockets(kind);
}

void useMemory() {
  for (sched::ChannelKind kind : sched::EnumValuesChannelKind())
    setTransport(kind, nullptr);
}

uint64_t socketChunks() { return numChunks.load(std::memory_order_relaxed); }

void breakSockets(int rank, int other) {
  std::lock_guard<std::mutex> lock(transportsMutex);
  for (SocketTransport *transport : transports)
    transport->breakBetween(rank, other);
}

} // namespace blink::test
