// What boards of the MAX78000 printed, computed again: by the machine from the register program of
// their firmware, by the twin from the description, and the percentages of the sums.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"

namespace edgetwin::max78 {

struct SiliconCase {
  std::string name;
  size_t sums = 0;  // that the board printed
  // Of the sums; empty: there was nothing to compute from.
  std::optional<size_t> machine, network, percent;
  std::string first;  // the first difference
  int64_t printed_us = 0;
  bool with_loading = false;  // the printed time includes it
  std::optional<double> estimated_us;
  bool equal() const;
};

struct SiliconReport {
  std::vector<SiliconCase> cases;
  size_t sums() const;
  bool equal() const;
};

// Whether a cases.json is of these recordings.
bool is_max78_recordings(const std::string& folder);
// Errors: file_*, bad_value where cases.json is not one, those of reading the files it names.
Result<SiliconReport> verify_silicon(const std::string& folder, const ProgressSink& progress);

// The confidence of each sum in tenths of a percent, as the vendor's integer softmax has it.
std::vector<int> percent_tenths(const std::vector<int32_t>& sums);

}  // namespace edgetwin::max78
