// What the parts of the reader share: the tables, where an error is in the file, and how much may
// be taken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/log.h"
#include "base/result.h"

namespace edgetwin::espdl {

// docs/formats/espdl.md lists these.
inline constexpr uint32_t kMaxTables = 2'000'000;  // of one model
inline constexpr uint32_t kMaxDepth = 16;          // nesting; the schema itself needs 8
inline constexpr size_t kMaxRank = 8;
inline constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 30;

// kind 'name', with a name of sensible length: names of a hostile file are repeated in every label.
inline std::string quoted(const std::string& kind, const std::string& name) {
  constexpr size_t kShown = 120;
  if (name.size() <= kShown) return kind + " '" + name + "'";
  return kind + " '" + name.substr(0, kShown) + "...'";
}

// How much memory what is read from one file may take, whatever the file refers to again and again.
class Budget {
 public:
  explicit Budget(size_t file_size);
  bool take(uint64_t bytes);
  uint64_t limit() const { return limit_; }

 private:
  uint64_t limit_;
  uint64_t left_;
};

// The payload of one model.
class Source {
 public:
  // `payload` begins at a multiple of 16 in memory and at `base` in the file.
  Source(ByteSpan payload, uint64_t base, std::string file, Budget& budget)
      : payload_(payload), base_(base), file_(std::move(file)), budget_(budget) {}

  ByteSpan payload() const { return payload_; }
  uint64_t base() const { return base_; }
  // Where something in the payload is, from the start of the payload.
  uint64_t offset_of(const void* at) const {
    return static_cast<uint64_t>(static_cast<const std::byte*>(at) - payload_.data());
  }

  // `at` points into the payload and becomes the offset in the file.
  Error error(ErrorCode code, std::string message, const void* at, std::string field) const;

  // Accounts for bytes that are about to be taken.
  Status charge(uint64_t bytes, const void* at, std::string_view field);

  void find(Severity severity, std::string place, std::string message, std::string hint = {}) {
    if (findings.size() < kMaxFindings) {
      findings.push_back({severity, "", std::move(place), std::move(message), std::move(hint)});
    }
  }

  std::vector<Finding> findings;

 private:
  static constexpr size_t kMaxFindings = 1000;
  ByteSpan payload_;
  uint64_t base_;
  std::string file_;
  Budget& budget_;
};

}  // namespace edgetwin::espdl
