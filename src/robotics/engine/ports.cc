#include "robotics/engine/ports.h"

namespace edgetwin::robotics {
namespace {

Error not_this_model(std::string message) {
  return Error(ErrorCode::module_model, std::move(message));
}

Result<Port> port_of(const Graph& graph, ValueId id) {
  const Value& v = graph.value(id);
  if ((v.dtype != DType::uint8 && v.dtype != DType::int8) || !v.shape.is_static()) {
    return not_this_model("'" + v.name + "' is " + std::string(name(v.dtype)) +
                          "; modules send and get bytes of a fixed number")
        .in_field(v.name);
  }
  return Port{v.name,
              v.shape,
              v.dtype,
              v.quant.scale_of(0),
              static_cast<int>(v.quant.zero_point_of(0)),
              static_cast<size_t>(v.shape.elements())};
}

}  // namespace

Result<Ports> ports_of(const Graph& graph) {
  if (graph.inputs.size() != 1 || graph.outputs.empty()) {
    return not_this_model("the model has " + std::to_string(graph.inputs.size()) + " inputs and " +
                          std::to_string(graph.outputs.size()) +
                          " outputs; one input and at least one output are needed");
  }
  Ports ports;
  EDGETWIN_TRY_ASSIGN(ports.input, port_of(graph, graph.inputs[0]));
  for (const ValueId id : graph.outputs) {
    EDGETWIN_TRY_ASSIGN(Port port, port_of(graph, id));
    ports.outputs.push_back(std::move(port));
  }
  return ports;
}

const Op* first_layer(const Graph& graph) {
  for (const Op& op : graph.ops) {
    const bool layer = op.kind == OpKind::fully_connected || op.kind == OpKind::conv_2d ||
                       op.kind == OpKind::depthwise_conv_2d;
    if (!layer || !op.has_input(1)) continue;
    const Value& v = graph.value(op.inputs[1]);
    return v.is_constant() && v.dtype == DType::int8 ? &op : nullptr;
  }
  return nullptr;
}

void flip(std::span<std::byte> data) {
  for (std::byte& b : data) b ^= std::byte{0x80};
}

Status check_run(bool is_open, const Port& input, size_t bytes) {
  if (!is_open) return Error(ErrorCode::module_closed, "the module is not open");
  if (bytes == input.bytes) return Ok{};
  return Error(ErrorCode::module_input, std::to_string(bytes) + " bytes, the model takes " +
                                            to_string(input.shape) + " = " +
                                            std::to_string(input.bytes))
      .in_field(input.name);
}

}  // namespace edgetwin::robotics
