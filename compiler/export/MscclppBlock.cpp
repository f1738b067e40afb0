//===- MscclppBlock.cpp - a thread block of an MSCCL++ plan ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/MscclppBlock.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace blink;
namespace json = llvm::json;

/// Limit of an operation on channels or remote buffers.
static constexpr size_t kMostPeers = 8;

int RemoteBuffers::idOf(int rank, char buffer) {
  auto [place, isNew] = ids_.try_emplace({rank, buffer}, buffers_.size());
  if (isNew)
    buffers_.push_back({rank, buffer});
  return place->second;
}

std::string RemoteBuffers::text() const {
  json::Array list;
  for (auto [rank, buffer] : buffers_)
    list.push_back(json::Object{{"rank", rank},
                                {"type", std::string(1, buffer)},
                                {"access_channel_types", {"memory"}}});
  return llvm::formatv("{0}", json::Value(std::move(list)));
}

/// Returns the index of `number` in `list`, appending it if missing.
static int placeOf(std::vector<int> &list, int number) {
  auto found = llvm::find(list, number);
  if (found == list.end())
    found = list.insert(found, number);
  return found - list.begin();
}

static json::Value local(const ChunkRange &range) {
  return json::Object{{"type", std::string(1, range.buffer)},
                      {"index", range.first},
                      {"size", range.count}};
}

json::Value MscclppBlock::remote(const ChunkRange &range) {
  const int buffer = buffers_->idOf(range.rank, range.buffer);
  return json::Object{{"buffer_id", placeOf(used_, buffer)},
                      {"index", range.first},
                      {"size", range.count}};
}

bool MscclppBlock::hasChannel(int channel) const {
  return llvm::is_contained(channels_, channel);
}

void MscclppBlock::add(json::Object operation) {
  ++numOperations_;
  (isOpen_ ? pipeline_ : operations_).push_back(std::move(operation));
}

void MscclppBlock::onChannels(const char *name, llvm::ArrayRef<int> channels) {
  for (; !channels.empty();
       channels = channels.drop_front(std::min(kMostPeers, channels.size()))) {
    json::Array ids;
    for (int channel : channels.take_front(kMostPeers))
      ids.push_back(placeOf(channels_, channel));
    add(json::Object{{"name", name},
                     {"channel_type", "memory"},
                     {"channel_ids", std::move(ids)}});
  }
}

void MscclppBlock::sync() { add(json::Object{{"name", "nop"}}); }

void MscclppBlock::copy(const ChunkRange &from, const ChunkRange &to) {
  add(json::Object{{"name", "copy"},
                   {"src_buff", {local(from)}},
                   {"dst_buff", {local(to)}}});
}

void MscclppBlock::put(const ChunkRange &from, llvm::ArrayRef<ChunkRange> to) {
  for (; !to.empty(); to = to.drop_front(std::min(kMostPeers, to.size()))) {
    json::Array sources, destinations;
    for (const ChunkRange &range : to.take_front(kMostPeers)) {
      sources.push_back(local(from)); // one for each destination
      destinations.push_back(remote(range));
    }
    add(json::Object{{"name", "put"},
                     {"channel_type", "memory"},
                     {"src_buff", std::move(sources)},
                     {"dst_buff", std::move(destinations)}});
  }
}

void MscclppBlock::reduceOnce(llvm::ArrayRef<ChunkRange> from,
                              llvm::ArrayRef<ChunkRange> to) {
  json::Array sources, destinations{local(to[0])};
  for (const ChunkRange &range : from)
    sources.push_back(local(range));
  for (const ChunkRange &range : to.drop_front())
    destinations.push_back(remote(range));
  json::Object operation{{"name", to.size() > 1 ? "res" : "re"},
                         {"src_buff", std::move(sources)},
                         {"dst_buff", std::move(destinations)}};
  if (to.size() > 1)
    operation["channel_type"] = "memory";
  add(std::move(operation));
}

void MscclppBlock::reduce(llvm::ArrayRef<ChunkRange> from,
                          llvm::ArrayRef<ChunkRange> to) {
  std::vector<ChunkRange> sources(from.begin(), from.end());
  while (sources.size() > 1 + kMostPeers) {
    const auto end = sources.begin() + 1 + kMostPeers;
    reduceOnce({sources.data(), 1 + kMostPeers}, to[0]);
    sync();
    sources.erase(sources.begin() + 1, end);
    sources[0] = to[0];
  }
  const size_t direct = std::min(to.size(), 1 + kMostPeers);
  reduceOnce(sources, to.take_front(direct));
  if (direct < to.size()) {
    sync();
    put(to[0], to.drop_front(direct));
  }
}

void MscclppBlock::beginPipeline(unsigned unitBytes, unsigned count) {
  ++numOperations_;
  isOpen_ = true;
  context_ = json::Object{{"unit_size", unitBytes}, {"num_chunks", count}};
}

void MscclppBlock::endPipeline() {
  isOpen_ = false;
  operations_.push_back(json::Object{{"name", "pipeline"},
                                     {"iter_context", std::move(context_)},
                                     {"ops", std::move(pipeline_)}});
  pipeline_ = json::Array();
}

/// Returns a list of numbers as JSON.
static json::Array numbers(llvm::ArrayRef<int> list) {
  return json::Array(list);
}

std::string MscclppBlock::text(int id) const {
  json::Array channels, buffers;
  if (!channels_.empty())
    channels.push_back(json::Object{{"channel_type", "memory"},
                                    {"channel_ids", numbers(channels_)}});
  if (!used_.empty())
    buffers.push_back(json::Object{{"access_channel_type", "memory"},
                                   {"remote_buffer_ids", numbers(used_)}});
  std::string text = llvm::formatv(
      "{{\"id\": {0},\n      \"channels\": {1},\n      "
      "\"remote_buffer_refs\": {2},\n      \"ops\": [",
      id, json::Value(std::move(channels)), json::Value(std::move(buffers)));
  const char *separator = "\n       ";
  for (const json::Value &operation : operations_) {
    text += llvm::formatv("{0}{1}", separator, operation);
    separator = ",\n       ";
  }
  return text + "]}";
}
