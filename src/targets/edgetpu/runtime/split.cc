#include "targets/edgetpu/runtime/split.h"

#include <algorithm>
#include <map>
#include <set>

namespace edgetwin::edgetpu {

namespace {

constexpr std::string_view kCompiledOp = "edgetpu-custom-op";
constexpr size_t kNowhere = static_cast<size_t>(-1);

// Which part makes each value; kNowhere: the caller, or it is constant.
std::vector<size_t> makers(const Graph& graph, const std::vector<GraphPart>& parts) {
  std::vector<size_t> maker(graph.values.size(), kNowhere);
  for (size_t p = 0; p < parts.size(); ++p)
    for (size_t i = 0; i < parts[p].count; ++i)
      for (const ValueId id : graph.ops[parts[p].first + i].outputs)
        if (id != kAbsent) maker[static_cast<size_t>(id)] = p;
  return maker;
}

void add_once(std::vector<ValueId>& list, ValueId id) {
  if (std::ranges::find(list, id) == list.end()) list.push_back(id);
}

// The operators [first, first + count) with their own numbering of values.
std::shared_ptr<const Graph> cut(const Graph& graph, const GraphPart& part) {
  auto result = std::make_shared<Graph>();
  result->name = graph.name;
  std::map<ValueId, ValueId> renamed;
  const auto take = [&](ValueId id) {
    if (id == kAbsent) return kAbsent;
    const auto [at, fresh] = renamed.emplace(id, static_cast<ValueId>(result->values.size()));
    if (fresh) result->values.push_back(graph.value(id));
    return at->second;
  };
  const auto take_all = [&](const std::vector<ValueId>& from) {
    std::vector<ValueId> to;
    for (const ValueId id : from) to.push_back(take(id));
    return to;
  };
  result->inputs = take_all(part.inputs);
  for (size_t i = 0; i < part.count; ++i) {
    Op op = graph.ops[part.first + i];
    op.inputs = take_all(op.inputs);
    op.outputs = take_all(op.outputs);
    op.intermediates = take_all(op.intermediates);
    op.table = take(op.table);
    result->ops.push_back(std::move(op));
  }
  result->outputs = take_all(part.outputs);
  return result;
}

}  // namespace

bool is_compiled_op(const Op& op) {
  const auto* attrs = std::get_if<OpaqueAttrs>(&op.attrs);
  return attrs != nullptr && attrs->name == kCompiledOp;
}

std::vector<GraphPart> graph_parts(const Graph& graph) {
  std::vector<GraphPart> parts;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const bool device = is_compiled_op(graph.ops[i]);
    if (device || parts.empty() || parts.back().on_device) {
      parts.emplace_back();
      parts.back().on_device = device;
      parts.back().first = i;
    }
    ++parts.back().count;
  }
  return parts;
}

Result<std::vector<GraphPart>> split(const Graph& graph, States states) {
  std::vector<GraphPart> parts = graph_parts(graph);
  const std::vector<size_t> maker = makers(graph, parts);
  std::map<ValueId, size_t> variable_of;
  for (size_t p = 0; p < parts.size(); ++p) {
    for (size_t i = 0; i < parts[p].count; ++i) {
      for (const ValueId id : graph.ops[parts[p].first + i].inputs) {
        if (id == kAbsent || graph.value(id).is_constant()) continue;
        if (graph.value(id).is_variable) {
          const bool refused = parts[p].on_device && states == States::refused;
          if (variable_of.emplace(id, p).first->second != p || refused)
            return Error(ErrorCode::device_request,
                         "the variable '" + graph.value(id).name +
                             "' is kept between runs and belongs to the part on the device");
          continue;
        }
        const size_t from = maker[static_cast<size_t>(id)];
        if (from == p) continue;
        add_once(parts[p].inputs, id);
        if (from != kNowhere) add_once(parts[from].outputs, id);
      }
    }
  }
  for (const ValueId id : graph.outputs) {
    const size_t from = id == kAbsent ? kNowhere : maker[static_cast<size_t>(id)];
    if (from != kNowhere) add_once(parts[from].outputs, id);
  }
  for (GraphPart& part : parts) {
    if (part.on_device) {
      part.inputs = graph.ops[part.first].inputs;
      part.outputs = graph.ops[part.first].outputs;
    } else {
      part.graph = cut(graph, part);
    }
  }
  return parts;
}

std::vector<SplitLine> describe_split(const Graph& graph, const std::vector<GraphPart>& parts) {
  std::vector<SplitLine> lines;
  for (size_t p = 0; p < parts.size(); ++p) {
    const GraphPart& part = parts[p];
    SplitLine line;
    line.where = part.on_device ? "Edge TPU" : "host";
    line.what = op_label(graph, part.first);
    if (part.count > 1)
      line.what += " to " + op_label(graph, part.first + part.count - 1) + " (" +
                   std::to_string(part.count) + " operators)";
    if (!part.on_device) {
      const bool behind = p > 0;
      line.why = op_label(graph, behind ? part.first : part.first + part.count - 1) +
                 (behind ? " is what the compiler did not put on the device any more"
                         : " is what the compiler left before the device");
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace edgetwin::edgetpu
