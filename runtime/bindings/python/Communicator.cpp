//===- Communicator.cpp - blink.Communicator ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// How communicators are made, their properties, and how they end.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Communicator.h"

#include "runtime/bindings/python/Group.h"
#include "runtime/bindings/python/Schedule.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace nb = nanobind;
using namespace nb::literals;

namespace blink::python {
namespace {

/// A blinkConfig_t, and the memory it points to.
struct Config {
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  std::vector<int> gpus;
  std::string withoutLink;
};

void setTimeout(Config &config, std::optional<double> seconds) {
  if (!seconds)
    return;
  const double milliseconds = std::ceil(*seconds * 1000);
  if (!(milliseconds >= 1 && milliseconds <= std::numeric_limits<int>::max()))
    refuse("timeout is ", *seconds,
           ": expected seconds, more than 0 and at most 2147483");
  config.config.timeoutMs = int(milliseconds);
}

void setWithoutLink(Config &config, std::optional<std::string> link) {
  if (!link)
    return;
  config.withoutLink = std::move(*link);
  config.config.withoutLink = config.withoutLink.c_str();
}

void setOrder(Config &config, const std::optional<std::string> &order) {
  if (!order)
    return;
  constexpr const char *kWords[] = {"none", "invariant", "rank"};
  const auto word = std::find(std::begin(kWords), std::end(kWords), *order);
  if (word == std::end(kWords))
    refuse("order is '", *order, "': expected 'none', 'invariant' or 'rank'");
  config.config.order =
      blinkOrder_t(blinkOrderNone + (word - std::begin(kWords)));
}

void read(Config &config, int nranks, std::optional<double> timeout,
          std::optional<std::vector<int>> gpus,
          std::optional<std::string> withoutLink,
          const std::optional<std::string> &order, const std::string &backend) {
  if (backend == "cuda")
    config.config.backend = blinkBackendCuda;
  else if (backend != "host")
    refuse("backend is '", backend, "': expected 'host' or 'cuda'");
  constexpr int kMostRanks = 65536; // more than any file has
  if (nranks < 1 || nranks > kMostRanks)
    refuse("nranks is ", nranks, ": expected 1 to ", kMostRanks);
  setTimeout(config, timeout);
  setWithoutLink(config, std::move(withoutLink));
  setOrder(config, order);
  if (gpus) {
    if (gpus->size() != size_t(nranks))
      refuse("gpus has ", gpus->size(), " numbers: expected ", nranks,
             ", one a rank");
    config.gpus = std::move(*gpus);
    config.config.gpus = config.gpus.data();
  }
}

/// Returns `device` if the communicator is of GPUs.
std::optional<int> gpuOf(const Config &config, int device) {
  return config.config.backend == blinkBackendCuda ? std::optional(device)
                                                   : std::nullopt;
}

Communicator initRank(Schedule &schedule, int nranks, int rank, nb::bytes id,
                      int device, std::optional<double> timeout,
                      std::optional<std::vector<int>> gpus,
                      std::optional<std::string> withoutLink,
                      const std::optional<std::string> &order,
                      const std::string &backend) {
  Config config;
  read(config, nranks, timeout, std::move(gpus), std::move(withoutLink), order,
       backend);
  blinkUniqueId unique;
  if (id.size() != sizeof unique.internal)
    refuse("id has ", id.size(), " bytes: expected the ",
           sizeof unique.internal, " that unique_id() gave");
  std::memcpy(unique.internal, id.data(), sizeof unique.internal);
  auto state = std::make_shared<CommState>(rank, nranks, gpuOf(config, device));
  schedule
      .with([&](blinkSchedule_t handle) {
        return Outcome(blinkCommInitRank(&state->handle, nranks, unique, rank,
                                         device, handle, &config.config));
      })
      .raiseIfFailed();
  return {state};
}

std::vector<Communicator> initAll(Schedule &schedule, std::optional<int> nranks,
                                  std::optional<std::vector<int>> devices,
                                  std::optional<double> timeout,
                                  std::optional<std::vector<int>> gpus,
                                  std::optional<std::string> withoutLink,
                                  const std::optional<std::string> &order,
                                  const std::string &backend) {
  const int size = nranks ? *nranks : schedule.ranks();
  Config config;
  read(config, size, timeout, std::move(gpus), std::move(withoutLink), order,
       backend);
  if (devices && devices->size() != size_t(size))
    refuse("devices has ", devices->size(), " numbers: expected ", size,
           ", one a rank");
  std::vector<Communicator> comms;
  for (int rank = 0; rank < size; ++rank) {
    const int device = devices ? (*devices)[size_t(rank)] : rank;
    comms.push_back(
        {std::make_shared<CommState>(rank, size, gpuOf(config, device))});
  }
  std::vector<blinkComm_t> handles(size);
  schedule
      .with([&](blinkSchedule_t handle) {
        return Outcome(blinkCommInitAll(handles.data(), size,
                                        devices ? devices->data() : nullptr,
                                        handle, &config.config));
      })
      .raiseIfFailed();
  for (int rank = 0; rank < size; ++rank)
    comms[rank].state->handle = handles[rank];
  return comms;
}

Communicator shrink(const Communicator &self, std::vector<int> exclude,
                    std::optional<double> timeout,
                    std::optional<std::string> withoutLink) {
  struct Request {
    Config config;
    std::vector<int> exclude;
    blinkComm_t made = nullptr;
  };
  auto request = std::make_shared<Request>();
  setTimeout(request->config, timeout);
  setWithoutLink(request->config, std::move(withoutLink));
  request->exclude = std::move(exclude);
  const CommState &old = *self.state;
  const int lower =
      int(std::count_if(request->exclude.begin(), request->exclude.end(),
                        [&](int excluded) { return excluded < old.rank; }));
  auto state = std::make_shared<CommState>(
      old.rank - lower, old.size - int(request->exclude.size()), old.gpu);
  auto call = [request](blinkComm_t comm) {
    return blinkCommShrink(comm, request->exclude.data(),
                           int(request->exclude.size()), &request->made,
                           &request->config.config);
  };
  auto finish = [request, state] {
    std::lock_guard<std::mutex> life(state->life);
    state->handle = request->made;
  };
  submit({self.state, call, {}, finish});
  return {state};
}

void closeCommunicator(Communicator &self) {
  CommState &state = *self.state;
  if (!state.usable().ok())
    return; // it is the parent's
  Outcome outcome;
  {
    nb::gil_scoped_release release;
    std::unique_lock<std::mutex> turn(state.turn, std::try_to_lock);
    if (!turn.owns_lock())
      outcome = {blinkInvalidUsage, "another thread's call is using the "
                                    "communicator: abort() ends it"};
    else {
      std::lock_guard<std::mutex> life(state.life);
      outcome = blinkCommDestroy(state.handle);
      if (outcome.ok())
        state.handle = nullptr;
    }
  }
  outcome.raiseIfFailed();
  state.registered.clear();
}

void abortCommunicator(Communicator &self) {
  CommState &state = *self.state;
  if (!state.usable().ok())
    return;
  Outcome outcome;
  {
    nb::gil_scoped_release release;
    blinkComm_t handle;
    {
      std::lock_guard<std::mutex> life(state.life);
      handle = std::exchange(state.handle, nullptr);
    }
    outcome = blinkCommAbort(handle);
  }
  outcome.raiseIfFailed();
  state.registered.clear();
}

nb::object asyncError(const Communicator &self) {
  CommState &state = *self.state;
  state.usable().raiseIfFailed();
  blinkResult_t failure = blinkSuccess;
  std::string sentence;
  Outcome outcome;
  {
    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> life(state.life);
    outcome = state.handle
                  ? Outcome(blinkCommGetAsyncError(state.handle, &failure))
                  : CommState::closed();
    if (failure != blinkSuccess)
      sentence = blinkGetLastError(state.handle);
  }
  outcome.raiseIfFailed();
  if (failure == blinkSuccess)
    return nb::none();
  return makeError(failure,
                   sentence.empty() ? blinkGetErrorString(failure) : sentence);
}

constexpr const char *kCommunicatorDoc =
    R"(One rank of a job.

Every rank creates a communicator in its own process or thread, with the same
``id``, ``nranks``, files and settings. The constructor returns when all ranks
have called it.

