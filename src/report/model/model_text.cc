#include <algorithm>
#include <cstdint>

#include "base/shown.h"
#include "report/folded.h"
#include "report/format.h"
#include "report/model/attributes.h"
#include "report/model/model_info.h"

namespace edgetwin::report {
namespace {

// A table that is not folded: a line for each row.
constexpr size_t kWhole = SIZE_MAX;

using Align = TextTable::Align;

constexpr size_t kBelow = 8;  // blanks before what stands below an operator

std::vector<std::string> shapes_of(const ModelSummary& s, const Graph& graph,
                                   const std::vector<ValueId>& ids) {
  std::vector<std::string> shapes;
  for (const ValueId id : ids) {
    if (id == kAbsent || graph.value(id).is_constant()) continue;
    shapes.push_back(to_string(s.shapes[static_cast<size_t>(id)]));
  }
  return shapes;
}

std::string shape_list(const ModelSummary& s, const Graph& graph, const std::vector<ValueId>& ids) {
  std::string text;
  for (const std::string& shape : shapes_of(s, graph, ids)) {
    text += (text.empty() ? "" : " ") + shape;
  }
  return text.empty() ? "-" : text;
}

std::string bindings_text(const Graph& graph, const std::vector<ValueId>& ids, const char* title,
                          const ModelSummary& s) {
  std::string text;
  for (size_t i = 0; i < ids.size(); ++i) {
    text += std::string(title) + " " + std::to_string(i) + "  '" + graph.value(ids[i]).name +
            "'  " + value_text(graph, ids[i], s.shapes[static_cast<size_t>(ids[i])]) + "\n";
  }
  return text;
}

// Where a line does not hold it all: name and options under each operator, its inputs and outputs
// one below the other.
std::string tall_ops_text(const Graph& graph, const ModelSummary& s) {
  TextTable table({{"#", Align::right},
                   {"operator"},
                   {"in"},
                   {"out"},
                   {"parameters", Align::right},
                   {"MACs", Align::right}});
  std::vector<std::string> below;  // of each line of the table
  for (const OpRow& row : s.ops) {
    const std::vector<std::string> in = shapes_of(s, graph, row.inputs);
    const std::vector<std::string> out = shapes_of(s, graph, row.outputs);
    const size_t lines = std::max<size_t>({in.size(), out.size(), 1});
    for (size_t k = 0; k < lines; ++k) {
      const bool first = k == 0;
      const auto shape = [k, first](const std::vector<std::string>& all) {
        return k < all.size() ? all[k] : std::string(first ? "-" : "");
      };
      const auto of_first = [first](std::string text) { return first ? text : std::string(); };
      table.add({of_first(std::to_string(row.index)), of_first(row.type), shape(in), shape(out),
                 of_first(row.parameters ? count_text(row.parameters) : "-"),
                 of_first(row.macs.value_or(0) ? count_text(*row.macs) : "-")});
      below.emplace_back();
    }
    const std::string options = attributes_text(graph, graph.ops[row.index]);
    std::string line = shown_text(shortened(row.name, 60), LineEnds::escape);
    if (!options.empty()) line += (line.empty() ? "" : ": ") + options;
    if (!line.empty()) below.back() += folded(std::string(kBelow, ' ') + line, kBelow + 2);
  }
  std::string_view rest;
  const std::string all = table.text(2, kWhole);
  rest = all;
  std::string text;
  for (size_t line = 0; !rest.empty(); ++line) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    text += rest.substr(0, end);
    if (line > 0 && line <= below.size()) text += below[line - 1];
    rest.remove_prefix(end);
  }
  return text;
}

std::string ops_text(const Graph& graph, const ModelSummary& s) {
  TextTable table({{"#", Align::right},
                   {"operator"},
                   {"in"},
                   {"out"},
                   {"options"},
                   {"parameters", Align::right},
                   {"MACs", Align::right},
                   {"name"}});
  for (const OpRow& row : s.ops) {
    table.add({std::to_string(row.index), row.type, shape_list(s, graph, row.inputs),
               shape_list(s, graph, row.outputs), attributes_text(graph, graph.ops[row.index]),
               row.parameters ? count_text(row.parameters) : "-",
               row.macs.value_or(0) ? count_text(*row.macs) : "-", shortened(row.name, 60)});
  }
  std::string text = table.text(2, kWhole);
  return longest_line(text) <= kTerminalWidth ? text : tall_ops_text(graph, s);
}

std::string counts_text(const ModelSummary& s) {
  std::string text;
  for (const auto& [type, count] : s.counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + type;
  }
  return text;
}

std::string totals_text(const Model& model, const ModelSummary& s) {
  const Graph& graph = model.main();
  constexpr size_t kIndent = 12;
  std::string text = folded("operators   " + std::to_string(graph.ops.size()) +
                                (graph.ops.empty() ? "" : ": " + counts_text(s)),
                            kIndent);
  for (const std::string& type : s.opaque) text += "not known   " + type + "\n";
  text += "parameters  " + count_text(s.parameters) + " in " + bytes_text(s.constant_bytes) + "\n";
  if (s.macs) text += "MACs        " + count_text(*s.macs) + "\n";
  if (s.memory) {
    text += folded("activations " + bytes_text(s.memory->arena_bytes) + " planned, " +
                       bytes_text(s.memory->unplanned_bytes) + " without sharing, no plan below " +
                       bytes_text(s.memory->peak_lower_bound),
                   kIndent);
  }
  return text;
}

std::string extras_text(const Model& model) {
  std::string text;
  for (size_t i = 1; i < model.graphs.size(); ++i) {
    text += "subgraph " + std::to_string(i) + "  '" + model.graphs[i].name + "'  " +
            std::to_string(model.graphs[i].ops.size()) + " operators\n";
  }
  for (const Signature& s : model.signatures) {
    text += "signature   '" + s.key + "'";
    for (const auto& b : s.inputs) text += " in " + b.name;
    for (const auto& b : s.outputs) text += " out " + b.name;
    text += "\n";
  }
  for (const NamedBytes& m : model.metadata) {
    text +=
        "metadata    '" + m.name + "'  " + bytes_text(static_cast<int64_t>(m.data.size())) + "\n";
  }
  return text;
}

std::string findings_text(const ModelSummary& s, bool with_notes) {
  std::string text;
  for (const Finding& f : s.findings) {
    if (f.severity == Severity::note && !with_notes) continue;
    text += to_text(f);
  }
  return text;
}

}  // namespace

std::string model_text(const Model& model, const ModelSummary& summary, bool with_notes) {
  const Graph& graph = model.main();
  std::string text = model.description.empty() ? "" : "description '" + model.description + "'\n";
  text += bindings_text(graph, graph.inputs, "input ", summary);
  text += bindings_text(graph, graph.outputs, "output", summary);
  text += totals_text(model, summary) + extras_text(model);
  if (!graph.ops.empty()) text += "\n" + ops_text(graph, summary);
  const std::string findings = findings_text(summary, with_notes);
  return findings.empty() ? text : text + "\n" + findings;
}

}  // namespace edgetwin::report
