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

#include "edgetwin/compile.h"
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
// graph_*, tflite_write. `threads`: 1 to 256; their number changes no byte.
EDGETWIN_API Result<DecompiledNetwork> decompile(ByteSpan compiled, const std::string& name,
                                                 int threads = 1);

// --- Parameters: what the chip keeps of each layer. `compiled` and `reference`, the model that it
// was made of, are files; `reference` may be empty for a model of one layer.

// How the weights of a layer stand there: blocks of up to 64 output channels.
struct ParameterBlocks {
  std::string kind;  // "dense", "depthwise"
  int in = 1, out = 1, kernel_h = 1, kernel_w = 1, slots = 1;
  std::string order;     // of lines: "A" or "B"
  bool ordered = false;  // the two orders differ for this layer
  bool has_scale = false, has_bias = false, has_zero = false;  // items of the header
  int zero_point = 0;
  float input_scale = 0, output_scale = 0;  // 0: not known
  size_t weight_scales = 0;
};

// A run of bytes whose content is known.
struct ParameterRun {
  std::string kind;  // "layer", "softmax", "selection", "constant"
  std::string layer;
  size_t offset = 0, bytes = 0;
  size_t explained = 0;                   // bytes that are those of the uncompiled model
  std::optional<ParameterBlocks> blocks;  // of layers
};

// A run of bytes that one instruction sends to tiles.
struct ParameterSegment {
  size_t offset = 0, bytes = 0;
  uint32_t tiles = 0;  // mask
};

struct ParameterFile {
  std::string name;  // "p0_e1.bin"
  std::string type;  // of its executable
  int64_t bytes = 0, explained = 0;
  std::vector<ParameterRun> runs;          // where a reference says what is where
  std::vector<ParameterSegment> segments;  // otherwise
};

struct Parameters {
  std::vector<ParameterFile> files;
  std::vector<std::string> missing;  // layers that are in no file: on the host, or not found
  std::vector<Finding> findings;
  int64_t bytes = 0, explained = 0;
  bool located = false;  // layers were found; otherwise the files have segments
};
// Errors: file_*, params_reference where nothing of the reference is in the compiled model.
EDGETWIN_API Result<Parameters> parameters_of(const std::string& compiled,
                                              const std::string& reference);

struct BuiltParameters {
  MadeFile file;
  int64_t made = 0, copied = 0;  // bytes from the uncompiled model; from the compiled one
  bool equal = true;             // to the compiled model's
};
struct BuiltParameterFiles {
  std::vector<BuiltParameters> files;
  std::vector<Finding> findings;
};
// The parameters made from the uncompiled model, in the form of the compiled one. Errors: as above.
EDGETWIN_API Result<BuiltParameterFiles> build_parameters(const std::string& compiled,
                                                          const std::string& reference);

struct LayerParameters {
  std::string stem;  // "0003_conv": number and name, fit for a file
  Tensor weights;    // in the order and type of the uncompiled model
  std::optional<Tensor> bias, scales;
};
struct ExtractedParameters {
  std::vector<LayerParameters> layers;
  std::vector<Finding> findings;
};
// Error: params_reference where it cannot be told which layer is where.
EDGETWIN_API Result<ExtractedParameters> extract_parameters(const std::string& compiled,
                                                            const std::string& reference);

struct ExtractedPart {
  MadeFile file;     // "program_0.0.1.0.bin", "parameters_0.0.1.bin", "executable_0.0.1.bin"
  std::string what;  // in words
};
// Programs, parameters and executables of a compiled model as files. Error: edgetpu_no_program.
EDGETWIN_API Result<std::vector<ExtractedPart>> extract_parts(ByteSpan compiled,
                                                              const std::string& name);

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
