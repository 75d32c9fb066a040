#include "transform/block_order.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "graph/uses.h"

namespace edgetwin::transform {
namespace {

// f(x) of one operand, the same for every element.
bool treats_all_alike(OpKind kind) {
  switch (kind) {
    case OpKind::relu:
    case OpKind::leaky_relu:
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::swish:
    case OpKind::hard_swish:
    case OpKind::hard_sigmoid:
    case OpKind::elu:
    case OpKind::gelu:
    case OpKind::identity:
      return true;
    default:
      return false;
  }
}

// Source channel of every channel: CRD wants channel * block^2 + position, DCR has position *
// channels + channel.
std::vector<size_t> source_channels(size_t channels, size_t positions) {
  std::vector<size_t> from(channels * positions);
  for (size_t c = 0; c < channels; ++c) {
    for (size_t k = 0; k < positions; ++k) from[c * positions + k] = k * channels + c;
  }
  return from;
}

// A constant with its first axis in another order, as a value of its own.
ValueId reordered(Graph& graph, ValueId id, const std::vector<size_t>& from) {
  Value v = graph.value(id);
  const Bytes& old = *v.constant;
  const size_t each = old.size() / from.size();
  Bytes data(old.size());
  for (size_t i = 0; i < from.size(); ++i) {
    std::memcpy(data.data() + i * each, old.data() + from[i] * each, each);
  }
  v.constant = std::make_shared<const Bytes>(std::move(data));
  graph.values.push_back(std::move(v));
  return static_cast<ValueId>(graph.values.size() - 1);
}

// The convolution whose channels alone arrive at `value`.
std::optional<size_t> convolution_before(const Graph& graph, const Uses& uses, ValueId value) {
  for (;;) {
    const auto producer = uses.producer(value);
    if (!producer || uses.count(value) != 1 || uses.is_output(value)) return std::nullopt;
    const Op& op = graph.ops[*producer];
    if (op.kind == OpKind::conv_2d) {
      const Value& filters = graph.value(op.inputs[1]);
      const bool constant =
          filters.is_constant() && (!op.has_input(2) || graph.value(op.inputs[2]).is_constant());
      const bool groups = graph.value(op.inputs[0]).shape[1] != filters.shape[1];
      return constant && !groups ? producer : std::nullopt;
    }
    if (!treats_all_alike(op.kind) || op.inputs.size() != 1) return std::nullopt;
    value = op.inputs[0];
  }
}

// In front of operator `at`, which reads the result.
void insert_gather(Graph& graph, size_t at, const std::vector<size_t>& from) {
  const ValueId in = graph.ops[at].inputs[0];
  const std::string name =
      (graph.ops[at].name.empty() ? "DepthToSpace_" + std::to_string(at) : graph.ops[at].name) +
      "/channels";
  Value indices;
  indices.name = name + ".indices";
  indices.dtype = DType::int64;
  indices.shape = {static_cast<int64_t>(from.size())};
  Bytes data(from.size() * sizeof(int64_t));
  for (size_t i = 0; i < from.size(); ++i) {
    const auto index = static_cast<int64_t>(from[i]);
    std::memcpy(data.data() + i * sizeof index, &index, sizeof index);
  }
  indices.constant = std::make_shared<const Bytes>(std::move(data));
  Value ordered = graph.value(in);
  ordered.name = name + "_out";
  ordered.constant = nullptr;
  graph.values.push_back(std::move(indices));
  graph.values.push_back(std::move(ordered));
  const auto result = static_cast<ValueId>(graph.values.size() - 1);
  Op gather;
  gather.kind = OpKind::gather;
  gather.type = "Gather";
  gather.name = name;
  gather.attrs = GatherAttrs{.axis = 1};
  gather.inputs = {in, result - 1};
  gather.outputs = {result};
  graph.ops[at].inputs[0] = result;
  graph.ops.insert(graph.ops.begin() + static_cast<std::ptrdiff_t>(at), std::move(gather));
}

}  // namespace

std::vector<ReorderedBlock> channel_first_blocks(Graph& graph) {
  std::vector<ReorderedBlock> done;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    if (graph.ops[i].kind != OpKind::depth_to_space) continue;
    auto& attrs = *std::get_if<BlockAttrs>(&graph.ops[i].attrs);
    const int64_t channels = graph.value(graph.ops[i].outputs[0]).shape[1];
    if (attrs.order != BlockAttrs::Order::position_first || channels == attrs.block_size) continue;
    const auto positions =
        static_cast<size_t>(attrs.block_size) * static_cast<size_t>(attrs.block_size);
    const auto from = source_channels(static_cast<size_t>(channels), positions);
    attrs.order = BlockAttrs::Order::channel_first;
    ReorderedBlock r{op_label(graph, i), ""};
    const Uses uses(graph);
    if (const auto conv = convolution_before(graph, uses, graph.ops[i].inputs[0])) {
      r.layer = op_label(graph, *conv);
      Op& op = graph.ops[*conv];
      for (size_t operand = 1; operand < op.inputs.size(); ++operand) {
        if (!op.has_input(operand)) continue;
        const ValueId moved = reordered(graph, op.inputs[operand], from);
        op.inputs[operand] = moved;
      }
    } else {
      insert_gather(graph, i, from);
      ++i;
    }
    done.push_back(std::move(r));
  }
  return done;
}

}  // namespace edgetwin::transform
