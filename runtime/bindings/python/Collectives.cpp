//===- Collectives.cpp - the collectives of blink.Communicator ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A collective is described by the terms of blink.h: how many blocks of `count`
// elements each buffer holds, and on which ranks the buffer is used. The count,
// the checks of arguments, and the meaning of a single buffer (in place) follow
// from that.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Communicator.h"
#include "runtime/bindings/python/Group.h"
#include "runtime/bindings/python/Types.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace blink::python {
namespace {

/// How a collective uses a rank's buffers.
struct Shape {
  const char *name;
  size_t sendBlocks, recvBlocks; ///< of `count` elements
  bool hasInPlace = true;
  bool reads = true, writes = true; ///< on this rank
};

/// The arguments of a call of blink.h.
struct Arguments {
  const void *send = nullptr;
  void *recv = nullptr;
  size_t count = 0;
  blinkDataType_t type = blinkUint8;
  blinkStream_t stream = nullptr;
  std::vector<Buffer> buffers;
};

class Reader {
public:
  Reader(const CommState &comm, const Shape &shape, nb::handle dtype,
         nb::handle stream)
      : comm_(comm), shape_(shape), type_(readType(dtype)) {
    arguments_.stream = readStream(stream);
  }

  Arguments read(nb::handle send, nb::handle recv) {
    if (!recv.is_none() || !shape_.writes)
      readBoth(send, recv);
    else
      readInPlace(send);
    return std::move(arguments_);
  }

private:
  void readBoth(nb::handle send, nb::handle recv) {
    const Buffer *from = nullptr, *to = nullptr;
    arguments_.buffers.reserve(2);
    if (shape_.reads)
      from = &take("send", send, Access::read, shape_.sendBlocks);
    if (shape_.writes)
      to = &take("recv", recv, Access::write, shape_.recvBlocks);
    if (from && to)
      compare(*from, *to);
    arguments_.send = from ? from->data : nullptr;
    arguments_.recv = to ? to->data : nullptr;
  }

  /// A single buffer stands for both, send and recv. If one of them has a block
  /// for each rank, the buffer is that one, and the other is this rank's block
  /// of it.
  void readInPlace(nb::handle object) {
    if (!shape_.reads && shape_.sendBlocks != shape_.recvBlocks)
      refuse(shape_.name, ": recv is missing");
    const size_t blocks = std::max(shape_.sendBlocks, shape_.recvBlocks);
    char *data =
        static_cast<char *>(take("send", object, Access::write, blocks).data);
    char *own = data + size_t(comm_.rank) * arguments_.count *
                           elementBytes(arguments_.type);
    arguments_.send = shape_.sendBlocks < blocks ? own : data;
    arguments_.recv = shape_.recvBlocks < blocks ? own : data;
  }

  /// Reads a buffer of `blocks` blocks. The first buffer that is read
  /// determines type and count.
  Buffer &take(const char *name, nb::handle object, Access access,
               size_t blocks) {
    const std::string who = std::string(shape_.name) + ": " + name;
    if (object.is_none())
      refuse(who, " is None");
    Buffer buffer = readBuffer(object, who.c_str(),
                               {access, comm_.gpu, type_, arguments_.stream});
    if (!buffer.type)
      refuse(who, " has elements of a type that no collective has: dtype= "
                  "names one that stands for its bytes");
    const size_t size = elementBytes(*buffer.type) * blocks;
    if (buffer.bytes % size != 0)
      refuse(who, " has ", buffer.bytes, " bytes: expected a multiple of ",
             size, ", ", blocks == 1 ? "an element" : "an element a rank",
             " of ", nameOf(*buffer.type));
    const size_t count = buffer.bytes / size;
    if (arguments_.buffers.empty()) {
      arguments_.type = *buffer.type;
      arguments_.count = count;
    } else if (*buffer.type != arguments_.type) {
      refuse(who, " is of ", nameOf(*buffer.type), ": expected ",
             nameOf(arguments_.type), ", as send is");
    } else if (count != arguments_.count) {
      refuse(who, " has ", count * blocks, " elements: expected ",
             arguments_.count * blocks, ", since send has ",
             arguments_.count * shape_.sendBlocks, " and there are ",
             comm_.size, " ranks");
    }
    return arguments_.buffers.emplace_back(std::move(buffer));
  }

  /// Checks that the buffers do not overlap, or are in place as blink.h defines
  /// it.
  void compare(const Buffer &from, const Buffer &to) const {
    const char *send = static_cast<const char *>(from.data);
    const char *recv = static_cast<const char *>(to.data);
    if (send + from.bytes <= recv || recv + to.bytes <= send)
      return;
    const size_t block = arguments_.count * elementBytes(arguments_.type);
    const size_t own = size_t(comm_.rank) * block;
    const bool inPlace = shape_.sendBlocks == shape_.recvBlocks ? send == recv
                         : shape_.sendBlocks < shape_.recvBlocks
                             ? send == recv + own
                             : recv == send + own;
    if (!inPlace || !shape_.hasInPlace)
      refuse(shape_.name, ": send and recv overlap",
             shape_.hasInPlace
                 ? ": expected buffers that are apart, or one without recv"
                 : ": there is none in place");
  }

