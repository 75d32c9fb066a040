#include "train/layers/stages.h"
#include "train/layers/weights.h"

namespace edgetwin::train {
namespace {

// From the gradient of the output to that of the sum.
void output_gradient(const LayerSpec& spec, const LayerParameters& parameters, const Tape& tape,
                     Maps& gradient, LayerGradients& gradients, ThreadPool& pool) {
  apply(tape.mask, gradient, pool, output_scale(spec, tape));
  if (parameters.norm) {
    scale(gradient, norm_factor(tape.phase), pool);
    gradients.norm = normalize_gradient(tape.sum, gradient, *parameters.norm, tape.norm, pool);
  }
}

// Of a transposed convolution, or after batch norm, which needs the whole gradient first.
ConvolutionGradients gradients_in_passes(const LayerSpec& spec, const Maps& input,
                                         const LayerParameters& parameters, const Tape& tape,
                                         Maps& gradient, Wanted wanted, LayerGradients& gradients,
                                         ThreadPool& pool) {
  output_gradient(spec, parameters, tape, gradient, gradients, pool);
  if (!spec.transposed()) {
    return convolution_gradients(gradient, input, tape.weights, spec.window, wanted, pool, {});
  }
  ConvolutionGradients result;
  result.weights = correlate(input, gradient, spec.window, pool);
  if (wanted.bias) result.bias = channel_sums(gradient, pool);
  if (wanted.input) result.input = gather(gradient, tape.weights, {}, spec.window, pool);
  return result;
}

// From the gradient of the output to that of the input of the sum.
Maps sum_gradient(const LayerSpec& spec, const Maps& input, const LayerParameters& parameters,
                  const Tape& tape, Maps gradient, bool inputs, LayerGradients& gradients,
                  ThreadPool& pool) {
  if (tape.phase.quantization) {
    scale(gradient, power_of_two(tape.phase.quantization->final_scale), pool);
  }
  const Wanted wanted{!parameters.bias.empty(), inputs};
  const float factor = output_scale(spec, tape);
  const ItemHook masked = [&](Maps& maps, int first, int last) {
    apply_to_items(tape.mask, maps, factor, first, last);
  };
  ConvolutionGradients own =
      spec.transposed() || parameters.norm
          ? gradients_in_passes(spec, input, parameters, tape, gradient, wanted, gradients, pool)
          : convolution_gradients(gradient, input, tape.weights, spec.window, wanted, pool, masked);
  gradients.weights = std::move(own.weights);
  gradients.bias = std::move(own.bias);
  if (tape.scale) {
    quantized_gradient(parameters.weights, *tape.scale, gradients.weights);
    quantized_gradient(parameters.bias, *tape.scale, gradients.bias);
  }
  return std::move(own.input);
}

}  // namespace

Backward backward(const LayerSpec& spec, std::span<const Maps* const> sources,
                  const LayerParameters& parameters, const Tape& tape, Maps gradient, bool inputs,
                  ThreadPool& pool) {
  Backward result;
  if (spec.has_weights()) {
    gradient = sum_gradient(spec, tape.sum_input(sources), parameters, tape, std::move(gradient),
                            inputs, result.gradients, pool);
  }
  if (!inputs) return result;
  if (spec.flatten) gradient = viewed(gradient, tape.unflattened.h, tape.unflattened.w);
  result.sources = input_stage_gradient(spec, sources, tape, std::move(gradient), pool);
  return result;
}

}  // namespace edgetwin::train
