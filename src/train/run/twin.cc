#include "train/run/twin.h"

#include "targets/max78/pipeline/load.h"
#include "targets/max78/quantize/quantize.h"
#include "targets/max78/simulate/simulate.h"
#include "train/checkpoint/write.h"
#include "train/layers/weights.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

max78::Loading load_for_chip(const RunSettings& settings, const Setup& setup, Bytes checkpoint) {
  max78::NetworkSources sources;
  sources.device = settings.device;
  sources.description = max78::Source::bytes(settings.description.string(),
                                             to_bytes(as_byte_span(setup.description)));
  sources.checkpoint = max78::Source::bytes("the checkpoint of this run", std::move(checkpoint));
  const MapShape& in = setup.model.network.input;
  sources.shape = max78::SampleShape{in.c, in.size.h, in.size.w};
  return max78::load_network(sources, max78::SampleNeed::size_only);
}

// Why a network cannot be loaded, as one error.
Error refusal_of(const max78::Loading& loading, const Setup& setup) {
  Error error = broken(Rule::rules, "the network breaks rules of the chip");
  error.place.file = setup.network.file;
  if (loading.failure) error.details.push_back(loading.failure->message);
  for (const Finding& f : loading.findings) {
    if (f.severity == Severity::error) error.details.push_back(f.id + ": " + line_text(f));
  }
  return error;
}

// int8 (channels, rows, columns) of one test item: what a byte minus 128 is.
Tensor sample_of(const DataSet& data, size_t item) {
  Tensor t = Tensor::zeros(DType::int8, {data.channels, data.height, data.width}).value();
  const uint8_t* in = data.bytes.data() + item * data.item_size();
  auto out = t.as<int8_t>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int8_t>(in[i] - 128);
  return t;
}

// What a real output is multiplied by to be the integer of the chip.
double output_unit(const Model& model) {
  const size_t last = model.network.outputs()[0];
  const bool wide = model.network.layers[last].spec.wide;
  const int bits = model.quantization[model.network.owner(last)].bits;
  return wide ? 128.0 * (1 << (bits - 1)) : 128.0;
}

Status check_shifts(const max78::Quantization& q, const Model& model) {
  for (const max78::QuantizedLayer& layer : q.layers) {
    for (size_t i = 0; i < model.parameters.size(); ++i) {
      if (model.network.layers[i].name + ".op.weight" != layer.name || !layer.shift) continue;
      const LayerParameters& p = model.parameters[i];
      const int own = weight_scale(p.weights, p.bias, model.quantization[i]).shift;
      if (own == *layer.shift) continue;
      return broken(Rule::quantizer, "the quantizer has shift " + std::to_string(*layer.shift) +
                                         ", training had " + std::to_string(own))
          .in_layer(layer.name);
    }
  }
  return Ok{};
}

}  // namespace

Result<Bytes> quantized_checkpoint(const RunSettings& settings, const Setup& setup, Model& model) {
  (void)settings;
  Model quantized = model;
  if (!quantized.quantized) start_quantization(quantized);
  const Optimizer none{OptimizerOptions{}};
  max78::QuantizeOptions options;
  options.network = &setup.network;
  max78::Quantization q = max78::quantize(checkpoint_of(quantized, none, Progress{}), options);
  if (!q.checkpoint) {
    Error error = broken(Rule::quantizer, "the quantizer refuses the checkpoint of the run");
    for (const Finding& f : q.report.findings) error.details.push_back(line_text(f));
    return error;
  }
  EDGETWIN_TRY(check_shifts(q, quantized));
  return torch::write(*q.checkpoint);
}

Status check_rules(const RunSettings& settings, const Setup& setup) {
  Model model = setup.model;
  EDGETWIN_TRY_ASSIGN(Bytes checkpoint, quantized_checkpoint(settings, setup, model));
  const max78::Loading loading = load_for_chip(settings, setup, std::move(checkpoint));
  if (!loading.ok()) return refusal_of(loading, setup);
  return Ok{};
}

Result<TwinComparison> compare_with_twin(const RunSettings& settings, const Setup& setup,
                                         Model& model, const Bytes& quantized, ThreadPool& pool) {
  const max78::Loading loading = load_for_chip(settings, setup, quantized);
  if (!loading.ok()) return refusal_of(loading, setup);
  EDGETWIN_TRY_ASSIGN(max78::Simulation twin,
                      max78::Simulation::make(loading.network->plan(),
                                              {.trace = false, .threads = settings.threads}));
  const DataSet& test = setup.data.test;
  const double unit = output_unit(model);
  TwinComparison result;
  std::optional<Error> failed;
  const auto one = [&](const float* outputs, int classes, size_t item) -> Status {
    EDGETWIN_TRY_ASSIGN(const max78::SimulationResult run, twin.run(sample_of(test, item)));
    const Tensor& out = run.layers.back().out;
    int best = 0;
    for (int c = 0; c < classes; ++c) {
      const double integer = element_as_double(out.dtype, out.data, c);
      const double expected = static_cast<double>(outputs[c]) * unit;
      if (integer > element_as_double(out.dtype, out.data, best)) best = c;
      if (integer == expected) continue;
      return broken(Rule::twin, "test item " + std::to_string(item) + ", output " +
                                    std::to_string(c) + ": the twin has " +
                                    std::to_string(static_cast<int64_t>(integer)) + ", training " +
                                    std::to_string(expected));
    }
    ++result.equal;
    if (best == test.labels[item]) ++result.right;
    return Ok{};
  };
  evaluate(model, test, all_indices(test.items()), pool, [&](const Maps& outputs, size_t first) {
    for (int i = 0; i < outputs.n && !failed; ++i) {
      const Status status = one(outputs.at(i, 0, 0), outputs.c, first + static_cast<size_t>(i));
      ++result.items;
      if (!status) failed = status.error();
    }
  });
  if (failed) return *failed;
  return result;
}

}  // namespace edgetwin::train