  const CommState &comm_;
  const Shape &shape_;
  const std::optional<blinkDataType_t> type_;
  Arguments arguments_;
};

/// Reads the buffers, and submits `function(arguments, comm)`.
template <typename Function>
void call(const Communicator &self, const Shape &shape, nb::handle send,
          nb::handle recv, nb::handle dtype, nb::handle stream,
          Function function) {
  Arguments arguments =
      Reader(*self.state, shape, dtype, stream).read(send, recv);
  std::vector<Buffer> buffers = std::move(arguments.buffers);
  submit({self.state,
          [arguments = std::move(arguments), function](blinkComm_t comm) {
            return function(arguments, comm);
          },
          std::move(buffers)});
}

void allReduce(const Communicator &self, nb::handle send, nb::handle recv,
               const char *op, nb::handle dtype, nb::handle stream) {
  call(self, {"all_reduce", 1, 1}, send, recv, dtype, stream,
       [op = readOperator(op)](const Arguments &a, blinkComm_t comm) {
         return blinkAllReduce(a.send, a.recv, a.count, a.type, op, comm,
                               a.stream);
       });
}

void broadcast(const Communicator &self, nb::handle send, nb::handle recv,
               int root, nb::handle dtype, nb::handle stream) {
  Shape shape = {"broadcast", 1, 1};
  shape.reads = self.state->rank == root;
  call(self, shape, send, recv, dtype, stream,
       [root](const Arguments &a, blinkComm_t comm) {
         return blinkBroadcast(a.send, a.recv, a.count, a.type, root, comm,
                               a.stream);
       });
}

void reduce(const Communicator &self, nb::handle send, nb::handle recv,
            const char *op, int root, nb::handle dtype, nb::handle stream) {
  Shape shape = {"reduce", 1, 1};
  shape.writes = self.state->rank == root;
  call(self, shape, send, recv, dtype, stream,
       [op = readOperator(op), root](const Arguments &a, blinkComm_t comm) {
         return blinkReduce(a.send, a.recv, a.count, a.type, op, root, comm,
                            a.stream);
       });
}

void allGather(const Communicator &self, nb::handle send, nb::handle recv,
               nb::handle dtype, nb::handle stream) {
  call(self, {"all_gather", 1, size_t(self.state->size)}, send, recv, dtype,
       stream, [](const Arguments &a, blinkComm_t comm) {
         return blinkAllGather(a.send, a.recv, a.count, a.type, comm, a.stream);
       });
}

void reduceScatter(const Communicator &self, nb::handle send, nb::handle recv,
                   const char *op, nb::handle dtype, nb::handle stream) {
  call(self, {"reduce_scatter", size_t(self.state->size), 1}, send, recv, dtype,
       stream, [op = readOperator(op)](const Arguments &a, blinkComm_t comm) {
         return blinkReduceScatter(a.send, a.recv, a.count, a.type, op, comm,
                                   a.stream);
       });
}

void gather(const Communicator &self, nb::handle send, nb::handle recv,
            int root, nb::handle dtype, nb::handle stream) {
  Shape shape = {"gather", 1, size_t(self.state->size)};
  shape.writes = self.state->rank == root;
  call(self, shape, send, recv, dtype, stream,
       [root](const Arguments &a, blinkComm_t comm) {
         return blinkGather(a.send, a.recv, a.count, a.type, root, comm,
                            a.stream);
       });
}

void scatter(const Communicator &self, nb::handle send, nb::handle recv,
             int root, nb::handle dtype, nb::handle stream) {
  Shape shape = {"scatter", size_t(self.state->size), 1};
  shape.reads = self.state->rank == root;
  call(self, shape, send, recv, dtype, stream,
       [root](const Arguments &a, blinkComm_t comm) {
         return blinkScatter(a.send, a.recv, a.count, a.type, root, comm,
                             a.stream);
       });
}

void allToAll(const Communicator &self, nb::handle send, nb::handle recv,
              nb::handle dtype, nb::handle stream) {
  const size_t size = size_t(self.state->size);
  call(self, {"all_to_all", size, size, /*hasInPlace=*/false}, send, recv,
       dtype, stream, [](const Arguments &a, blinkComm_t comm) {
         return blinkAllToAll(a.send, a.recv, a.count, a.type, comm, a.stream);
       });
}

void send(const Communicator &self, nb::handle send, int peer, nb::handle dtype,
          nb::handle stream) {
  Shape shape = {"send", 1, 1};
  shape.writes = false;
  call(self, shape, send, nb::none(), dtype, stream,
       [peer](const Arguments &a, blinkComm_t comm) {
         return blinkSend(a.send, a.count, a.type, peer, comm, a.stream);
       });
}

void receive(const Communicator &self, nb::handle recv, int peer,
             nb::handle dtype, nb::handle stream) {
  Shape shape = {"recv", 1, 1};
  shape.reads = false;
  call(self, shape, nb::none(), recv, dtype, stream,
       [peer](const Arguments &a, blinkComm_t comm) {
         return blinkRecv(a.recv, a.count, a.type, peer, comm, a.stream);
       });
}

constexpr const char *kAllReduceDoc =
    R"(Reduces the buffers of all ranks, to all ranks. In place without ``recv``.

