#include "targets/max78/convert/join_inputs.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

// (1, C, …): all sizes but the channels agree.
bool can_join(const Graph& graph) {
  if (graph.inputs.size() < 2) return false;
  const Shape& first = graph.value(graph.inputs[0]).shape;
  return std::ranges::all_of(graph.inputs, [&](ValueId id) {
    const Value& v = graph.value(id);
    bool same = v.has_shape && v.dtype == DType::float32 && v.shape.rank() == first.rank() &&
                v.shape.rank() >= 2 && v.shape.rank() <= 4 && v.shape[0] == 1 && v.shape[1] > 0;
    for (int i = 2; same && i < first.rank(); ++i) same = v.shape[i] == first[i] && first[i] > 0;
    return same && std::ranges::find(graph.outputs, id) == graph.outputs.end();
  });
}

int64_t channels_of(const Graph& graph, ValueId id) { return graph.value(id).shape[1]; }

Value joined_value(const Graph& graph) {
  Value joined = graph.value(graph.inputs[0]);
  std::vector<int64_t> sizes(static_cast<size_t>(joined.shape.rank()));
  for (int i = 0; i < joined.shape.rank(); ++i) sizes[static_cast<size_t>(i)] = joined.shape[i];
  joined.name.clear();
  sizes[1] = 0;
  for (const ValueId id : graph.inputs) {
    joined.name += (joined.name.empty() ? "" : "+") + graph.value(id).name;
    sizes[1] += channels_of(graph, id);
  }
  joined.shape = Shape(std::span<const int64_t>(sizes));
  return joined;
}

// One Concat of all inputs along the channels.
bool joins_all(const Graph& graph, const Op& op) {
  if (op.kind != OpKind::concatenation || op.inputs != graph.inputs) return false;
  const int axis = op.as<ConcatAttrs>().axis;
  return axis == 1 || axis == 1 - graph.value(graph.inputs[0]).shape.rank();
}

Op slice_of(const Graph& graph, ValueId joined, ValueId part, int64_t first) {
  Op op;
  op.kind = OpKind::slice_steps;
  op.name = graph.value(part).name + "_part";
  op.type = "Slice";
  SliceStepsAttrs a;
  a.starts = {first};
  a.ends = {first + channels_of(graph, part)};
  a.axes = {1};
  a.steps = {1};
  op.attrs = a;
  op.inputs = {joined};
  op.outputs = {part};
  return op;
}

// The channels of all tensors, one after the other.
Result<Tensor> joined_tensor(const quantize::Sample& sample, const Value& joined, size_t inputs) {
  if (sample.size() != inputs) {
    return Error(ErrorCode::quant_calibration, "a sample has " + std::to_string(sample.size()) +
                                                   " tensors, the network " +
                                                   std::to_string(inputs) + " inputs");
  }
  Tensor all;
  all.name = joined.name;
  all.dtype = DType::float32;
  all.shape = joined.shape;
  for (const Tensor& t : sample) all.data.insert(all.data.end(), t.data.begin(), t.data.end());
  return all;
}

}  // namespace

Result<JoinedInputs> join_inputs(Graph& graph, std::vector<quantize::Sample>& samples) {
  JoinedInputs done;
  if (!can_join(graph)) return done;
  const Value joined = joined_value(graph);
  for (quantize::Sample& sample : samples) {
    EDGETWIN_TRY_ASSIGN(Tensor all, joined_tensor(sample, joined, graph.inputs.size()));
    sample.clear();
    sample.push_back(std::move(all));
  }
  const auto id = static_cast<ValueId>(graph.values.size());
  graph.values.push_back(joined);
  const std::vector<ValueId> parts = graph.inputs;
  for (Op& op : graph.ops) {
    if (joins_all(graph, op)) op.inputs = {id};
  }
  int64_t first = 0;
  std::vector<Op> slices;
  for (const ValueId part : parts) {
    const int64_t last = first + channels_of(graph, part) - 1;
    done.text += (done.text.empty() ? "channels " : ", ") + std::to_string(first) +
                 (last > first ? " to " + std::to_string(last) : "") + ": '" +
                 graph.value(part).name + "'";
    const bool used = std::ranges::any_of(graph.ops, [&](const Op& op) {
      return std::ranges::find(op.inputs, part) != op.inputs.end();
    });
    if (used) slices.push_back(slice_of(graph, id, part, first));
    first = last + 1;
  }
  graph.ops.insert(graph.ops.begin(), slices.begin(), slices.end());
  graph.inputs = {id};
  return done;
}

}  // namespace edgetwin::max78
