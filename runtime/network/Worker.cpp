//===- Worker.cpp - a rank's end of one NIC, on UCX -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/Worker.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/random.h>
#include <ucs/debug/log_def.h>
#include <unistd.h>

namespace blink::runtime::network {
namespace {

constexpr unsigned kMessageId = 0;

/// Sizes of TCP segments. A chunk that fits into one is neither split nor put
/// together again; UCX splits larger ones.
constexpr uint64_t kLeastSegment = 256 << 10, kMostSegment = 1 << 20;

/// UCX writes errors to stdout, which belongs to the program, although it also
/// returns them as results. While an object of this class lives, the messages
/// of its thread are suppressed, unless the user asked for them. Other threads
/// may use UCX for something else.
class Quiet {
public:
  Quiet() { ++depth; }
  ~Quiet() { --depth; }
  static void prepare() {
    static const bool once = [] {
      if (!std::getenv("UCX_LOG_LEVEL"))
        ucs_log_push_handler(handle);
      return true;
    }();
    (void)once;
  }

private:
  static ucs_log_func_rc_t handle(const char *, unsigned, const char *,
                                  ucs_log_level_t,
                                  const ucs_log_component_config_t *,
                                  const char *, va_list) {
    return depth ? UCS_LOG_FUNC_RC_STOP : UCS_LOG_FUNC_RC_CONTINUE;
  }
  static thread_local int depth;
};

thread_local int Quiet::depth = 0;

/// Sets a setting of UCX, unless the environment does.
ucs_status_t setDefault(ucp_config_t *config, const char *variable,
                        const char *name, const std::string &value) {
  return std::getenv(variable) ? UCS_OK
                               : ucp_config_modify(config, name, value.c_str());
}

/// Configures UCX (docs/runtime.md).
Status configure(ucp_config_t *config, const Device &device,
                 uint64_t largestChunk) {
  ucs_status_t status =
      ucp_config_modify(config, "NET_DEVICES", device.name.c_str());
  if (status == UCS_OK)
    status = setDefault(config, "UCX_TLS", "TLS", device.rdma ? "ib" : "tcp");
  if (!device.rdma && status == UCS_OK) {
    const uint64_t needed = largestChunk + 4096; // for headers
    const std::string segment = std::to_string(
        std::clamp((needed + 4095) / 4096 * 4096, kLeastSegment, kMostSegment));
    // Names of a transport's settings have its prefix only since 1.14.
    unsigned major = 0, minor = 0, patch = 0;
    ucp_get_version(&major, &minor, &patch);
    const size_t skipped = major == 1 && minor < 14 ? std::strlen("TCP_") : 0;
    for (const char *name : {"UCX_TCP_TX_SEG_SIZE", "UCX_TCP_RX_SEG_SIZE"})
      if (status == UCS_OK)
        status = setDefault(config, name, name + std::strlen("UCX_") + skipped,
                            segment);
    if (status == UCS_OK) // otherwise jobs of more ranks find no transport
      status = setDefault(config, "UCX_TCP_MAX_NUM_EPS",
                          &"TCP_MAX_NUM_EPS"[skipped], "inf");
  }
  if (status != UCS_OK)
    return {blinkSystemError,
            "UCX takes no settings: ", ucs_status_string(status)};
  return {};
}

} // namespace

//===-- Life --------------------------------------------------------------===//

Status Worker::open(uint64_t largestChunk, WorkerClient &client) {
  client_ = &client;
  Quiet::prepare();
  const Quiet quiet;
  // UCX has a thread, which a forked child does not have.
  static const pid_t process = getpid();
  if (process != getpid())
    return {blinkInvalidUsage,
            "a process that was forked from one with channels of kind network "
            "cannot have such channels: fork before the first communicator, or "
            "start a new program"};
  if (getrandom(&key_, sizeof(key_), 0) != sizeof(key_))
    return {blinkSystemError, "no random number: ", std::strerror(errno)};
  const auto error = [&](const char *what, ucs_status_t status) {
    return Status(blinkSystemError, "UCX cannot ", what, " on ", device_.name,
                  " for ", name_, ": ", ucs_status_string(status),
                  " (UCX_LOG_LEVEL=info says more)");
  };
  ucp_config_t *config = nullptr;
  ucs_status_t result = ucp_config_read(nullptr, nullptr, &config);
  if (result != UCS_OK)
    return error("read its settings", result);
  Status status = configure(config, device_, largestChunk);
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM;
  if (!device_.rdma) // with RDMA, polling is cheap and waits are short
    params.features |= UCP_FEATURE_WAKEUP;
  if (status.ok())
    result = ucp_init(&params, config, &context_);
  ucp_config_release(config);
  if (!status.ok())
    return status;
  if (result != UCS_OK)
    return error("begin", result);
  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED; // the mutex serialises
  result = ucp_worker_create(context_, &worker, &worker_);
  if (result != UCS_OK)
    return error("make a worker", result);
  if (device_.rdma || ucp_worker_get_efd(worker_, &events_) != UCS_OK)
    events_ = -1;
  ucp_am_handler_param_t handler{};
  handler.field_mask =
      UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = kMessageId;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  handler.cb = received;
  handler.arg = this;
  result = ucp_worker_set_am_recv_handler(worker_, &handler);
  return result == UCS_OK ? Status() : error("receive", result);
}

Worker::~Worker() {
  const Quiet quiet;
  if (worker_) {
    abandon();
    ucp_worker_destroy(worker_);
  }
  if (context_)
    ucp_cleanup(context_);
}

Status Worker::address(std::string &text) const {
  ucp_address_t *address = nullptr;
  size_t bytes = 0;
  const ucs_status_t status = ucp_worker_get_address(worker_, &address, &bytes);
  if (status != UCS_OK)
    return {blinkSystemError, "UCX has no address on ", device_.name, ": ",
            ucs_status_string(status)};
  const AddressHeader header{key_, nic_, uint16_t(bytes), 0};
  text.append(reinterpret_cast<const char *>(&header), sizeof(header));
  text.append(reinterpret_cast<const char *>(address), bytes);
  ucp_worker_release_address(worker_, address);
  return {};
}

Connection &Worker::add(uint16_t rank, uint16_t nic) {
  Connection &connection = connections_[{rank, nic}];
  connection.rank = rank;
  connection.nic = nic;
  return connection;
}

Status Worker::begin(Connection &connection) {
  const Quiet quiet;
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address =
      reinterpret_cast<const ucp_address_t *>(connection.address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = failed;
  params.err_handler.arg = this;
  const ucs_status_t status =
      ucp_ep_create(worker_, &params, &connection.endpoint);
  if (status != UCS_OK) {
    connection.endpoint = nullptr;
    return {blinkSystemError,
            name_,
            ", on ",
            device_.name,
            ", cannot reach ",
            connection.name,
            ": ",
            ucs_status_string(status),
            ": BLINK_NET_DEVICES or BLINK_SOCKET_IFNAME says by which device"};
  }
  MessageHeader hello{};
  hello.kind = MessageKind::hello;
  hello.creditRing = MessageHeader::kNone;
  send(connection, hello);
  return {};
}

Connection *Worker::find(uint16_t rank, uint16_t nic) {
  const auto found = connections_.find({rank, nic});
  return found == connections_.end() ? nullptr : &found->second;
}

//===-- Sending -----------------------------------------------------------===//

Worker::Send *Worker::take() {
  if (free_.empty()) {
    sends_.push_back(std::make_unique<Send>());
    return sends_.back().get();
  }
  Send *send = free_.back();
  free_.pop_back();
  return send;
}

void Worker::send(Connection &to, MessageHeader header, const char *data,
                  uint64_t bytes, uint64_t *open) {
  if (to.lost || !to.endpoint)
    return;
  const Quiet quiet;
  to.bytesSent += bytes;
  Send *message = take();
  message->header = header;
  message->header.key = to.key;
  message->header.rank = rank_;
  message->header.nic = nic_;
  message->header.sequence = to.sent++;
  message->worker = this;
  message->to = &to;
  message->open = open;
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                       UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  param.cb.send = sentData;
  param.user_data = message;
  // Credits already say that there is room, so asking UCX's receiver again
  // would only cost a round trip. RDMA does ask, to move the bytes without a
  // copy.
  param.flags = device_.rdma ? 0 : UCP_AM_SEND_FLAG_EAGER;
  const ucs_status_ptr_t request =
      ucp_am_send_nbx(to.endpoint, kMessageId, &message->header,
                      sizeof(MessageHeader), data, bytes, &param);
  if (UCS_PTR_IS_PTR(request)) {
    ++open_;
    if (open)
      ++*open;
    return;
  }
  free_.push_back(message);
  if (request)
    lose(to, ucs_status_string(UCS_PTR_STATUS(request)));
}

void Worker::sentData(void *request, ucs_status_t status, void *data) {
  Send *message = static_cast<Send *>(data);
  Worker &worker = *message->worker;
  --worker.open_;
  if (message->open)
    --*message->open;
  worker.free_.push_back(message);
  ucp_request_free(request);
  if (status != UCS_OK)
    worker.lose(*message->to, ucs_status_string(status));
}

void Worker::flush() {
  const Quiet quiet;
  for (auto &[other, connection] : connections_) {
    if (connection.lost || connection.left || !connection.endpoint)
      continue;
    ucp_request_param_t param{};
    param.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.send = flushed;
    param.user_data = this;
    openFlushes_ +=
        UCS_PTR_IS_PTR(ucp_ep_flush_nbx(connection.endpoint, &param));
  }
}

void Worker::flushed(void *request, ucs_status_t, void *self) {
  // A failure is reported by the endpoint's handler.
  --static_cast<Worker *>(self)->openFlushes_;
  ucp_request_free(request);
}

bool Worker::progress() {
  const Quiet quiet;
  const bool moved = ucp_worker_progress(worker_) != 0;
  tellLost();
  return moved;
}

int Worker::arm() {
  return events_ < 0 || ucp_worker_arm(worker_) != UCS_OK ? -1 : events_;
}

void Worker::signal() {
  if (events_ >= 0)
    ucp_worker_signal(worker_);
}

//===-- Receiving ---------------------------------------------------------===//

ucs_status_t Worker::received(void *self, const void *header,
                              size_t headerBytes, void *data, size_t bytes,
                              const ucp_am_recv_param_t *param) {
  MessageHeader copy;
  if (headerBytes != sizeof(copy))
    return UCS_OK; // not one of our messages
  std::memcpy(&copy, header, sizeof(copy));
  return static_cast<Worker *>(self)->receive(
      copy, data, bytes, param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV);
}

/// If the result is UCS_INPROGRESS, UCX keeps the data.
ucs_status_t Worker::receive(const MessageHeader &header, void *data,
                             size_t bytes, bool rendezvous) {
  if (header.key != key_)
    return UCS_OK;
  Connection *found = find(header.rank, header.nic);
  if (!found || found->lost)
    return UCS_OK;
  Connection &from = *found;
  if (header.sequence != from.received) {
    lose(from, textOf("message ", header.sequence, " came instead of ",
                      from.received));
    return UCS_OK;
  }
  ++from.received;
  switch (header.kind) {
  case MessageKind::hello:
    from.greeted = true;
    return UCS_OK;
  case MessageKind::heartbeat:
    if (header.offset > from.bytesSent)
      lose(from, "what came says that more is there than was sent");
    else
      from.bytesThere = std::max(from.bytesThere, header.offset);
    return UCS_OK;
  case MessageKind::goodbye:
    from.left = true;
    return UCS_OK;
  case MessageKind::chunk:
  case MessageKind::credit:
    break;
  default:
    lose(from, "received bytes that are not a message");
    return UCS_OK;
  }
  char *place = nullptr;
  if (!client_->came(from, header, bytes, place)) {
    lose(from, "what came belongs to no ring");
    return UCS_OK;
  }
  if (header.kind == MessageKind::credit)
    return UCS_OK;
  if (!rendezvous) {
    std::memcpy(place, data, bytes);
    complete(from, header, bytes);
    return UCS_OK;
  }
  Receive *receive = new Receive{header, this, &from};
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.recv_am = receivedData;
  param.user_data = receive;
  const ucs_status_ptr_t request =
      ucp_am_recv_data_nbx(worker_, data, place, bytes, &param);
  if (!UCS_PTR_IS_PTR(request)) {
    delete receive;
    if (request) {
      lose(from, ucs_status_string(UCS_PTR_STATUS(request)));
      return UCS_OK;
    }
    complete(from, header, bytes);
  }
  return UCS_INPROGRESS;
}

void Worker::receivedData(void *request, ucs_status_t status, size_t bytes,
                          void *data) {
  const std::unique_ptr<Receive> receive(static_cast<Receive *>(data));
  ucp_request_free(request);
  if (status != UCS_OK)
    receive->worker->lose(*receive->from, ucs_status_string(status));
  else if (!receive->from->lost)
    receive->worker->complete(*receive->from, receive->header, bytes);
}

void Worker::complete(Connection &from, const MessageHeader &header,
                      uint64_t bytes) {
  from.bytesCame += bytes;
  client_->complete(from, header, bytes);
}

//===-- Failures ----------------------------------------------------------===//

void Worker::failed(void *self, ucp_ep_h endpoint, ucs_status_t status) {
  Worker &worker = *static_cast<Worker *>(self);
  for (auto &[other, connection] : worker.connections_)
    if (connection.endpoint == endpoint)
      worker.lose(connection, ucs_status_string(status));
}

/// Only notes the loss: this may run within a callback of UCX, so tellLost()
/// closes the endpoint later.
void Worker::lose(Connection &connection, std::string why) {
  if (connection.lost)
    return;
  connection.lost = true;
  connection.why = textOf(connection.name, " from ", name_, ", on ",
                          device_.name, ": ", why);
  lost_.push_back(&connection);
}

void Worker::tellLost() {
  while (!lost_.empty()) {
    Connection &connection = *lost_.back();
    lost_.pop_back();
    close(connection);
    client_->lost(connection);
  }
}

/// Closes a connection; UCX ends everything that is under way.
void Worker::close(Connection &connection) {
  if (!connection.endpoint)
    return;
  const Quiet quiet;
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  param.cb.send = [](void *request, ucs_status_t, void *) {
    ucp_request_free(request);
  };
  ucp_ep_close_nbx(std::exchange(connection.endpoint, nullptr), &param);
}

void Worker::abandon() {
  for (auto &[other, connection] : connections_) {
    if (!connection.lost)
      connection.why = "the job has failed";
    connection.lost = true;
    close(connection);
  }
  lost_.clear(); // nobody needs to be told any more
  // RDMA may need some time, but that is limited: the card answers.
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  while (open_ != 0 && Clock::now() < deadline)
    ucp_worker_progress(worker_);
}

} // namespace blink::runtime::network
