// A network with its parameters: forward and backward through all layers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/network/network.h"

namespace edgetwin::train {

// How quantization learns the ranges of activations.
enum class QuantizationMethod : unsigned char {
  shifts,      // each layer's range is -1 .. 1, also in floating point
  thresholds,  // floating point has no limits; ranges are found at the start of quantization
};

std::string_view method_name(QuantizationMethod method);  // as settings have it

struct Model {
  Network network;
  std::vector<LayerParameters> parameters;      // one per layer; empty without own parameters
  std::vector<LayerQuantization> quantization;  // one per layer
  bool quantized = false;                       // quantization takes part in the forward pass
  QuantizationMethod method = QuantizationMethod::shifts;

  // Activations have no limits: floating point before thresholds.
  bool unlimited() const { return method == QuantizationMethod::thresholds && !quantized; }
};

// What draws the outputs that are left out, so that a resumed run draws the same.
struct Dropout {
  uint64_t seed = 0, epoch = 0, step = 0;
};

// What a forward pass leaves for the backward pass.
struct Recording {
  // Where loops are compiled well: there is one over every value of the maps.
  Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;
  ~Recording();

  Maps input;
  std::vector<Maps> outputs;                // of each layer
  std::vector<std::vector<Maps>> arranged;  // where a layer does not read its sources as they are
  std::vector<Tape> tapes;
  std::vector<std::vector<float>> kept;  // of each layer with dropout: 0, or what makes up for it
};

// Runs all layers on a batch; `training`: batch norm by the batch, whose running values change.
// Without `dropout` nothing is left out.
void forward(Model& model, Maps input, bool training, Recording& recording, ThreadPool& pool,
             const Dropout* dropout = nullptr);

// Gradients of all parameters, one entry per layer, from those of the layers in `output_gradients`
// (layer, gradient). Shared parameters have the sum in their owner's entry. `input_gradient`, if
// given, gets that of the network's input.
std::vector<LayerGradients> backward(const Model& model, const Recording& recording,
                                     std::vector<std::pair<size_t, Maps>> output_gradients,
                                     ThreadPool& pool, Maps* input_gradient = nullptr);

// Batch norm of all layers into weights and biases.
void fold_all(Model& model);
// What the sum of a layer with weights reads.
const Maps& sum_input(const Network& network, const Recording& recording, size_t layer);

// Start of quantization: batch norm folded, `quantized` set. Thresholds stay as they are.
void start_quantization(Model& model);

// Whether the means of its average pooling are rounded instead of cut off; empty: it has none.
std::optional<bool> average_rounding(const Network& network);
void set_average_rounding(Network& network, bool rounds);

// Maps (n, h, w, c) of values in the order (n, c, h, w), and back.
Maps from_planes(std::span<const float> values, int items, const MapShape& shape);
template <class T>
std::vector<T> to_planes(const MapsOf<T>& maps);

}  // namespace edgetwin::train
