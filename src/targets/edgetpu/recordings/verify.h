// The twin against results that were recorded on devices.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/progress.h"
#include "targets/edgetpu/recordings/cases.h"
#include "targets/edgetpu/recordings/models.h"

namespace edgetwin::edgetpu::silicon {

struct Options {
  std::filesystem::path folder;               // holds cases.json
  std::vector<std::filesystem::path> models;  // searched after it
  std::string device = "edgetpu";             // arithmetic of device results; empty: left out
  std::string processor = "tflite";           // of results of a processor; empty: left out
  int threads = 1;
  bool compiled_first = false;  // open compiled models where both forms are there
  OpenCompiled open_compiled;   // none: only models of one layer
};

enum class Outcome : unsigned char { equal, different, missing };
std::string_view name(Outcome outcome);

// One recorded result, or several of a kind that stand or fall together.
struct Check {
  std::string id;  // of the case
  CaseKind kind = CaseKind::full_output;
  std::string what;  // "device rows", "hash", "scene circle", ...
  Outcome outcome = Outcome::missing;
  std::string detail;  // what is equal or where the first difference is; why it is missing
  std::string file;    // the model that was computed
  std::string numerics;
  int64_t ties = 0;                      // exact ties on the way
  std::optional<int64_t> recorded_ties;  // as another computation counted them
  std::vector<Finding> open;             // what is not settled and was touched
};

struct Report {
  std::vector<Check> checks;
  size_t count(Outcome outcome) const;
  bool equal() const { return count(Outcome::different) == 0; }
};

// Errors: silicon_cases, file_*, numerics_unknown.
Result<Report> verify(const Options& options, const ProgressSink& progress = nullptr);

}  // namespace edgetwin::edgetpu::silicon
