// From a float network to integers for a chip: .espdl for ESP-DL, a full-integer .tflite for the
// Edge TPU's compiler and TensorFlow Lite, description, checkpoint and sample for the MAX78000 and
// MAX78002. Every result is opened again and computed before it is given out. docs/quantize.md,
// docs/quantize-tflite.md, docs/quantize-max78.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "edgetwin/compile.h"
#include "edgetwin/export.h"
#include "edgetwin/finding.h"
#include "edgetwin/result.h"
#include "edgetwin/target.h"

namespace edgetwin {

struct QuantizeOptions {
  std::string target;  // a name or alias of all_targets()
  // Calibration: one path per input in the network's order or as NAME=PATH, or a single .npz. A
  // folder gives its pictures and arrays in the order of their names, an array a sample per row.
  std::vector<std::string> calibrate;
  std::vector<float> mean, std;  // of pictures: (pixel - mean) / std; none: 0 and 255
  bool nearest = false;          // resize pictures by the nearest pixel instead of bilinearly
  // Pictures as ESP-DL's runtime brings them in, instead of the three above: a JSON file,
  // docs/espdl-image.md. Its exponent counts for nothing: calibration finds it.
  std::string params = {};
  int samples = 32;                 // at most so many are read
  int steps = 0;                    // calibration runs, samples repeated; 0: one per sample
  std::vector<std::string> shapes;  // of an .onnx file: NAME=1,3,224,224
  std::string method;               // percentile, minmax, kl or mse; empty: the target's default
  // 8 or 16; weights of the MAX7800x 1, 2, 4 or 8. The map has the exceptions by operator (ESP-DL)
  // or layer (MAX7800x).
  int bits = 8;
  std::map<std::string, int> bits_of;
  std::vector<std::string> with, without;  // passes by the names of docs/quantize.md
  int threads = 1;                         // 1 to 256; their number changes no byte
  bool analyse = false;                    // noise of each layer
  // ESP-DL only.
  bool like_upstream = false;             // everything as ESP-DL's own quantizer does it
  bool high_precision = false;            // parameters rounded in float64
  std::vector<std::string> lut;           // 16-bit activations that become look-ups: "Swish"
  std::vector<std::string> lut_formulas;  // NAME=F: look-ups of a type or operator that hold F(x)
  // Of 16-bit tables; 0: none; without it 256, of a search 32.
  std::optional<int> lut_step;
  std::string runtime = "3.3.9";      // of ESP-DL, whose results are embedded and measured
  bool search = false;                // find the layers that are worth 16 bits
  std::optional<double> decibels;     // signal over noise at the outputs that the search wants
  std::optional<int64_t> most_bytes;  // of constants, for the search
  std::string measured;               // of a search: its points, as `merge` wrote them
};

// Noise over signal (power) of one layer against the float network.
struct QuantizedLayerNoise {
  std::string layer;
  int bits = 8;
  std::optional<double> alone;  // fed with float values; empty: not measured
  double accumulated = 0;       // from the input on
  double cosine = 1;
};

struct QuantizedNetwork {
  const Target* target = nullptr;
  // False: the network does not fit the chip (MAX7800x); `findings` say why, and there are no
  // files.
  bool fits = false;
  // ESP-DL: NAME.espdl with the first sample and its result embedded, NAME.info, NAME.json.
  // TensorFlow Lite: NAME.tflite. MAX7800x: NAME.yaml, NAME.pth.tar, sample_NAME.npy. NAME is that
  // of the network's file.
  std::vector<MadeFile> files;
  std::vector<Finding> findings;
  size_t samples = 0;                       // that were read
  std::vector<QuantizedLayerNoise> layers;  // only where QuantizeOptions::analyse
  std::optional<double> output_noise;       // noise over signal at the outputs, as far as measured
  std::optional<double> input_step;         // MAX7800x: what one step of the input stands for
};

// `network`: .onnx, or for the Edge TPU and TensorFlow Lite also a float .tflite. Errors: usage
// (unknown target or pass, no calibration data), file_*, onnx_*, tflite_*, graph_*, quant_*, op_*,
// espdl_write.
EDGETWIN_API Result<QuantizedNetwork> quantize_network(const std::string& network,
                                                       const QuantizeOptions& options,
                                                       const ProgressSink& progress = nullptr);

struct CheckpointOptions {
  std::string target;  // max78000 or max78002
  std::string description =
      {};  // a .yaml whose `quantization` comes before what the checkpoint says
  // Where the scale of a layer's weights comes from, by the vendor's names: MAX_BIT_SHIFT, AVGMAX,
  // MAX, STDDEV, SCALE.
  std::string method = "MAX_BIT_SHIFT";
  double scale = 0.85;           // of SCALE
  double deviations = 2.0;       // of STDDEV
  std::optional<int> bits = {};  // 1, 2, 4 or 8, where the checkpoint has none
  double bn_epsilon = 1e-20;     // added to the variance of batch normalization that is folded
  // The n-th layer of the description for the n-th weights, as the vendor's quantizer counts.
  bool upstream_bugs = false;
};

struct QuantizedWeights {
  std::string name;  // "conv1.op.weight"
  int bits = 8;
  std::optional<int> shift;  // the new output_shift; empty: the stored one stays
  int64_t clipped = 0;       // weights that reached the limits of their bits
};

struct QuantizedCheckpoint {
  const Target* target = nullptr;
  Bytes file;  // a checkpoint; empty where the findings say why there is none
  std::vector<QuantizedWeights> layers;
  size_t folded = 0;  // layers whose batch normalization went into their weights
  std::vector<Finding> findings;

  bool fits() const { return !file.empty(); }
};

// A float checkpoint of the vendor's training, `checkpoint`, to integers by the rules of the
// vendor's quantizer. Errors: usage (target, method, a number that changes nothing), file_*,
// torch_*, ai8x_*.
EDGETWIN_API Result<QuantizedCheckpoint> quantize_checkpoint(const std::string& checkpoint,
                                                             const CheckpointOptions& options);

}  // namespace edgetwin
