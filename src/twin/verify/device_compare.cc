#include "twin/verify/device_compare.h"

#include <algorithm>

namespace edgetwin::twin {
namespace {

const darwinn::Layer* output_layer(const darwinn::File& file, const std::string& name) {
  for (const darwinn::CompiledOp& op : file.ops)
    for (const darwinn::Package& package : op.packages)
      if (const darwinn::Executable* e = package.inference(); e != nullptr)
        for (const darwinn::Layer& layer : e->outputs)
          if (layer.name == name) return &layer;
  return nullptr;
}

std::string chip_place(const darwinn::Layer& layer, int64_t index) {
  const int64_t z = std::max(layer.z_dim, 1), x = std::max(layer.x_dim, 1);
  const int64_t row = index / (z * x) % std::max(layer.y_dim, 1), column = index / z % x;
  std::string text;
  const auto at = [](const std::vector<int32_t>& table, int64_t i) {
    return i < static_cast<int64_t>(table.size()) ? table[static_cast<size_t>(i)] : 0;
  };
  if (layer.layout && layer.y_dim * layer.x_dim > 1)
    text = "tile " +
           std::to_string(at(layer.layout->y_tile, row) + at(layer.layout->x_tile, column)) + ", ";
  return text + "y " + std::to_string(row) + ", x " + std::to_string(column) + ", channel " +
         std::to_string(index % z);
}

// The twin's inputs, by name, else by place.
Status give_inputs(exec::Session& twin, const std::vector<Tensor>& inputs) {
  const Graph& graph = twin.graph();
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const auto named = std::ranges::find(inputs, graph.value(graph.inputs[i]).name, &Tensor::name);
    const size_t from = named != inputs.end() ? static_cast<size_t>(named - inputs.begin()) : i;
    if (from >= inputs.size())
      return Error(ErrorCode::input_missing, "the reference has an input '" +
                                                 graph.value(graph.inputs[i]).name +
                                                 "' that the compiled model does not have");
    EDGETWIN_TRY(twin.set_input(i, inputs[from].data));
  }
  return Ok{};
}

DeviceTensor beside_twin(const exec::Session& twin, const darwinn::File& file,
                         const Tensor& device) {
  DeviceTensor t;
  t.name = device.name;
  const std::vector<Value>& values = twin.graph().values;
  const auto value = std::ranges::find(values, device.name, &Value::name);
  if (value == values.end()) return t;
  t.compared = true;
  t.diff = verify::compare(twin.tensor(static_cast<ValueId>(value - values.begin())), device);
  if (t.diff.equal() || !t.diff.problem.empty()) return t;
  const darwinn::Layer* layer = output_layer(file, device.name);
  if (layer != nullptr) t.place = chip_place(*layer, t.diff.first_index);
  return t;
}

}  // namespace

Result<DeviceComparison> compare_with_twin(DeviceRun& run, ComputeOptions compute) {
  std::vector<edgetpu::DeviceOutput> sent;
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> outputs, run.run(&sent));
  if (compute.numerics.empty()) compute.numerics = "edgetpu";
  EDGETWIN_TRY_ASSIGN(exec::Session twin, plan(*run.reference, compute, true));
  EDGETWIN_TRY(give_inputs(twin, run.inputs.tensors));
  twin.reset_variables();
  EDGETWIN_TRY(twin.run());
  DeviceComparison c;
  c.numerics = compute.numerics;
  const auto add = [&](const Tensor& tensor, bool of_chip) {
    c.tensors.push_back(beside_twin(twin, *run.file, tensor));
    c.tensors.back().of_chip = of_chip;
    c.compared += c.tensors.back().compared ? 1 : 0;
    c.different += c.tensors.back().compared && !c.tensors.back().diff.equal() ? 1 : 0;
  };
  for (const edgetpu::DeviceOutput& s : sent) add(s.tensor, true);
  for (const Tensor& t : outputs) {
    const bool same = std::ranges::any_of(
        sent, [&](const edgetpu::DeviceOutput& s) { return s.tensor.name == t.name; });
    if (!same) add(t, false);
  }
  return c;
}

}  // namespace edgetwin::twin
