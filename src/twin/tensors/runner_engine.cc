// Any runner behind a table of tensors: compiled models in the machine or on a device, networks of
// the MAX7800x.
#include <algorithm>

#include "twin/tensors/engine.h"
#include "twin/tensors/rules.h"

namespace edgetwin::twin {
namespace {

TensorRow row_of(const Tensor& t) {
  TensorRow row;
  row.name = t.name;
  row.dtype = t.dtype;
  row.shape = row.signature = t.shape;
  row.quant = t.quant;
  row.readable = true;
  row.bytes = static_cast<uint64_t>(t.shape.elements()) * unpacked_size(t.dtype);
  return row;
}

TensorRow row_of(const Port& p, bool input) {
  TensorRow row = row_of(Tensor{p.name, p.dtype, p.shape, p.quant, {}});
  (input ? row.input : row.output) = true;
  return row;
}

class RunnerEngine : public Engine {
 public:
  RunnerEngine(std::shared_ptr<Runner> runner, const Graph* graph, TensorTable& table)
      : runner_(std::move(runner)) {
    if (graph != nullptr) return;
    for (const Port& p : runner_->inputs()) table.inputs.push_back(table.add(row_of(p, true)));
    for (const Port& p : runner_->outputs()) table.outputs.push_back(table.add(row_of(p, false)));
  }

  bool resizable() const override { return false; }
  std::string description() const override { return runner_->description(); }
  std::vector<Finding> findings() const override {
    return {runner_->findings().begin(), runner_->findings().end()};
  }

  Status allocate(TensorTable& table) override {
    for (const std::vector<int32_t>* list : {&table.inputs, &table.outputs}) {
      for (const int32_t i : *list) {
        table.at(i).readable = true;
        if (!table.buffer(i).present()) table.buffer(i).resize(table.at(i).bytes);
      }
    }
    return Ok{};
  }

  Status run(TensorTable& table, const std::atomic<bool>& stop, Run& run) override {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < table.inputs.size(); ++i) {
      const TensorRow& row = table.at(table.inputs[i]);
      inputs.push_back({row.name, row.dtype, row.shape, row.quant,
                        to_bytes(ByteSpan(table.buffer(table.inputs[i]).bytes()))});
    }
    EDGETWIN_TRY_ASSIGN(run, runner_->run(inputs));
    if (stop) return error_of(TensorRule::cancelled, "the run was cancelled on its way");
    // Networks whose outputs are not known before the first run get their rows now.
    for (size_t i = table.outputs.size(); i < run.outputs.size(); ++i) {
      TensorRow row = row_of(run.outputs[i]);
      row.output = true;
      table.outputs.push_back(table.add(std::move(row)));
    }
    for (size_t i = 0; i < run.outputs.size(); ++i) {
      store_output(table, table.outputs[i], run.outputs[i]);
    }
    for (const LayerResult& l : run.layers) store_layer(table, l.tensor);
    return Ok{};
  }

  Status reset_variables() override { return runner_->reset(); }

 private:
  // Outputs whose size the file leaves open (those of PoseNet's decoder) have it after a run.
  static void store_output(TensorTable& table, int32_t i, const Tensor& t) {
    TensorRow& row = table.at(i);
    const uint64_t bytes = static_cast<uint64_t>(t.shape.elements()) * unpacked_size(row.dtype);
    if (row.bytes != bytes) {
      row.shape = t.shape;
      row.has_shape = true;
      row.bytes = bytes;
      table.buffer(i).resize(bytes);
    }
    table.store(i, t.data);
  }
  static void store_layer(TensorTable& table, const Tensor& t) {
    const auto same = std::find_if(table.rows.begin(), table.rows.end(), [&](const TensorRow& r) {
      return r.name == t.name && r.dtype == t.dtype && r.shape == t.shape && !r.input &&
             !r.constant;
    });
    int32_t at = static_cast<int32_t>(same - table.rows.begin());
    if (same == table.rows.end()) at = table.add(row_of(t));
    table.at(at).readable = true;
    table.store(at, t.data);
  }

  std::shared_ptr<Runner> runner_;
};

}  // namespace

std::unique_ptr<Engine> runner_engine(std::shared_ptr<Runner> runner, const Graph* graph,
                                      TensorTable& table) {
  return std::make_unique<RunnerEngine>(std::move(runner), graph, table);
}

}  // namespace edgetwin::twin
