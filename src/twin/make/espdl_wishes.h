// What was asked of the quantizer for ESP-DL against what it can do and did: names of layers,
// look-ups that have no effect, 16-bit activations that stay in float, tables that are audited, and
// the check of what is going to be written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lut/error_report.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::twin {

// Names of operators as keys of Settings: the operator's own name, the name of its output, or type
// and place as in "Conv_0". Error: quant_setting with names that are near.
Result<std::map<std::string, int>> layers_by_name(const std::map<std::string, int>& bits_of,
                                                  const Graph& graph);

// --lut, --lut-formula and --step must change something. Errors: usage.
Status check_lookups(const QuantizeOptions& options, const quantize::Quantized& quantized,
                     const quantize::Settings& settings);

// A warning where the runtime computes 16-bit activations in float, with the time.
std::vector<Finding> float_activations(const Graph& graph, espdl::Target target);

// Error: quant_operator with a line for each error that `check` finds in the document; other
// findings are passed over, as `check` says them.
Status require_sound(const espdl::Document& document, const quantize::Settings& settings);

struct TableAudit {
  std::string layer, table;  // "Swish 'conv1/Swish'", "LUT_lut_0"
  lut::Report report;
};
// All tables of the document that hold a known function, each against it. Errors: those of
// lut::tables_of and lut::examine; lut_parity where one does not hold its function.
Result<std::vector<TableAudit>> audit_tables(const espdl::Document& document,
                                             const quantize::Settings& settings);

}  // namespace edgetwin::twin
