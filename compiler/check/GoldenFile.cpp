//===- GoldenFile.cpp - golden summaries as files -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/check/GoldenFile.h"

#include "compiler/report/Finding.h"
#include "compiler/support/Error.h"
#include "compiler/support/LocatedJson.h"
#include "compiler/support/Numbers.h"
#include "schedules/Hash.h"
#include "schedules/ScheduleFile.h"

#include "nlohmann/json.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace blink;

using Json = nlohmann::ordered_json;

static constexpr int kGoldenVersion = 2;
static constexpr uint64_t kMostNumber = uint64_t(1) << 53;
static constexpr llvm::StringLiteral kChecksumKey = "  \"checksum\": ";

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Returns null for infinity, which JSON lacks: a program of one GPU takes no
/// time.
static Json jsonNumber(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// Returns an object on one line, with blanks.
static std::string toLine(const Json &object) {
  std::string line;
  for (const auto &[key, value] : object.items())
    line += (line.empty() ? "" : ", ") + Json(key).dump() + ": " +
            (value.is_object() ? toLine(value) : value.dump());
  return "{" + line + "}";
}

static std::string toLine(const GoldenProgram &program) {
  Json json;
  json["collective"] = toString(program.collective).str();
  if (program.root)
    json["root"] = *program.root;
  json["rate"] = jsonNumber(program.rate);
  json["links"] = jsonNumber(program.links);
  json["bound"] = jsonNumber(program.bound);
  json["depth"] = program.depth;
  json["trees"] = program.trees;
  for (size_t i = 0; i < kGoldenSizes.size(); ++i)
    json["predicted_us"][kGoldenSizeNames[i]] = program.times[i];
  return toLine(json);
}

/// Returns the checksum of everything but the CRs that version control may add.
static std::string checksumOf(llvm::StringRef text) {
  std::string plain = text.str();
  llvm::erase(plain, '\r');
  return formatHash(sched::hash64(plain.data(), plain.size()));
}

std::string blink::writeGolden(const Golden &golden) {
  std::string text;
  llvm::raw_string_ostream out(text);
  // Names in a topology are UTF-8, but a bundle from elsewhere may hold any
  // bytes.
  auto quote = [](const std::string &word) {
    return Json(word).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  out << "{\n  \"format\": \"blink-golden\",\n  \"version\": " << kGoldenVersion
      << ",\n  \"machine\": " << quote(golden.machine)
      << ",\n  \"fingerprint\": " << quote(formatHash(golden.fingerprint))
      << ",\n  \"allocations\": " << quote(golden.allocations)
      << ",\n  \"compiler\": " << quote(golden.compiler)
      << ",\n  \"bundle_bytes\": " << golden.bundleBytes
      << ",\n  \"bundle_sha256\": " << quote(golden.bundleHash)
      << ",\n  \"classes\": [";
  const char *separator = "\n";
  for (const GoldenClass &one : golden.classes) {
    out << separator << "    {\"gpus\": " << quote(joinNumbers(one.gpus))
        << ", \"allocations\": " << one.allocations << ", \"programs\": [";
    const char *comma = "\n";
    for (const GoldenProgram &program : one.programs) {
      out << comma << "      " << toLine(program);
      comma = ",\n";
    }
    out << "]}";
    separator = ",\n";
  }
  out << "\n  ],\n";
  std::string checksum = checksumOf(text);
  out << kChecksumKey << quote(checksum) << "\n}\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads the members of an object, each once. finish() returns the first error;
/// values read after an error are meaningless.
class Members {
public:
  Members(const JsonValue &value, llvm::StringRef path)
      : value_(value), path_(path) {
    if (value.kind != JsonValue::Kind::object)
      refuse(value, "expected an object, found " + describe(value.kind));
  }

  void read(llvm::StringRef key, std::string &word) {
    if (const JsonValue *value = take(key, JsonValue::Kind::string))
      word = value->text;
  }
  /// Reads a whole number from 0 to `most`.
  void read(llvm::StringRef key, uint64_t &number, uint64_t most) {
    const JsonValue *value = take(key, JsonValue::Kind::number);
    if (value && (llvm::StringRef(value->text).getAsInteger(10, number) ||
                  number > most))
      refuse(*value, "'" + key + "': expected a whole number from 0 to " +
                         llvm::Twine(most));
  }
  void read(llvm::StringRef key, int &number) {
    uint64_t wide = 0;
    read(key, wide, std::numeric_limits<int>::max());
    number = static_cast<int>(wide);
  }
  /// Reads a number that is not negative; null stands for infinity.
  void read(llvm::StringRef key, double &number) {
    number = std::numeric_limits<double>::infinity();
    const JsonValue *value = find(key);
    if (value && value->kind == JsonValue::Kind::null)
      return;
    value = takeFound(value, key, JsonValue::Kind::number);
    if (value && value->number < 0)
      refuse(*value, "'" + key + "': expected a number that is not negative");
    if (value)
      number = value->number;
  }
  /// Returns null, with an error, if the key is missing or the value of another
  /// kind.
  const JsonValue *take(llvm::StringRef key, JsonValue::Kind kind) {
    return takeFound(find(key), key, kind);
  }
  void refuse(const JsonValue &value, const llvm::Twine &what) {
    if (error_.empty())
      error_ = llvm::toString(errorAt(path_, value.place, what));
  }

  /// Must be called last.
  llvm::Error finish() {
    if (taken_ < value_.members.size())
      refuse(value_, "unknown or repeated keys");
    return error_.empty() ? llvm::Error::success() : makeError(error_);
  }

private:
  const JsonValue *find(llvm::StringRef key) {
    const JsonValue *value = value_.find(key);
    taken_ += value != nullptr;
    return value;
  }
  const JsonValue *takeFound(const JsonValue *value, llvm::StringRef key,
                             JsonValue::Kind kind) {
    if (value && value->kind == kind)
      return value;
    refuse(value ? *value : value_,
           "'" + key + "': expected " + describe(kind));
    return nullptr;
  }

  const JsonValue &value_;
  llvm::StringRef path_;
  size_t taken_ = 0;
  std::string error_;
};

} // namespace

static llvm::Error readProgram(const JsonValue &value, llvm::StringRef path,
                               GoldenProgram &program) {
  Members members(value, path);
  std::string word;
  members.read("collective", word);
  if (std::optional<Collective> collective = parseCollective(word))
    program.collective = *collective;
  else
    members.refuse(value, "'collective': there is no '" + word + "'");
  if (sched::isRooted(program.collective))
    members.read("root", program.root.emplace());
  members.read("rate", program.rate);
  members.read("links", program.links);
  members.read("bound", program.bound);
  members.read("depth", program.depth);
  members.read("trees", program.trees);
  if (const JsonValue *predicted =
          members.take("predicted_us", JsonValue::Kind::object)) {
    Members times(*predicted, path);
    for (size_t i = 0; i < kGoldenSizes.size(); ++i)
      times.read(kGoldenSizeNames[i], program.times[i]);
    if (llvm::Error error = times.finish())
      return error;
  }
  return members.finish();
}

static llvm::Error readClass(const JsonValue &value, llvm::StringRef path,
                             GoldenClass &one) {
  Members members(value, path);
  std::string gpus;
  members.read("gpus", gpus);
  for (llvm::StringRef word : llvm::split(gpus, ',')) {
    int &gpu = one.gpus.emplace_back();
    if (word.getAsInteger(10, gpu) || gpu < 0 || gpu >= sched::kUnmapped)
      members.refuse(value, "'gpus': expected numbers of GPUs, as in 0,1,2");
  }
  members.read("allocations", one.allocations, kMostNumber);
  if (const JsonValue *programs =
          members.take("programs", JsonValue::Kind::array))
    for (const JsonValue &program : programs->items)
      if (llvm::Error error =
              readProgram(program, path, one.programs.emplace_back()))
        return error;
  return members.finish();
}

static llvm::Error readRoot(const JsonValue &root, llvm::StringRef path,
                            Golden &golden) {
  Members members(root, path);
  std::string format, fingerprint, checksum;
  int version = 0;
  members.read("format", format);
  members.read("version", version);
  members.read("machine", golden.machine);
  members.read("fingerprint", fingerprint);
  if (llvm::StringRef(fingerprint).getAsInteger(0, golden.fingerprint))
    members.refuse(root, "'fingerprint': expected a number such as 0x0123");
  members.read("allocations", golden.allocations);
  members.read("compiler", golden.compiler);
  members.read("bundle_bytes", golden.bundleBytes, kMostNumber);
  members.read("bundle_sha256", golden.bundleHash);
  if (const JsonValue *classes =
          members.take("classes", JsonValue::Kind::array))
    for (const JsonValue &one : classes->items)
      if (llvm::Error error =
              readClass(one, path, golden.classes.emplace_back()))
        return error;
  members.read("checksum", checksum); // isUntouched checks it
  return members.finish();
}

/// Returns the version of a text that may be of a later version.
static std::optional<int> versionOf(const JsonValue &root) {
  const JsonValue *version = root.find("version");
  if (!version || version->kind != JsonValue::Kind::number)
    return std::nullopt;
  int number = 0;
  if (llvm::StringRef(version->text).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

static bool isGolden(const JsonValue &root) {
  const JsonValue *format = root.find("format");
  return format && format->text == "blink-golden";
}

/// Returns true if the text ends with the checksum of everything before it.
static bool isUntouched(llvm::StringRef text) {
  size_t at = text.rfind(kChecksumKey);
  if (at == llvm::StringRef::npos)
    return false;
  std::string rest = text.substr(at + kChecksumKey.size()).str();
  llvm::erase(rest, '\r');
  return rest == "\"" + checksumOf(text.take_front(at)) + "\"\n}\n";
}

llvm::Expected<Golden> blink::readGolden(llvm::StringRef text,
                                         llvm::StringRef path) {
  auto refuse = [&](const llvm::Twine &what) {
    return makeError(path + ": " + what);
  };
  llvm::Expected<JsonValue> root = parseLocatedJson(text, path);
  if (!root)
    return root.takeError();
  if (!isGolden(*root))
    return refuse("is no golden summary: \"format\" is not \"blink-golden\"");
  if (std::optional<int> version = versionOf(*root); version != kGoldenVersion)
    return refuse("is of version " +
                  (version ? llvm::Twine(*version) : llvm::Twine("?")) +
                  "; this blinkc reads version " + llvm::Twine(kGoldenVersion) +
                  ": use a blinkc that fits, or write it again with --update");
  if (!isUntouched(text))
    return refuse("was edited by hand or merged: its checksum does not match. "
                  "Restore it, or recompute it with --update");
  Golden golden;
  if (llvm::Error error = readRoot(*root, path, golden))
    return error;
  return golden;
}

std::string blink::salvageAllocations(llvm::StringRef text) {
  llvm::Expected<JsonValue> root = parseLocatedJson(text, "");
  if (!root) {
    llvm::consumeError(root.takeError());
    return "";
  }
  const JsonValue *allocations = root->find("allocations");
  return allocations && allocations->kind == JsonValue::Kind::string
             ? allocations->text
             : "";
}
