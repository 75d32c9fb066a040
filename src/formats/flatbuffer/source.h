// One FlatBuffer of a file, as the readers of the formats share it: its bytes, where it is in the
// file, how much may be taken of it, and what is odd in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/finding.h"
#include "base/result.h"
#include "formats/flatbuffer/budget.h"

namespace edgetwin::flatbuffer {

inline constexpr size_t kAlignment = 8;  // of the largest numbers

class Source {
 public:
  // `data` begins at `base` in the file. Numbers are read where they are: `data` must be aligned in
  // memory as its numbers are from its start. File, budget and findings belong to the caller.
  Source(ByteSpan data, uint64_t base, const std::string& file, Budget& budget,
         std::vector<Finding>& findings)
      : data_(data), base_(base), file_(&file), budget_(&budget), findings_(&findings) {}
  // A FlatBuffer inside of another one, which must outlive it: from a copy of its own where it is
  // not aligned there. Error: out_of_memory, in the field `what`, as if it were always copied.
  static Result<Source> aligned(ByteSpan data, uint64_t base, const std::string& file,
                                Budget& budget, std::vector<Finding>& findings,
                                const std::string& what);
  Source(Source&&) = default;
  Source& operator=(Source&&) = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  ByteSpan data() const { return data_; }
  uint64_t base() const { return base_; }
  const std::string& file() const { return *file_; }
  Budget& budget() const { return *budget_; }
  std::vector<Finding>& findings() const { return *findings_; }

  // `at` points into the data: bytes from its start, and from the start of the file.
  uint64_t offset_of(const void* at) const {
    return static_cast<uint64_t>(static_cast<const std::byte*>(at) - data_.data());
  }
  uint64_t place_of(const void* at) const { return base_ + offset_of(at); }

  // `at` points into the data and becomes the offset in the file; null: there is no single place.
  Error error(ErrorCode code, std::string message, const void* at, std::string field) const;

  // Accounts for bytes that are about to be taken. Error: out_of_memory.
  Status charge(uint64_t bytes, const void* at, std::string_view field) const;

  // Notes something odd; a thousand at most.
  void find(Severity severity, std::string place, std::string message, std::string hint = {}) const;

 private:
  ByteSpan data_;
  Bytes own_;  // of a copy
  uint64_t base_;
  const std::string* file_;
  Budget* budget_;
  std::vector<Finding>* findings_;
};

}  // namespace edgetwin::flatbuffer