    schedule = blink.Schedule("machine.sched")
    comm = blink.Communicator(schedule, nranks, rank, id)
    comm.all_reduce(gradients)

schedule     the schedules of the job's collectives
id           the result of unique_id() in one process, passed to all others
device       the CUDA device of this rank; -1 on the host
timeout      seconds that a rank waits for the others; None: the value of
             BLINK_TIMEOUT_MS in the environment, or else 30 seconds
gpus         for bundles: the GPU of each rank, numbered as in the topology
without_link for bundles compiled with ``--survive links``: a link that has
             failed, such as "gpu0:gpu3"
order        the order that the schedule must guarantee for sums of floating
             point numbers: "none", "invariant" or "rank"; None: the value of
             BLINK_ORDER in the environment, or else "none"
backend      "host" or "cuda"

Any thread may use a communicator; calls by several threads wait for each other.
The GIL is released while a call runs. A ``with`` statement closes the
communicator, or aborts it if an exception leaves the block.)";

constexpr const char *kAllDoc =
    R"(Creates the communicators of all ranks in this process, in rank order.

They are driven by one thread in a group(), or by one thread each. ``nranks``
defaults to ``schedule.ranks``; ``devices`` has the CUDA device of each rank.

    comms = blink.Communicator.all(schedule, 4)
    with blink.group():
        for comm, array in zip(comms, arrays):
            comm.all_reduce(array))";

