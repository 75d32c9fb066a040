#include "train/layers/stages.h"
#include "train/layers/weights.h"

namespace edgetwin::train {
namespace {

// From the gradient of the output to that of the sum.
void output_gradient(const LayerSpec& spec, const LayerParameters& parameters, const Tape& tape,
                     Maps& gradient, LayerGradients& gradients, ThreadPool& pool) {
  if (tape.phase.quantization) {
    scale(gradient, power_of_two(tape.phase.quantization->final_scale), pool);
  }
  apply(tape.mask, gradient, pool, output_scale(spec, tape));
  if (parameters.norm) {
    scale(gradient, norm_factor(tape.phase), pool);
    gradients.norm = normalize_gradient(tape.sum, gradient, *parameters.norm, tape.norm, pool);
  }
}

void parameter_gradients(const LayerSpec& spec, const Maps& input,
                         const LayerParameters& parameters, const Tape& tape, const Maps& gradient,
                         LayerGradients& gradients, ThreadPool& pool) {
  gradients.weights = spec.transposed() ? correlate(input, gradient, spec.window, pool)
                                        : correlate(gradient, input, spec.window, pool);
  if (!parameters.bias.empty()) gradients.bias = channel_sums(gradient, pool);
  if (tape.scale) {
    quantized_gradient(parameters.weights, *tape.scale, gradients.weights);
    quantized_gradient(parameters.bias, *tape.scale, gradients.bias);
  }
}

}  // namespace

Backward backward(const LayerSpec& spec, std::span<const Maps* const> sources,
                  const LayerParameters& parameters, const Tape& tape, Maps gradient, bool inputs,
                  ThreadPool& pool) {
  Backward result;
  if (spec.has_weights()) {
    output_gradient(spec, parameters, tape, gradient, result.gradients, pool);
    const Maps& input = tape.sum_input(sources);
    parameter_gradients(spec, input, parameters, tape, gradient, result.gradients, pool);
    if (!inputs) return result;
    gradient = spec.transposed()
                   ? gather(gradient, tape.weights, {}, spec.window, pool)
                   : scatter(gradient, tape.weights, {}, spec.window, {input.h, input.w}, pool);
  }
  if (!inputs) return result;
  if (spec.flatten) gradient = viewed(gradient, tape.unflattened.h, tape.unflattened.w);
  result.sources = input_stage_gradient(spec, sources, tape, std::move(gradient), pool);
  return result;
}

}  // namespace edgetwin::train
