// The tables of a whole .espdl model. docs/lut.md, chapter 6; specification 5.1 and 5.3.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/result.h"
#include "formats/espdl/document/document.h"
#include "lut/table.h"

namespace edgetwin::lut {

struct ModelTable {
  std::string node;           // its name, or its first output where it has none
  std::string op_type;        // "LUT", "Swish"
  std::string original_type;  // of attribute original_op_type, else the op_type
  std::string table_name;     // of the initializer
  Tensor table;
  // Function, exponents, width and parameters; the step is what the runtime derives, and the
  // rounding is the caller's. Not meaningful without known_function.
  TableSpec spec;
  bool known_function = false;
  std::optional<int> declared_step;  // attribute int16_lut_step
  bool used = false;                 // whether the runtime takes the table
  std::string why;                   // … or computes instead, in words
};

struct ModelTables {
  std::vector<ModelTable> tables;  // in the order of the nodes
  std::vector<Finding> findings;   // nodes whose table cannot be read, or is missing
};

// Every node with an attribute `lut` that names an initializer, and every node of type LUT or Gelu.
// A node whose table is missing or malformed becomes a finding. `rounding` goes into the specs.
// Error: out_of_memory beyond 100,000 nodes with tables.
Result<ModelTables> tables_of(const espdl::Document& document, numerics::Rounding rounding);

}  // namespace edgetwin::lut
