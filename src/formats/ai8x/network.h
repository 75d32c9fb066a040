// A network for MAX78000 or MAX78002 as its YAML description states it, and the integer parameters
// that belong to it. Aliases are resolved and defaults applied; what follows from the sample, the
// weights or the memory map (sizes, channels, placement) is left to whoever uses it.
// Source: docs/formats/ai8x.md; specification max7800x-network, chapters 1 and 3.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/finding.h"
#include "base/result.h"

namespace edgetwin::ai8x {

enum class Device : uint8_t { max78000, max78002 };

// What reading needs to know of a device (specification, chapter 6).
struct DeviceLimits {
  std::string_view name;   // "MAX78000"
  int layers;              // how many a network may have
  int64_t instance_bytes;  // data memory that one offset counts in
};
const DeviceLimits& limits(Device device);

inline constexpr int kProcessors = 64;
inline constexpr int kProcessorsPerGroup = 16;

enum class Operator : uint8_t { none, conv1d, conv2d, conv_transpose2d, linear };
enum class Eltwise : uint8_t { none, add, sub, bitwise_or, bitwise_xor };
enum class Activation : uint8_t { none, relu, abs };
enum class Pooling : uint8_t { none, max, average };

// The vendor's spelling: "conv2d", "passthrough", "add", "relu", "max" ...
std::string_view name(Operator op);
std::string_view name(Eltwise eltwise);
std::string_view name(Activation activation);
std::string_view name(Pooling pooling);

// Rows and columns; one-dimensional data has 1 column.
struct Size2 {
  int h = 1;
  int w = 1;
  bool operator==(const Size2&) const = default;
};

// Special values in the fields that refer to layers; all others are indices into Network::layers.
inline constexpr int kInput = -1;       // in_sequences: the network's input
inline constexpr int kDataBuffer = -2;  // in_sequences: the rolling buffer
inline constexpr int kStop = -1;        // next_sequence, simulated_sequence: the last layer
// Network::layers may hold at most 128 layers, but a reference may name any integer: the rules of
// the device judge it.

inline constexpr int kBinary = -1;  // quantization: weights are -1 or +1

// 1-based; 0 where a value was not written in the file.
struct Mark {
  int line = 0;
  int column = 0;
  explicit operator bool() const { return line > 0; }
};

enum class Key : uint8_t {
#define LAYER_KEY(key, kind, low, high, default_text) key,
#include "formats/ai8x/keys.def"
};
inline constexpr size_t kKeyCount = 0
#define LAYER_KEY(key, kind, low, high, default_text) +1
#include "formats/ai8x/keys.def"
    ;
std::string_view name(Key key);

// One layer. Fields have the names of their keys; `std::optional` means "automatic when empty".
struct Layer {
  int sequence = 0;  // the number in the description; differs from the index only if it has gaps
  std::string name;  // as written; empty if it has none. Compared without case

  uint64_t processors = 0;  // bit p: processor p
  std::optional<uint64_t> output_processors;

  // --- Input.
  std::optional<int> in_channels;
  std::optional<Size2> in_dim;       // an int n in the file is [n, 1]
  std::array<int, 2> in_crop = {};   // rows removed at the start and at the end
  std::optional<int64_t> in_offset;  // bytes in each data memory
  int in_skip = 0;                   // words between two pixels that are skipped (read gap)
  int in_channel_skip = 0;
  // Empty: the previous layer in running order. Entries: layer, kInput or kDataBuffer.
  std::optional<std::vector<int>> in_sequences;
  bool big_data = false;  // data_format CHW (one channel a word) instead of HWC
  bool streaming = false;
  bool flatten = false;

  // --- Element-wise part and pooling, in front of the operator.
  Eltwise eltwise = Eltwise::none;
  int operands = 1;  // 2..16 if eltwise is not none
  bool pool_first = true;
  Pooling pooling = Pooling::none;
  Size2 pool;         // 1x1 without pooling
  Size2 pool_stride;  // may differ from 1x1 without pooling: then only strides
  Size2 pool_dilation;

  // --- The operator, as it counts after the fix-ups of the specification, 1.5: conv1d has its
  // second parts at 1 (pad: 0), none a 1x1 kernel, conv_transpose2d stride 2x2.
  Operator op = Operator::conv2d;
  Size2 kernel = {3, 3};
  Size2 stride;
  Size2 dilation;
  Size2 pad = {0, 0};
  int output_pad = 0;
  int groups = 1;
  Activation activation = Activation::none;
  bool bypass = false;
  // 1, 2, 4, 8 or kBinary; empty: from the parameters (LayerParameters::quantization decides).
  std::optional<int> quantization;
  // Without the implicit shift of 8 - bits. LayerParameters::output_shift includes both.
  std::optional<int> output_shift;
  std::vector<int> bias_group;       // empty: any group in use
  std::optional<int> weight_source;  // layer whose parameters are used again

  // --- Output.
  std::optional<int> out_channels;
  int64_t out_offset = 0;  // bytes; at(Key::out_offset) tells whether it was written
  int output_width = 8;    // 8 or 32 bits
  int write_gap = 0;       // words between two pixels that are left alone
  bool output = false;     // this layer's result is a result of the network

