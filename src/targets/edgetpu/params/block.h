// How the Edge TPU keeps the parameters of one layer: blocks of up to 64 output channels, each with
// a header of scales, biases and zero points, and lines of weights. docs/edgetpu-params.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

inline constexpr int kBlockChannels = 64;

enum class BlockKind : uint8_t {
  dense,     // convolutions and fully connected layers
  depthwise  // one input channel for each output channel; also a convolution of one to one channel
};
std::string_view name(BlockKind kind);

// In which order the lines of a dense block follow each other; only layers with a window and more
// than four input channels can tell. The compiler chooses by its tiling.
enum class LineOrder : uint8_t {
  input_outer,  // A: input channels, kernel row, kernel column
  input_inner   // B: kernel row, kernel column, input channels
};
std::string_view name(LineOrder order);  // "A", "B"

struct BlockShape {
  BlockKind kind = BlockKind::dense;
  int out = 1, in = 1, kernel_h = 1, kernel_w = 1;  // in: 1 of depthwise layers
  bool spatial = false;                             // the layer's output has more than one position
  bool has_scale = false, has_bias = false, has_zero = false;  // items of the header
  LineOrder order = LineOrder::input_outer;
  // Words of input channels that follow each other before the next tap, where they are more than
  // one (A) and fewer than all (B); 0: as `order` says.
  int inner_words = 0;

  bool operator==(const BlockShape&) const = default;
  // Whether the two orders of lines differ.
  bool ordered() const { return kind == BlockKind::dense && kernel_h * kernel_w > 1 && in > 4; }
  int items() const { return int{has_scale} + int{has_bias} + int{has_zero}; }
  // Output channels that one line has room for.
  int slots() const;
  // Of one block, or of one group of four depthwise channels: no padding.
  int64_t block_bytes() const;
  int64_t blocks() const;
  // Of the layer without padding at its end, and with it.
  int64_t bytes() const { return blocks() * padded_block_bytes(); }
  int64_t padded_block_bytes() const;
  // Of the layer as write_block() makes it: padded with zeros to whole lines.
  int64_t stored_bytes() const;
  int64_t weights() const { return int64_t{out} * in * kernel_h * kernel_w; }
};

// The numbers of a layer, as the chip counts: unsigned bytes.
struct BlockContent {
  Bytes weights;              // [out][kernel_h][kernel_w][in]; depthwise [out][kernel_h][kernel_w]
  std::vector<float> scales;  // effective, one per output channel; empty without the item
  std::vector<int32_t> bias;  // one per output channel; empty without the item
  std::vector<uint8_t> zero_points;  // one, or one per output channel
};

// Writes a layer over zeros. `content` has what the shape asks for, `to` room for shape.bytes().
void write_block(const BlockShape& shape, const BlockContent& content, std::byte* to);
// The same as bytes of their own, padded with zeros to whole lines.
Bytes write_block(const BlockShape& shape, const BlockContent& content);

// The way back. `data` starts with the layer; zero points of layers without the item are `zero`.
// Errors: truncated, chip_unknown where `zero` is of weights that are no bytes.
Result<BlockContent> read_block(const BlockShape& shape, ByteSpan data, int zero);

// Which bytes of a layer are scales: [first, second) from its start.
struct ByteRun {
  size_t begin = 0, end = 0;
};
std::vector<ByteRun> scale_runs(const BlockShape& shape);

}  // namespace edgetwin::edgetpu
