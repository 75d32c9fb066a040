// Results that were recorded on devices: a folder with cases.json and the files it names.
// docs/edgetpu-silicon.md describes the kinds.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "tensor/quant.h"

namespace edgetwin::edgetpu::silicon {

enum class CaseKind : unsigned char {
#define SILICON_KIND(kind, meaning) kind,
#include "targets/edgetpu/recordings/kinds.def"
#undef SILICON_KIND
};
std::string_view name(CaseKind kind);
std::optional<CaseKind> kind_by_name(std::string_view name);

struct FullOutput {
  std::string input, output;  // files of the folder
};

struct OutputHash {
  std::string device_hash;             // "0x…"
  std::string first16;                 // hexadecimal, perhaps empty
  std::string expected;                // a rule for the output, perhaps empty
  int64_t elements = 0;                // 0: not said
  std::optional<Quant> input, output;  // zero points unsigned
};

struct DecodedRows {
  std::string image, device_rows, cpu_rows;
  int height = 0, width = 0;
  std::string input_sha256;       // empty: not recorded
  std::optional<Quant> heatmaps;  // where the recording's differs from the model's
  bool last_place = false;        // device rows may differ in the last place of single precision
  std::array<std::string, 3> device_heads, cpu_heads;  // hashes of dense uint8 outputs, or empty
};

// One input with what was printed of its output.
struct Printed {
  std::string label;
  std::string rule;  // how the input is made
  std::string input_sha256;
  std::vector<double> printed;
  std::vector<int> bytes;
  std::array<int, 2> centre = {};  // of rows
};

struct PrintedOutputs {
  std::vector<Printed> rows;
  bool positions = false;  // printed are x, y and the error of a position; else scaled bytes
  std::string rule;        // of the input, for all rows
  std::string output;      // how printed numbers follow from bytes
  int zero_point = 0;
};

struct PrintedStatistics {
  std::string rule, reversal;
  double r_squared = 0, mean = 0, deviation = 0, largest = 0, reversal_correlation = 0;
};

struct Score {
  std::string image, input_sha256, value;
};

struct Case {
  std::string id, model, model_sha256;
  std::optional<int64_t> ties;  // exact ties counted by whoever computed the case before
  std::variant<FullOutput, OutputHash, DecodedRows, PrintedOutputs, PrintedStatistics, Score> what;

  CaseKind kind() const { return static_cast<CaseKind>(what.index()); }
};

// `text` is a cases.json; `file` is used in errors only. Error: silicon_cases.
Result<std::vector<Case>> read_cases(std::string_view text, const std::string& file);

// A row of a table of key points.
struct KeypointRow {
  int pose = 0, keypoint = 0;
  std::optional<std::string> pose_score;  // newer tables have it
  std::string score, x, y;                // as printed
};

// Error: silicon_cases.
Result<std::vector<KeypointRow>> read_rows(std::string_view text, const std::string& file);

}  // namespace edgetwin::edgetpu::silicon
