// What a model is and what is inside, gathered once for text, JSON and HTML.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exec/session.h"
#include "graph/graph.h"
#include "report/json.h"

namespace edgetwin::report {

struct OpRow {
  size_t index = 0;
  std::string type;   // "CONV_2D"
  std::string name;   // the operator's, or that of its first output
  bool known = true;  // false: opaque
  std::vector<ValueId> inputs, outputs;
  int64_t parameters = 0;  // elements of its constant operands, shapes and axes not counted
  int64_t parameter_bytes = 0;
  std::optional<int64_t> macs;      // where the plan knows
  std::optional<std::string> path;  // implementation, where planned; "folded" before the run
  int64_t out_bytes = 0;
};

struct ModelSummary {
  std::vector<OpRow> ops;
  std::vector<std::pair<std::string, int64_t>> counts;  // operators by type, most frequent first
  std::vector<std::string> opaque;                      // types not known by meaning
  std::vector<Shape> shapes;                            // by value, as planned where planned
  int64_t parameters = 0;
  int64_t constant_bytes = 0;  // of all constants, each buffer once
  std::optional<int64_t> macs;
  std::optional<exec::MemoryPlan> memory;
  std::vector<Finding> findings;  // the reader's and the plan's
};

// `session` is null where the model could not be planned.
ModelSummary summarize(const Model& model, const exec::Session* session);

// "1x28x28x1 int8 scale 0.0078125 zero point -128"
std::string value_text(const Graph& graph, ValueId id, const Shape& shape);

std::string model_text(const Model& model, const ModelSummary& summary, bool with_notes);
Json model_json(const Model& model, const ModelSummary& summary);

}  // namespace edgetwin::report
