#include "train/run/twin.h"

#include <cmath>
#include <cstdio>

#include "base/parallel.h"
#include "targets/max78/pipeline/load.h"
#include "targets/max78/quantize/quantize.h"
#include "targets/max78/simulate/simulate.h"
#include "train/layers/shift.h"
#include "train/layers/weights.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

max78::Loading load_for_chip(const RunSettings& settings, const Setup& setup, Bytes checkpoint) {
  max78::NetworkSources sources;
  sources.device = settings.device;
  sources.options.avg_pool_rounding = settings.average_rounding;
  sources.options.arithmetic = settings.arithmetic;
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

// int8 (channels, rows, columns) of one item.
Tensor sample_of(const DataSet& data, size_t item) {
  const PictureSize size = data.input();
  Tensor t = Tensor::zeros(DType::int8, {size.channels, size.height, size.width}).value();
  const std::vector<int8_t> levels = data.levels(item);
  std::copy(levels.begin(), levels.end(), t.as<int8_t>().begin());
  return t;
}

// The magnitude that gives the shift, and the power of two above it.
std::string limit_text(float limit) {
  char text[96];
  if (limit == 0) return "all weights and biases are 0: no power of two is above them";
  std::snprintf(text, sizeof text, "largest magnitude %g, at most 2^%d", static_cast<double>(limit),
                static_cast<int>(std::ceil(std::log2(static_cast<double>(limit)))));
  return text;
}

Status check_shifts(const max78::Quantization& q, const Model& model) {
  for (const max78::QuantizedLayer& layer : q.layers) {
    for (size_t i = 0; i < model.parameters.size(); ++i) {
      if (model.network.layers[i].name + ".op.weight" != layer.name || !layer.shift) continue;
      const LayerParameters& p = model.parameters[i];
      const WeightScale scale = weight_scale(p.weights, p.bias, model.quantization[i]);
      const int own = chip_shift(scale, model.quantization[i]);
      if (own == *layer.shift) continue;
      const LayerQuantization& how = model.quantization[i];
      const float limit = magnitude_quantile(p.weights, p.bias, how.quantile, how.rule);
      return broken(Rule::quantizer, "the quantizer has shift " + std::to_string(*layer.shift) +
                                         ", training had " + std::to_string(own))
          .in_layer(layer.name)
          .detail(limit_text(limit));
    }
  }
  return Ok{};
}

}  // namespace

double output_unit(const Model& model) {
  const size_t last = model.network.outputs()[0];
  const bool wide = model.network.layers[last].spec.wide;
  const int bits = model.quantization[model.network.owner(last)].bits;
  const double unit = wide ? 128.0 * (1 << (bits - 1)) : 128.0;
  return std::ldexp(unit, -model.quantization[model.network.owner(last)].final_scale);
}

Result<Bytes> quantized_checkpoint(const ai8x::Network& network, const Model& model,
                                   Progress stated) {
  Model quantized = model;
  if (!quantized.quantized) start_quantization(quantized);
  const Optimizer none{OptimizerOptions{}};
  max78::QuantizeOptions options;
  options.network = &network;
  options.described_shifts = true;
  stated.average_rounding = average_rounding(model.network);
  max78::Quantization q = max78::quantize(checkpoint_of(quantized, none, stated), options);
  if (!q.checkpoint) {
    Error error = broken(Rule::quantizer, "the quantizer refuses the checkpoint of the run");
    for (const Finding& f : q.report.findings) error.details.push_back(line_text(f));
    return error;
  }
  EDGETWIN_TRY(check_shifts(q, quantized));
  return torch::write(*q.checkpoint);
}

Status check_rules(const RunSettings& settings, const Setup& setup) {
  EDGETWIN_TRY_ASSIGN(Bytes checkpoint, quantized_checkpoint(setup.network, setup.model));
  const max78::Loading loading = load_for_chip(settings, setup, std::move(checkpoint));
  if (!loading.ok()) return refusal_of(loading, setup);
  return Ok{};
}

namespace {

// The integers of the last layer for one item.
Result<std::vector<double>> integers_of(max78::Simulation& twin, const Tensor& sample) {
  EDGETWIN_TRY_ASSIGN(const max78::SimulationResult run, twin.run(sample));
  const Tensor& out = run.layers.back().out;
  std::vector<double> integers(static_cast<size_t>(out.shape.elements()));
  for (size_t e = 0; e < integers.size(); ++e) {
    integers[e] = element_as_double(out.dtype, out.data, static_cast<int64_t>(e));
  }
  return integers;
}

}  // namespace

Status run_twin(const RunSettings& settings, const Setup& setup, const Bytes& quantized,
                const DataSet& data, std::span<const uint32_t> indices,
                const std::function<Status(size_t, const std::vector<double>&)>& each) {
  constexpr size_t kAtATime = 256;
  const max78::Loading loading = load_for_chip(settings, setup, quantized);
  if (!loading.ok()) return refusal_of(loading, setup);
  // A thread computes items of its own.
  ThreadPool pool(settings.threads);
  std::vector<max78::Simulation> twins;
  for (int t = 0; t < pool.size(); ++t) {
    EDGETWIN_TRY_ASSIGN(max78::Simulation twin,
                        max78::Simulation::make(loading.network->plan(), {.trace = false}));
    twins.push_back(std::move(twin));
  }
  for (size_t first = 0; first < indices.size(); first += kAtATime) {
    const auto some = indices.subspan(first, std::min(kAtATime, indices.size() - first));
    std::vector<Result<std::vector<double>>> results(some.size(), std::vector<double>());
    pool.parallel_for(
        static_cast<int64_t>(some.size()), 1, [&](int64_t begin, int64_t end, int worker) {
          for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            results[i] = integers_of(twins[static_cast<size_t>(worker)], sample_of(data, some[i]));
          }
        });
    for (size_t i = 0; i < some.size(); ++i) {
      if (!results[i]) return std::move(results[i]).error();
      EDGETWIN_TRY(each(first + i, *results[i]));
    }
  }
  return Ok{};
}

Result<TwinComparison> compare_with_twin(const RunSettings& settings, const Setup& setup,
                                         const Model& model, const Bytes& quantized,
                                         const TrainedOutputs& trained) {
  const DataSet& test = setup.data.test;
  const double unit = output_unit(model);
  const std::vector<uint32_t> items = all_indices(test.items());
  const size_t size = items.empty() ? 0 : trained.real.size() / items.size();
  const auto own = [&](size_t i) {
    return trained.sums.empty() ? static_cast<double>(trained.real[i]) * unit : trained.sums[i];
  };
  TwinComparison result;
  EDGETWIN_TRY(run_twin(
      settings, setup, quantized, test, items,
      [&](size_t item, const std::vector<double>& integers) -> Status {
        ++result.items;
        for (size_t e = 0; e < size; ++e) {
          const double expected = own(item * size + e);
          if (e < integers.size() && integers[e] == expected) continue;
          return broken(Rule::twin,
                        "test item " + std::to_string(item) + ", output " + std::to_string(e) +
                            ": the twin has " +
                            (e < integers.size() ? std::to_string(static_cast<int64_t>(integers[e]))
                                                 : "nothing") +
                            ", training " + std::to_string(expected));
        }
        ++result.equal;
        return Ok{};
      }));
  return result;
}

}  // namespace edgetwin::train
