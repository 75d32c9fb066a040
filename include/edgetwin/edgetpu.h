// Compiled models of the Edge TPU: their instructions as text and back, the network that they
// compute, new weights in place, and models of one layer made without the compiler.
// docs/edgetpu-isa.md, docs/edgetpu-decompile.md, docs/edgetpu-params.md,
// docs/edgetpu-synthesize.md.
//
// `name` is what messages call the bytes. Errors of all: file_* (of files), darwinn_* and tflite_*
// where the bytes are damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/finding.h"
#include "edgetwin/result.h"
#include "edgetwin/tensor.h"

namespace edgetwin {

// All bitstreams of a compiled .tflite, package, executable or bare bitstream, one instruction per
// line; every bit is in the text. Error: edgetpu_no_program where no operator is compiled.
EDGETWIN_API Result<std::string> disassemble(ByteSpan compiled, const std::string& name);

// `compiled` with its bitstreams replaced by those of the text (disassemble(), perhaps changed),
// which must have the same sizes; no other byte changes. Errors: edgetpu_assembly with the line,
// edgetpu_no_program.
EDGETWIN_API Result<Bytes> assemble(std::string_view text, const std::string& text_name,
                                    ByteSpan compiled, const std::string& name);
// The one bitstream of a text. Errors: edgetpu_assembly; usage where it has several.
EDGETWIN_API Result<Bytes> assemble(std::string_view text, const std::string& text_name);

struct DecompiledNetwork {
  Bytes file;  // a .tflite that TensorFlow Lite reads; operators that were not recovered stay
               // compiled
  size_t layers = 0, recovered = 0;
  bool complete = false;  // every layer was recovered
  std::vector<Finding> findings;
};
// The network that a compiled .tflite computes. Errors: edgetpu_no_program, decompile_program,
// graph_*, tflite_write.
EDGETWIN_API Result<DecompiledNetwork> decompile(ByteSpan compiled, const std::string& name);

// What one layer gets, in the order of the uncompiled model: weights int8 or uint8 as stored there,
// or float32, which is quantized with `scales` or with its own largest values; a bias of int32, or
// float32 in real numbers; scales float32, one or one per output channel.
struct LayerPatch {
  std::string layer;  // its number, label or output tensor
  std::optional<Tensor> weights, bias, scales;
};
struct LayerPatched {
  std::string layer;
  size_t bytes = 0, changed = 0;  // of its parameters
  size_t instructions = 0;        // whose multiplier was rewritten
  int64_t limited = 0;            // float weights beyond the range of their scale
  bool new_scales = false, new_bias = false;
  bool rescaled_bias = false;  // the old bias, counted in the new scales
};
struct PatchedModel {
  Bytes file;  // read again and checked
  std::vector<LayerPatched> layers;
  std::vector<Finding> findings;
};
// `reference` is the model that `compiled` was made of; it may be empty for a model of one layer.
// Both are files. Errors: params_*.
EDGETWIN_API Result<PatchedModel> patch(const std::string& compiled, const std::string& reference,
                                        const std::vector<LayerPatch>& patches);

// A compiled model of a .tflite with one layer of a known family (docs/edgetpu-synthesize.md), as
// the compiler makes it. Errors: synthesize_*, edgetpu_*.
EDGETWIN_API Result<Bytes> synthesize(ByteSpan network, const std::string& name);

}  // namespace edgetwin
