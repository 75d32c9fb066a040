#include "train/layers/exact_sums.h"
#include "train/layers/stages.h"
#include "train/layers/weights.h"

namespace edgetwin::train {
namespace {

void treat_weights(const LayerParameters& parameters, Tape& tape) {
  if (!tape.phase.quantization) {
    tape.weights = parameters.weights;
    tape.bias = parameters.bias;
    return;
  }
  tape.scale = weight_scale(parameters.weights, parameters.bias, *tape.phase.quantization);
  tape.weights = quantized(parameters.weights, *tape.scale);
  tape.bias = quantized(parameters.bias, *tape.scale);
}

// A copy for the backward pass would be as large as the maps.
bool reads_source(const LayerSpec& spec) {
  return spec.has_weights() && !spec.flatten && spec.eltwise == ai8x::Eltwise::none &&
         spec.pooling == ai8x::Pooling::none;
}

Maps sum_of(const LayerSpec& spec, const Maps& input, Pair size, const Tape& tape, ThreadPool& pool,
            const ItemHook& after) {
  return spec.transposed() ? scatter(input, tape.weights, tape.bias, spec.window, size, pool, after)
                           : gather(input, tape.weights, tape.bias, spec.window, pool, after);
}

}  // namespace

Pair LayerSpec::output_of(Pair input) const {
  if (pooling != ai8x::Pooling::none) input = pool.output_of(input);
  if (flatten) input = {1, 1};
  if (!has_weights()) return input;
  if (!transposed()) return window.small_of(input);
  const auto size = [](int in, int stride, int reach, int kept, int extra) {
    return (in - 1) * stride - 2 * kept + reach + 1 + extra;
  };
  return {size(input.h, window.stride.h, (window.kernel.h - 1) * window.dilation.h, window.pad.h,
               output_pad.h),
          size(input.w, window.stride.w, (window.kernel.w - 1) * window.dilation.w, window.pad.w,
               output_pad.w)};
}

Maps forward(const LayerSpec& spec, std::span<const Maps* const> sources,
             LayerParameters& parameters, const Phase& phase, Tape& tape, ThreadPool& pool) {
  tape = Tape{};
  tape.phase = phase;
  tape.reads_source = reads_source(spec);
  if (!tape.reads_source) {
    tape.input = input_stage(spec, sources, tape, pool);
    if (spec.flatten) {
      tape.unflattened = {tape.input.h, tape.input.w};
      tape.input = viewed(tape.input, 1, 1);
    }
    if (!spec.has_weights()) return std::move(tape.input);
  }
  treat_weights(parameters, tape);
  const Maps& input = tape.sum_input(sources);
  const Pair size = spec.transposed() ? spec.output_of({sources[0]->h, sources[0]->w})
                                      : spec.window.small_of({input.h, input.w});
  tape.mask = Mask(static_cast<size_t>(int64_t{input.n} * size.h * size.w * spec.out_channels()));
  // Batch norm needs all sums first.
  const float factor = output_scale(spec, tape);
  const ItemHook finish = [&](Maps& maps, int first, int last) {
    output_stage(spec, phase, factor, maps, tape.mask, first, last);
  };
  const ItemHook after = parameters.norm ? ItemHook() : finish;
  Maps output = !parameters.norm && can_round(spec, input, tape)
                    ? forward_by_digits(spec, input, size, factor, tape, pool)
                    : sum_of(spec, input, size, tape, pool, after);
  if (parameters.norm) {
    tape.sum = output;
    tape.norm = normalize(output, *parameters.norm, phase.training, pool);
    scale(output, norm_factor(phase), pool);
    for_items(pool, output.n, [&](int first, int last) { finish(output, first, last); });
  }
  if (phase.quantization) scale(output, power_of_two(phase.quantization->final_scale), pool);
  return output;
}

}  // namespace edgetwin::train
