// The layers of a program as data: what they read, their sizes, numbers and parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/decompile/replay/replay.h"
#include "targets/edgetpu/decompile/stages/geometry.h"
#include "targets/edgetpu/params/block.h"

namespace edgetwin::edgetpu {

enum class LayerType : uint8_t {
  conv,
  depthwise,
  dense,  // a convolution of one position, spread over tiles or of a flattened input
  add,
  mul,
  average_pool,
  max_pool,
  resize,
  softmax,
  logistic,
  tanh,
  quantize,
  reshape,  // positions and channels become one row
  lstm,
  maximum,
  minimum,
  concat,  // channels of its operand, taken and put side by side by a matrix of zeros and ones
  unknown
};
std::string_view name(LayerType type);

// What a layer reads: layer >= 0, or the executable's input -1 - index.
using Producer = int;
inline constexpr Producer kConstantProducer = -900'000;  // of a product: parameters
constexpr Producer input_producer(size_t index) { return -1 - static_cast<int>(index); }

// Channels of a producer, in order.
struct ChannelRange {
  int first = 0, count = 0;
  bool operator==(const ChannelRange&) const = default;
};

// Channels of a picture that are pieces of others: position after position the piece of `chunk`
// channels of the producers' pictures, all positions of one after those of another.
struct MovedPart {
  std::vector<Producer> from;
  ChannelRange taken;           // of all producers
  int chunk = 0;                // channels of a piece: those that are taken, or a part of them
  std::vector<int32_t> places;  // numbers of pieces; -1: the zero point
  bool operator==(const MovedPart&) const = default;
};

// One operand: the results of one producer, or of several side by side in channels, or of several
// as rows of so many channels one after the other.
struct Operand {
  std::vector<Producer> from;
  int row_channels = 0;               // 0: side by side
  std::vector<ChannelRange> taken{};  // side by side: of each producer; empty: all channels of all
  // Parts side by side, each of `height` x `width` positions in other places than their producers';
  // empty: as it is.
  int height = 0, width = 0;
  std::vector<MovedPart> moved{};
  bool down = false;  // rows of `row_channels` are one column of positions, else one row
  bool operator==(const Operand&) const = default;
};

struct Extent2D {
  int h = 1, w = 1, c = 1;
  bool operator==(const Extent2D&) const = default;
};

// One gate of a recurrent layer: weights for the step's input and for the hidden state. Their sums
// have the scale of what the gate's function is given.
struct GateNumbers {
  BlockContent of_input, of_hidden;
  float input_multiplier = 0.0F, hidden_multiplier = 0.0F;
  float scale = 0.0F;
  int input_zero_point = 0, hidden_zero_point = 0;  // of what they multiply
};

// One way to read a layer's windows in which the words that it reads are its input's picture.
struct SeenWindow {
  int kernel_h = 1, kernel_w = 1, dilation = 1, stride_h = 1, stride_w = 1;
  int out_h = 1, out_w = 1;
  int top = 0, left = 0;  // padding in front of the picture
};

// Places in the mean of a window, and the instruction's multiplier.
struct PoolMean {
  int count = 0;
  float multiplier = 0.0F;
};

struct DecompiledLayer {
  LayerType type = LayerType::unknown;
  std::vector<size_t> stages;
  std::vector<size_t> steps;  // instructions, ascending
  std::vector<Operand> inputs;
  Nest numbers;  // of the first instruction
  Extent2D in, out;
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation = 1;
  enum class Pad : uint8_t { same, valid, given } pad = Pad::same;
  int pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;  // given
  // Of a resize: the first and the last position stay, or positions are taken from the middles of
  // pixels.
  bool corners = false, middles = false;
  std::vector<SeenWindow> seen;  // where words could be followed, of a convolution: all ways
  // Of windows of a pool that may lie over the edge, the fullest first; empty: all are whole.
  std::vector<PoolMean> means;
  bool flat = false;    // the input's positions and channels are one row
  bool packed = false;  // of a flat input: channels are not padded to words
  // Weighted layers.
  std::vector<BlockPlace> blocks;
  BlockShape shape;
  BlockContent content;
  bool by_constant = false;  // a product with a constant that has rows
  Bytes constant;            // of a product: its second operand, unsigned
  float softmax_scale = 1.0F;
  int add_weight[2] = {0, 0};
  // Of a matrix of zeros and ones: by output the input that it takes, padded channels counted; -1:
  // none. `followed`: an operand was found through it; nobody needs it as a layer.
  std::vector<int> rows;
  bool followed = false;
  // Recurrent: gates in the order input, forget, cell, output; inputs that are states.
  std::vector<GateNumbers> gates;
  size_t hidden_state = 0, cell_state = 0;
  int64_t left_words = 0;  // of each step's result, where all stay on the chip
  std::string problem;     // what could not be recovered; empty: everything
};

// Places in the fullest mean of an average pool.
int pool_count(const DecompiledLayer& layer);

// Multiplies by weights that stand in blocks of parameters.
bool has_weights(LayerType type);

// Multiplies windows of its input, by parameters or by a matrix of zeros and ones.
bool has_windows(LayerType type);

// The layer's results are numbers of its input, in other places or between others.
bool keeps_numbers(LayerType type);

// Of what a producer makes, in the unsigned domain; layers that keep their numbers have their
// input's. Nothing: the file does not tell.
std::optional<int> zero_point_of(const std::vector<DecompiledLayer>& layers,
                                 const darwinn::Executable& inference, Producer producer);

// A rescaling that adds numbers, of its parameters or of its instruction.
bool adds(const DecompiledLayer& layer);

// A rescaling that adds the same number everywhere: a sum with a constant.
bool adds_number(const DecompiledLayer& layer);

struct DecompiledOutput {
  size_t layer_index = 0;  // of the executable's outputs
  Operand from;
};

struct Layers {
  std::vector<DecompiledLayer> layers;
  std::vector<DecompiledOutput> outputs;
  std::vector<size_t> copies;  // stages that only move data
  std::vector<Finding> findings;
  Replay replay;
};

}  // namespace edgetwin::edgetpu