constexpr const char *kShrinkDoc =
    R"(Creates a communicator of the remaining ranks, in the same order.

``exclude`` lists the other ranks. Each remaining rank makes the call, with the
same list. It is possible before and after an error. All calls in progress on
this communicator end, and it can then only be closed. With an empty list, the
job changes to schedules that do not use ``without_link``. A thread that drives
several ranks makes the calls in a separate group(); the communicators returned
are usable when the group has ended.

    comm = comm.shrink(exclude=[2]))";

constexpr const char *kCloseDoc =
    R"(Frees the communicator. Closing it again has no effect.

Raises InvalidUsage while a call of another thread uses the communicator, which
abort() would end. Collectives of other ranks fail from now on.)";

constexpr const char *kAbortDoc =
    R"(Ends every call in progress, on all ranks, with RemoteError, and closes the
communicator.

Any thread may call it at any time.)";

constexpr const char *kAsyncErrorDoc =
    R"(None, or the error that made the communicator unusable (a failed call or a
lost rank), as an exception that is not raised.)";

} // namespace

nb::class_<Communicator> bindCommunicator(nb::module_ &module) {
  nb::class_<Communicator> type(module, "Communicator", kCommunicatorDoc);
  type.def(
      "__init__",
      [](Communicator *self, Schedule &schedule, int nranks, int rank,
         nb::bytes id, int device, std::optional<double> timeout,
         std::optional<std::vector<int>> gpus,
         std::optional<std::string> withoutLink,
         const std::optional<std::string> &order, const std::string &backend) {
        new (self)
            Communicator(initRank(schedule, nranks, rank, id, device, timeout,
                                  gpus, withoutLink, order, backend));
      },
      "schedule"_a, "nranks"_a, "rank"_a, "id"_a, nb::kw_only(),
      "device"_a = -1, "timeout"_a = nb::none(), "gpus"_a = nb::none(),
      "without_link"_a = nb::none(), "order"_a = nb::none(),
      "backend"_a = "host");
  type.def_static("all", initAll, "schedule"_a, "nranks"_a = nb::none(),
                  nb::kw_only(), "devices"_a = nb::none(),
                  "timeout"_a = nb::none(), "gpus"_a = nb::none(),
                  "without_link"_a = nb::none(), "order"_a = nb::none(),
                  "backend"_a = "host", kAllDoc);
  type.def_prop_ro(
      "rank", [](const Communicator &self) { return self.state->rank; },
      "The number of this rank, counted from 0.");
  type.def_prop_ro(
      "size", [](const Communicator &self) { return self.state->size; },
      "The number of ranks.");
  type.def_prop_ro(
      "async_error", asyncError, kAsyncErrorDoc,
      nb::sig("def async_error(self) -> blink.errors.Error | None"));
  type.def("shrink", shrink, "exclude"_a = nb::make_tuple(), nb::kw_only(),
           "timeout"_a = nb::none(), "without_link"_a = nb::none(), kShrinkDoc);
  type.def("abort", abortCommunicator, kAbortDoc);
  type.def("close", closeCommunicator, kCloseDoc);
  type.def(
      "__enter__", [](nb::handle self) { return nb::borrow(self); },
      nb::sig("def __enter__(self) -> Communicator"));
  type.def(
      "__exit__",
      [](Communicator &self, nb::handle exception, nb::args) {
        exception.is_none() ? closeCommunicator(self) : abortCommunicator(self);
      },
      "exception"_a.none(), "others"_a,
      nb::sig("def __exit__(self, exception: type[BaseException] | None, "
              "*others: object) -> None"));
  type.def("__repr__", [](const Communicator &self) {
    return "<blink.Communicator: rank " + std::to_string(self.state->rank) +
           " of " + std::to_string(self.state->size) + ">";
  });
  return type;
}

} // namespace blink::python