    comm.all_reduce(gradients, op="avg"))";

constexpr const char *kBroadcastDoc =
    R"(Copies the root's ``send`` to every rank's ``recv``. In place without ``recv``.

    comm.broadcast(weights, root=0))";

constexpr const char *kReduceDoc =
    R"(Reduces the buffers of all ranks, to the root's ``recv``.

Without ``recv``, the result is in the root's ``send``.

    comm.reduce(loss, root=0))";

constexpr const char *kAllGatherDoc =
    R"(Gathers the ``send`` of all ranks, in the order of ranks, on all ranks.

Without ``recv``, ``send`` is the buffer for the result, and must contain this
rank's part at its place.

    comm.all_gather(part, whole)  # whole.size == comm.size * part.size)";

constexpr const char *kReduceScatterDoc =
    R"(Reduces the buffers of all ranks, and gives each rank its part.

Without ``recv``, the part is written to its place in ``send``.

    comm.reduce_scatter(whole, part)  # whole.size == comm.size * part.size)";

constexpr const char *kGatherDoc =
    R"(Gathers the ``send`` of all ranks, in the order of ranks, on the root.

Without ``recv``, the root's ``send`` is the buffer for the result, and must
contain the root's part at its place.

    comm.gather(part, whole if comm.rank == 0 else None))";

constexpr const char *kScatterDoc =
    R"(Sends each rank its part of the root's ``send``.

Without ``recv``, the root's part stays at its place in ``send``.

    comm.scatter(whole if comm.rank == 0 else None, part))";

constexpr const char *kAllToAllDoc =
    R"(Sends part i of ``send`` to rank i, and receives part i of ``recv`` from it.

    comm.all_to_all(send, recv)  # sizes are multiples of comm.size)";

constexpr const char *kSendDoc =
    R"(Sends a message to rank ``peer``, which must receive one of the same size.

    comm.send(activations, peer=comm.rank + 1))";

constexpr const char *kRecvDoc =
    R"(Receives the next message from rank ``peer``.

Two ranks that send to each other need a group.

    with blink.group():
        comm.send(mine, peer=other)
        comm.recv(theirs, peer=other))";

} // namespace

void bindCollectives(nb::class_<Communicator> &communicator) {
  const auto sum = "op"_a = "sum";
  const auto recv = "recv"_a = nb::none();
  const auto dtype = "dtype"_a = nb::none();
  const auto stream = "stream"_a = nb::none();
  communicator
      .def("all_reduce", allReduce, "send"_a, recv, sum, nb::kw_only(), dtype,
           stream, kAllReduceDoc)
      .def("broadcast", broadcast, "send"_a.none(), recv, "root"_a = 0,
           nb::kw_only(), dtype, stream, kBroadcastDoc)
      .def("reduce", reduce, "send"_a, recv, sum, "root"_a = 0, nb::kw_only(),
           dtype, stream, kReduceDoc)
      .def("all_gather", allGather, "send"_a, recv, nb::kw_only(), dtype,
           stream, kAllGatherDoc)
      .def("reduce_scatter", reduceScatter, "send"_a, recv, sum, nb::kw_only(),
           dtype, stream, kReduceScatterDoc)
      .def("gather", gather, "send"_a, recv, "root"_a = 0, nb::kw_only(), dtype,
           stream, kGatherDoc)
      .def("scatter", scatter, "send"_a.none(), recv, "root"_a = 0,
           nb::kw_only(), dtype, stream, kScatterDoc)
      .def("all_to_all", allToAll, "send"_a, "recv"_a, nb::kw_only(), dtype,
           stream, kAllToAllDoc)
      .def("send", send, "send"_a, "peer"_a, nb::kw_only(), dtype, stream,
           kSendDoc)
      .def("recv", receive, "recv"_a, "peer"_a, nb::kw_only(), dtype, stream,
           kRecvDoc);
}

} // namespace blink::python
