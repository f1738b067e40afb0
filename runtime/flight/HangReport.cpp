//===- HangReport.cpp - a picture of a hang, for an error -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/HangReport.h"

#include "runtime/Log.h"
#include "runtime/flight/PictureReader.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace blink::runtime {

HangReport::HangReport(const FlightFile &own,
                       const std::function<Hearsay(int rank)> &hear)
    : job_(readJob(own)) {
  for (size_t rank = 0; hear && rank < job_.ranks.size(); ++rank) {
    RankPicture &picture = job_.ranks[rank];
    if (picture.known)
      continue;
    const Hearsay heard = hear(int(rank));
    picture.known = true;
    picture.seen = false;
    picture.collectives = heard.collectives;
    CallPicture last;
    last.number = heard.collectives;
    last.kind = heard.last;
    if (heard.collectives != 0)
      picture.calls.push_back(last);
  }
  found_ = diagnose(job_);
}

std::string HangReport::sentence() const {
  std::string text;
  for (const std::string &part : {found_.sentence, describeWaits(job_)})
    if (!part.empty())
      text += "; " + part;
  return text;
}

void HangReport::write(int rank) const {
  const char *folder = std::getenv("BLINK_HANG_DIR");
  if (!folder || !*folder)
    return;
  char name[64];
  std::snprintf(name, sizeof(name), "/blink-hang.%016llx.rank%d.json",
                static_cast<unsigned long long>(job_.job), rank);
  if (Status status = writeWhole(std::string(folder) + name,
                                 toJson(job_, found_, /*history=*/true) + "\n");
      !status.ok())
    log(LogLevel::warn, rank, "BLINK_HANG_DIR: ", status.text);
}

Status writeWhole(const std::string &path, const std::string &bytes) {
  const std::string half = path + "." + std::to_string(getpid());
  std::FILE *file = std::fopen(half.c_str(), "w");
  bool good = file != nullptr;
  if (file) {
    good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    good = std::fclose(file) == 0 && good;
  }
  if (good && std::rename(half.c_str(), path.c_str()) == 0)
    return {};
  const int error = errno;
  if (file)
    unlink(half.c_str());
  return Status(blinkSystemError, path,
                ": cannot be written: ", std::strerror(error));
}

} // namespace blink::runtime
