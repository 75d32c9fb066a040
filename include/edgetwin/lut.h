// Look-up tables of ESP-DL: built as its exporter does, held against their function over all
// inputs, and the smallest that is good enough. docs/lut.md.
//
//   lut::TableSpec spec;
//   spec.function = lut::Function::swish; spec.in_exponent = -12; spec.out_exponent = -12;
//   spec.step = 32; const auto table = lut::build(spec);            // edgetwin::Tensor of int16
//   const auto report = lut::examine(spec, *table); // errors under both rules of the runtime
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/finding.h"
#include "edgetwin/result.h"
#include "lut/advise.h"
#include "lut/error_report.h"
#include "lut/table.h"

namespace edgetwin {

struct ExaminedTable {
  std::string layer;    // of the model: the node's name
  std::string op_type;  // "LUT", "Swish"
  bool used = false;    // the runtime takes the table
  std::string why;      // ... or what it does instead
  bool known_function = false;
  lut::Report report;  // only of a known function
};
struct ExaminedModel {
  std::vector<ExaminedTable> tables;
  std::vector<Finding> findings;  // nodes whose table is missing or cannot be read
};
// Every table of an .espdl file against its function. `target` is needed where the file does not
// say its chip: they round entries differently. Errors: file_*, espdl_*, usage, lut_*.
EDGETWIN_API Result<ExaminedModel> examine_tables(const std::string& model,
                                                  const std::string& target = "",
                                                  const std::string& key = "");

}  // namespace edgetwin
