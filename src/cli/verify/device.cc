// A device beside the twin: what the compiled operators gave, tensor by tensor.
#include <algorithm>

#include "base/file.h"
#include "cli/networks/device_findings.h"
#include "cli/verify/kinds.h"
#include "twin/decompiled.h"
#include "verify/compare.h"

namespace edgetwin::cli {
namespace {

using report::Json;

const darwinn::Layer* output_layer(const darwinn::File& file, const std::string& name) {
  for (const darwinn::CompiledOp& op : file.ops)
    for (const darwinn::Package& package : op.packages)
      if (const darwinn::Executable* e = package.inference(); e != nullptr)
        for (const darwinn::Layer& layer : e->outputs)
          if (layer.name == name) return &layer;
  return nullptr;
}

// "tile 5, y 3, x 2, channel 7": where the chip computed an element.
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

class DeviceComparison {
 public:
  DeviceComparison(twin::DeviceRun& run, const exec::Session& twin, VerifyReport& results)
      : run_(run), twin_(twin), results_(results) {}

  void add(const Tensor& device, const std::string& what) {
    Json j = Json::object();
    j.set("tensor", device.name).set("of", what);
    const auto id = find(device.name);
    if (!id) {
      results_.row(false, "no twin", what + " '" + device.name + "'",
                   "the reference has no such tensor");
      rows_.push(std::move(j.set("equal", Json())));
      return;
    }
    ++compared_;
    const verify::TensorDiff d = verify::compare(twin_.tensor(*id), device);
    j.set("equal", d.equal()).set("elements", d.elements).set("different", d.different);
    j.set("largest", d.largest);
    std::string line = std::to_string(d.elements) + " elements";
    if (!d.problem.empty()) line += "  " + d.problem;
    if (!d.equal() && d.problem.empty()) {
      ++different_;
      line += ", " + std::to_string(d.different) + " differ by up to " +
              std::to_string(static_cast<int64_t>(d.largest)) + ", first at " + d.first_position;
      const darwinn::Layer* layer = output_layer(*run_.file, device.name);
      if (layer != nullptr) {
        line += " (" + chip_place(*layer, d.first_index) + ")";
        j.set("chip", chip_place(*layer, d.first_index));
      }
      line += ": twin " + std::to_string(static_cast<int64_t>(d.first_a)) + ", device " +
              std::to_string(static_cast<int64_t>(d.first_b));
      j.set("first", d.first_position).set("twin", d.first_a).set("device", d.first_b);
    } else if (!d.problem.empty()) {
      ++different_;
    }
    results_.compared(d.equal(), what + " '" + device.name + "'", line);
    rows_.push(std::move(j));
  }

  bool finish() {
    Console& console = results_.console();
    console.json().set("tensors", std::move(rows_)).set("compared", compared_);
    console.json().set("different", different_);
    if (compared_ == 0) console.print("nothing could be compared\n");
    return different_ == 0 && compared_ > 0;
  }

 private:
  std::optional<ValueId> find(const std::string& name) const {
    const Graph& graph = twin_.graph();
    for (size_t v = 0; v < graph.values.size(); ++v)
      if (graph.values[v].name == name) return static_cast<ValueId>(v);
    return std::nullopt;
  }

  twin::DeviceRun& run_;
  const exec::Session& twin_;
  VerifyReport& results_;
  size_t compared_ = 0, different_ = 0;
  Json rows_ = Json::array();
};

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

}  // namespace

Result<bool> verify_on_device(const VerifyArguments& a, VerifyReport& results) {
  Console& console = results.console();
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(twin::DeviceRun run,
                      twin::open_device_run(data, a.model, a.inputs, a.compute, a.device));
  if (run.reference == nullptr) {
    EDGETWIN_TRY_ASSIGN(run.reference,
                        twin::load_reference_or_decompile(data, a.model, a.device.reference));
  }
  if (run.reference == nullptr)
    return Error(ErrorCode::usage, "the model that was compiled is needed to compare with")
        .with_hint("Name it with --reference.");
  std::vector<edgetpu::DeviceOutput> recorded;
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> outputs, run.run(&recorded));
  ComputeArguments compute = a.compute;
  if (compute.numerics.empty()) compute.numerics = "edgetpu";
  EDGETWIN_TRY_ASSIGN(exec::Session twin, twin::plan(*run.reference, compute, true));
  EDGETWIN_TRY(give_inputs(twin, run.inputs.tensors));
  twin.reset_variables();
  EDGETWIN_TRY(twin.run());
  show_device_findings(run, console);
  console.print("device     " + twin::device_text(run) + "\n");
  results.asked("model", a.model);
  results.asked("device", twin::device_text(run));
  results.asked("arithmetic", compute.numerics);
  results.inputs();
  console.json().set("model", a.model).set("device", run.bus.transport->name());
  console.json().set("numerics", compute.numerics);
  DeviceComparison comparison(run, twin, results);
  for (const edgetpu::DeviceOutput& r : recorded) comparison.add(r.tensor, "device output");
  for (const Tensor& t : outputs) {
    const bool same = std::ranges::any_of(
        recorded, [&](const edgetpu::DeviceOutput& r) { return r.tensor.name == t.name; });
    if (!same) comparison.add(t, "model output");
  }
  return comparison.finish();
}

}  // namespace edgetwin::cli
