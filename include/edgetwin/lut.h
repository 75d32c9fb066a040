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

#include "base/progress.h"
#include "edgetwin/compile.h"
#include "edgetwin/export.h"
#include "edgetwin/finding.h"
#include "edgetwin/result.h"
#include "lut/advise.h"
#include "lut/error_report.h"
#include "lut/table.h"

namespace edgetwin {

// A table of a model, or one that was built or stored alone.
struct ExaminedTable {
  std::string layer;                   // of a model: the node's name
  Tensor table;                        // int8 or int16
  std::string op_type, original_type;  // "LUT" and the type before the pass that made it, "Swish"
  bool used = false;                   // the runtime takes the table
  std::string why;                     // ... or what it does instead
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
                                                  const std::string& key = "",
                                                  const ProgressSink& progress = nullptr);

// What `lut sweep` writes of a table whose function is known, number k from 1: lut_K_parity.png,
// lut_K_sweep.png, lut_K_table.npy, the outputs of each rule for all inputs, and for the rule
// `header` lut_K_test.h with integers, or with `floats` in the form of ESP-DL's own tests.
// Errors: those of encode_png.
EDGETWIN_API Result<std::vector<MadeFile>> table_files(const ExaminedTable& table, size_t k,
                                                       lut::LutRule header, bool floats = false);
// All outputs of a rule as a .npy of the table's type.
EDGETWIN_API Result<Bytes> outputs_file(const lut::Report& report, const lut::RuleReport& rule);

}  // namespace edgetwin
