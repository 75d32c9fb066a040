// The whole way of a look-up table, from a float network of one activation to the chip: made,
// quantized to 16 bits, turned into a look-up, run and swept over all 65,536 inputs, drawn, written
// as C header and as firmware. docs/lut.md, chapter 7.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "edgetwin/compile.h"
#include "lut/error_report.h"

namespace edgetwin::twin {

struct LutDemoOptions {
  std::vector<std::string> functions;  // of lut_demo_functions(); empty: all
  std::vector<std::string> targets;    // "esp32s3", "esp32p4"; empty: both
  int step = 32;
  std::string runtime = "3.3.9";
  ProgressSink progress;
};

struct LutDemoCase {
  std::string target, function;  // "esp32p4", "swish"
  lut::Report report;            // of the table in the written file, against the function
  bool interpolates = false;     // the rule of the runtime
  // Outputs of the exported network, run over all inputs, that are not those of the table's sweep.
  int64_t differing = 0;

  bool good() const { return report.good() && differing == 0; }
};

struct LutDemo {
  std::vector<LutDemoCase> cases;
  std::vector<MadeFile> files;  // FUNCTION.onnx, TARGET/FUNCTION/…, TARGET/firmware/…, mapping.json
};

const std::vector<std::string_view>& lut_demo_functions();

// Errors: usage for a function or target that is not there, lut_step, those of quantizing and
// writing.
Result<LutDemo> lut_demo(const LutDemoOptions& options);

}  // namespace edgetwin::twin
