#include "twin/make/espdl_wishes.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/text.h"
#include "lut/of_model.h"
#include "quantize/espdl/search.h"
#include "targets/espdl/check/check.h"

namespace edgetwin::twin {
namespace {

// Of `types` and names that the network has, the nearest to a word.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& k : known) {
    const size_t d = edit_distance(word, k);
    if (d >= least) continue;
    least = d;
    best = &k;
  }
  return best == nullptr ? "" : *best;
}

bool is_called(const Graph& graph, size_t index, const std::string& word) {
  const Op& op = graph.ops[index];
  if (!op.outputs.empty() && graph.value(op.outputs[0]).name == word) return true;
  return op.type + "_" + std::to_string(index) == word;
}

Error no_layer(const std::string& word, const Graph& graph) {
  std::vector<std::string> names;
  for (const Op& op : graph.ops) {
    if (!op.name.empty()) names.push_back(op.name);
  }
  const std::string near = nearest(word, names);
  Error error(ErrorCode::quant_setting, "the network has no operator '" + word + "'");
  error.hint = (near.empty() ? "" : "Did you mean '" + near + "'? ") +
               std::string("`info` lists the operators with their names.");
  return error;
}

std::set<std::string> types_of(const Graph& graph) {
  std::set<std::string> types;
  for (const Op& op : graph.ops) types.insert(op.type);
  return types;
}

// Why a look-up that was asked for is nowhere in the network.
Error without_effect(const std::string& option, const std::string& word,
                     const quantize::Quantized& q, const quantize::Settings& settings) {
  const Graph& graph = q.reference;
  std::set<std::string> known = types_of(graph);
  for (const Op& op : graph.ops) known.insert(op.name);
  known.erase("");
  Error error(ErrorCode::usage, option + " " + word + " changes nothing: ");
  if (!known.contains(word)) {
    error.message += "the network has no " + word;
    const std::string near = nearest(word, {known.begin(), known.end()});
    if (!near.empty()) error.hint = "Did you mean " + near + "?";
    return error;
  }
  error.message += settings.target == espdl::Target::c
                       ? "look-ups of 16 bits are for chips with a vector unit"
                       : "it has 8 bits here, and 8-bit activations are look-ups anyway";
  error.hint = "Add --bits 16, --layer-bits NAME=16 or --search, or leave " + option + " out.";
  return error;
}

bool is_lookup(const quantize::Quantized& q, const std::string& word) {
  for (const auto& [value, origin] : q.tables) {
    if (origin.type == word) return true;
  }
  // By the name of the operator.
  return std::any_of(q.graph.ops.begin(), q.graph.ops.end(),
                     [&](const Op& op) { return op.kind == OpKind::lut && op.name == word; });
}

bool has_wide_table(const Graph& graph) {
  return std::any_of(graph.ops.begin(), graph.ops.end(), [&](const Op& op) {
    return op.table != kAbsent && graph.value(op.table).dtype == DType::int16;
  });
}

// Milliseconds for an element of INT16: fitted to the vendor's published tables of layers with the
// runtime 3.3.9: 37.5 cycles at 240 MHz, 68.8 at 400 MHz. Up to 660 ms were published for one Swish
// of YOLO26n on the ESP32-P4.
double milliseconds_of(espdl::Target target, int64_t elements) {
  const double cycles = target == espdl::Target::esp32p4 ? 68.8 : 37.5;
  const double cycles_per_ms = target == espdl::Target::esp32p4 ? 400e3 : 240e3;
  return cycles * static_cast<double>(elements) / cycles_per_ms;
}

std::string milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, ms < 10.0 ? "%.2f ms" : "%.0f ms", ms);
  return text;
}

}  // namespace

Result<std::map<std::string, int>> layers_by_name(const std::map<std::string, int>& bits_of,
                                                  const Graph& graph) {
  std::map<std::string, int> result;
  for (const auto& [word, bits] : bits_of) {
    const bool own = std::any_of(graph.ops.begin(), graph.ops.end(),
                                 [w = &word](const Op& op) { return op.name == *w; });
    size_t at = 0;
    while (!own && at < graph.ops.size() && !is_called(graph, at, word)) ++at;
    if (!own && (at == graph.ops.size() || graph.ops[at].name.empty())) {
      return no_layer(word, graph);
    }
    result[own ? word : graph.ops[at].name] = bits;
  }
  return result;
}

Status check_lookups(const QuantizeOptions& o, const quantize::Quantized& q,
                     const quantize::Settings& settings) {
  // A search decides by itself what becomes wide.
  if (!o.search) {
    for (const std::string& word : o.lut) {
      if (!is_lookup(q, word)) return without_effect("--lut", word, q, settings);
    }
  }
  for (const auto& [word, formula] : settings.lut.formulas) {
    if (!is_lookup(q, word)) return without_effect("--lut-formula", word, q, settings);
  }
  if (o.lut_step && !o.search && !has_wide_table(q.graph)) {
    return Error(ErrorCode::usage, "--step " + std::to_string(*o.lut_step) +
                                       " changes nothing: the network has no table of 16 bits")
        .with_hint("Leave it out, or add --bits 16.");
  }
  return Ok{};
}

std::vector<Finding> float_activations(const Graph& graph, espdl::Target target) {
  std::vector<Finding> findings;
  if (target == espdl::Target::c) return findings;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    if (!quantize::is_curve(op.kind) || graph.value(op.outputs[0]).dtype != DType::int16) continue;
    const int64_t elements = graph.value(op.outputs[0]).shape.elements();
    findings.push_back(
        {Severity::warning, "", op_label(graph, i),
         "the runtime computes " + op.type + " of 16 bits in float: " + std::to_string(elements) +
             " elements take some " + milliseconds(milliseconds_of(target, elements)) + " on " +
             std::string(espdl::name(target)),
         "--lut " + op.type + " makes it a look-up."});
  }
  return findings;
}

Status require_sound(const espdl::Document& document, const quantize::Settings& settings) {
  targets::espdl::CheckOptions how;
  how.runtime = settings.runtime;
  Error refused(ErrorCode::quant_operator, "");
  for (const Finding& f : targets::espdl::check(document, settings.target, how)) {
    if (f.severity != Severity::error) continue;
    refused.details.push_back(f.id + " " + to_text(f.place) + ": " + f.message);
  }
  if (refused.details.empty()) return Ok{};
  const size_t n = refused.details.size();
  refused.message = std::to_string(n) + (n == 1 ? " error" : " errors") +
                    " in the network as it was quantized for " +
                    std::string(espdl::name(settings.target)) + "; nothing is written";
  return refused;
}

Result<std::vector<TableAudit>> audit_tables(const espdl::Document& document,
                                             const quantize::Settings& settings) {
  std::vector<TableAudit> audits;
  EDGETWIN_TRY_ASSIGN(const lut::ModelTables tables,
                      lut::tables_of(document, quantize::rounding_of(settings.target)));
  for (const lut::ModelTable& t : tables.tables) {
    if (!t.known_function) continue;
    EDGETWIN_TRY_ASSIGN(lut::Report report, lut::examine(t.spec, t.table, t.declared_step));
    if (!report.good()) {
      return Error(ErrorCode::lut_parity, std::to_string(report.parity.differing) +
                                              " entries of the table '" + t.table_name +
                                              "' are not those of " + to_string(t.spec))
          .in_layer(t.node);
    }
    audits.push_back({t.original_type + " '" + t.node + "'", t.table_name, std::move(report)});
  }
  return audits;
}

}  // namespace edgetwin::twin