  // --- Running order and MAX78002.
  int next_sequence = kStop;       // resolved: the index of the next layer, or kStop
  int simulated_sequence = kStop;  // the same for the simulation only
  std::optional<int> snoop_sequence;
  bool calcx4 = false;
  bool readahead = false;
  std::optional<bool> tcalc;         // empty: readahead and more than one pass over the input
  std::optional<int> buffer_shift;   // rolling buffer: rotated by so many entries
  std::optional<int> buffer_insert;  // rolling buffer: so many entries replaced by the output

  // --- Where it stands in the file.
  Mark mark;
  std::array<Mark, kKeyCount> marks = {};
  // The value of a key; an invalid mark if the file does not have the key.
  Mark at(Key key) const { return marks[static_cast<size_t>(key)]; }
  bool has(Key key) const { return static_cast<bool>(at(key)); }
  // True if the checkpoint must have weights for this layer.
  bool takes_weights() const { return op != Operator::none && !bypass && !weight_source; }
};

// One entry of `unload`: what the unload function copies instead of the output layers.
struct Unload {
  uint64_t processors = 0;
  int channels = 0;
  Size2 dim;
  int64_t offset = 0;
  int write_gap = 0;
  int width = 8;  // always 8: the loader ignores the key (specification, 1.2)
  Mark mark;
};

// The rolling buffer: (dim.h, channels, dim.w) elements, in the order time, channel.
struct DataBuffer {
  std::string name;  // in lower case
  uint64_t processors = 0;
  int channels = 0;
  Size2 dim;
  int64_t offset = 0;
  int width = 8;  // as above
  // False where a planner is to give them (Maps::planned).
  bool has_processors = true, has_offset = true;
  Mark mark;
};

struct Network {
  std::string file;  // for messages
  Device device = Device::max78000;
  std::string arch;
  std::string dataset;
  // For arch "test": stems of the parameter files (bias_<bias>.npy, <weights>.npy).
  std::optional<std::string> bias;
  std::optional<std::string> weights;
  std::optional<uint64_t> output_map;
  Mark output_map_mark;
  std::vector<uint32_t> snoop;  // empty or 32 register values
  Mark snoop_mark;
  std::vector<Unload> unload;
  std::optional<DataBuffer> data_buffer;
  std::vector<Layer> layers;

  // The parameters are .npy arrays instead of a checkpoint.
  bool is_test() const { return arch == "test"; }
};

// "layer 7 'res1_out'", as all messages name it.
std::string layer_name(const Network& network, size_t index);
// File, line and column of a key; of the layer where the file does not have the key.
Place place(const Network& network, size_t index, std::optional<Key> key = std::nullopt);

// What reading found, in the order of the file's lines; ids MAX78-NET-.. and MAX78-PAR-... After an
// error there is no result.
struct Report {
  std::vector<Finding> findings;

  bool ok() const { return !has_errors(findings); }
  std::vector<Finding> of(Severity severity) const;
  std::vector<Finding> errors() const { return of(Severity::error); }
  std::vector<Finding> warnings() const { return of(Severity::warning); }
};

struct NetworkReading {
  std::optional<Network> network;  // only if report.ok()
  Report report;
};

// ---------------------------------------------------------------------------------------------
// Parameters, from parameters.h: one entry for each layer of the network, in its order.

struct LayerParameters {
  // Name of the weights where they come from: "conv1.op.weight"; "array 3" of .npy files; empty
  // without weights. A layer with weight_source carries copies of that layer's values.
  std::string source;

  // Accelerator order (out, in, y, x): `in` counts one group's channels (1 for depthwise layers,
  // in general in_channels / groups), transposed convolutions are turned and transposed already.
  // conv1d has x = 1; linear y = x = 1; a flattened linear layer has its whole width in `in`.
  // Empty for passthrough and bypass layers.
  std::vector<int8_t> weights;
  int out = 0;
  int in = 0;
  Size2 kernel;
  int8_t weight(int o, int i, int y, int x) const {
    const auto index = ((static_cast<int64_t>(o) * in + i) * kernel.h + y) * kernel.w + x;
    return weights[static_cast<size_t>(index)];
  }

  // One for each output channel; the accumulator gets 128 * bias. Empty: no bias (an array of
  // zeros counts as none).
  std::vector<int8_t> bias;
  bool bias_given = false;  // also where all of it is zero, so that `bias` is empty

  // Channels as the weights give them, groups counted in (specification, 3.3 number 7). 0 without
  // weights: then they follow from the source.
  int in_channels = 0;
  int out_channels = 0;

  int quantization = 8;  // 1, 2, 4, 8 or kBinary; 8 without weights
  int bits() const { return quantization < 0 ? 1 : quantization; }
  // The whole shift: YAML or checkpoint, plus 8 - bits() where the layer has weights. Empty: none
  // given anywhere (passthrough, bypass).
  std::optional<int> output_shift;

  bool has_weights() const { return !weights.empty(); }
};

struct Parameters {
  std::vector<LayerParameters> layers;  // as many as the network has
};

}  // namespace edgetwin::ai8x
