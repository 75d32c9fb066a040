// New numbers in a compiled model: parameters and instructions are changed in place, nothing moves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "targets/edgetpu/params/locate.h"
#include "tensor/tensor.h"

namespace edgetwin::edgetpu {

// What one layer gets. Weights in the order of the uncompiled model: int8 or uint8 as stored there,
// or float32, which is quantized with the scales given, or with those of its own largest values. A
// bias is int32, or float32 in real numbers.
struct LayerPatch {
  std::string layer;  // its number, label or output tensor
  std::optional<Tensor> weights, bias, scales;
};

// What was done to a layer.
struct PatchedLayer {
  std::string label;
  size_t blob = 0, offset = 0, bytes = 0;
  size_t changed = 0;       // bytes of parameters
  size_t instructions = 0;  // whose multiplier was rewritten
  int64_t limited = 0;      // float weights beyond the range of their scale
  bool new_scales = false, new_bias = false, rescaled_bias = false;
};

struct Patched {
  Bytes file;
  std::vector<PatchedLayer> layers;
};

// Index into Located::layers. Error: params_layer.
Result<size_t> find_layer(const Located& located, const std::string& word);

// The numbers of a layer as they stand in the compiled file. Error: params_template where the layer
// has no place there.
Result<BlockContent> content_of(const Located& located, size_t layer);

// `file` is what `data` holds, `located` what was found in it. The result was read again and
// checked. Errors: params_*.
Result<Patched> patch(const Bytes& data, const darwinn::File& file, const Located& located,
                      const std::vector<LayerPatch>& patches);

}  // namespace edgetwin::edgetpu
