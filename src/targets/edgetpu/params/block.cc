#include "targets/edgetpu/params/block.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/params/wide_lines.h"

namespace edgetwin::edgetpu {
namespace {

int64_t round_up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

int window(const BlockShape& s) { return s.kernel_h * s.kernel_w; }
int steps(const BlockShape& s) { return static_cast<int>(round_up(s.in, 4) / 4); }

// Channels of block `b`.
int channels_of(const BlockShape& s, int64_t b) {
  const int most = s.kind == BlockKind::depthwise ? 4 : kBlockChannels;
  return std::min<int>(most, s.out - static_cast<int>(b) * most);
}

int64_t header_bytes(const BlockShape& s) { return int64_t{4} * s.slots() * s.items(); }

// What stands in the slots of the header that have no channel.
struct Filler {
  int real = 0;    // channels
  int padded = 0;  // up to here the layer's own values, beyond them `rest`
};

template <class T>
void put_item(std::byte*& at, int slots, const Filler& filler, const T* values, T padding, T rest) {
  for (int s = 0; s < slots; ++s) {
    const T v = s < filler.real ? values[s] : s < filler.padded ? padding : rest;
    std::memcpy(at, &v, sizeof v);
    at += sizeof v;
  }
}

uint8_t zero_of(const BlockContent& content, size_t channel) {
  return content.zero_points.size() == 1 ? content.zero_points[0] : content.zero_points[channel];
}

std::byte* put_header(const BlockShape& s, const BlockContent& content, size_t first, int real,
                      std::byte* at) {
  const Filler filler{real, static_cast<int>(round_up(real, 4))};
  const int slots = s.slots();
  if (s.has_scale) {
    const float rest = s.kind == BlockKind::dense && s.out > kBlockChannels ? 1.0F : 0.0F;
    put_item(at, slots, filler, content.scales.data() + first, content.scales[0], rest);
  }
  if (s.has_bias) put_item(at, slots, filler, content.bias.data() + first, 0, 0);
  if (s.has_zero) {
    std::vector<uint32_t> zeros;
    for (int c = 0; c < real; ++c)
      zeros.push_back(zero_of(content, first + static_cast<size_t>(c)));
    put_item(at, slots, filler, zeros.data(), uint32_t{zero_of(content, 0)}, uint32_t{0});
  }
  return at;
}

void put_depthwise(const BlockShape& s, const BlockContent& content, size_t first, int real,
                   std::byte* at) {
  const int taps = window(s);
  for (int tap = 0; tap < taps; ++tap, at += 16) {
    for (int row = 0; row < 4; ++row) {
      const size_t channel = first + static_cast<size_t>(row);
      const uint8_t zero = row < real ? zero_of(content, channel) : zero_of(content, 0);
      std::memset(at + row * 4, zero, 4);
      if (row < real) {
        at[row * 5] =
            content.weights[channel * static_cast<size_t>(taps) + static_cast<size_t>(tap)];
      }
    }
  }
}

}  // namespace

std::string_view name(BlockKind kind) { return kind == BlockKind::dense ? "dense" : "depthwise"; }
std::string_view name(LineOrder order) { return order == LineOrder::input_outer ? "A" : "B"; }

int BlockShape::slots() const {
  if (kind == BlockKind::depthwise) return 4;
  if (out > kBlockChannels) return kBlockChannels;
  if (out <= 4 && spatial) return 4;
  return static_cast<int>(round_up(out, 16));
}

int64_t BlockShape::block_bytes() const {
  if (kind == BlockKind::depthwise) return int64_t{16} * (items() + window(*this));
  return header_bytes(*this) + int64_t{4} * slots() * steps(*this) * window(*this);
}

int64_t BlockShape::blocks() const {
  const int most = kind == BlockKind::depthwise ? 4 : kBlockChannels;
  return (out + most - 1) / most;
}

// Groups of depthwise channels follow each other closely; only the layer's end is padded.
int64_t BlockShape::padded_block_bytes() const {
  return kind == BlockKind::depthwise ? block_bytes()
                                      : round_up(block_bytes(), static_cast<int64_t>(kLineBytes));
}

int64_t BlockShape::stored_bytes() const {
  return round_up(bytes(), static_cast<int64_t>(kLineBytes));
}

Bytes write_block(const BlockShape& shape, const BlockContent& content) {
  Bytes bytes(static_cast<size_t>(shape.stored_bytes()));
  write_block(shape, content, bytes.data());
  return bytes;
}

void write_block(const BlockShape& shape, const BlockContent& content, std::byte* to) {
  const int most = shape.kind == BlockKind::depthwise ? 4 : kBlockChannels;
  std::byte* block = to;
  for (int64_t b = 0; b < shape.blocks(); ++b, block += shape.padded_block_bytes()) {
    const auto first = static_cast<size_t>(b * most);
    const int real = channels_of(shape, b);
    std::byte* lines = put_header(shape, content, first, real, block);
    if (shape.kind == BlockKind::depthwise) {
      put_depthwise(shape, content, first, real, lines);
    } else {
      put_lines(shape, content, first, real, lines);
    }
  }
}

namespace {

template <class T>
void take_item(const std::byte*& at, int slots, int real, std::vector<T>& to) {
  for (int s = 0; s < slots; ++s, at += sizeof(T)) {
    T v;
    std::memcpy(&v, at, sizeof v);
    if (s < real) to.push_back(v);
  }
}

void take_depthwise(const BlockShape& s, size_t first, int real, const std::byte* at,
                    Bytes& weights) {
  const auto taps = static_cast<size_t>(window(s));
  for (size_t tap = 0; tap < taps; ++tap, at += 16) {
    for (int row = 0; row < real; ++row) {
      weights[(first + static_cast<size_t>(row)) * taps + tap] = at[row * 5];
    }
  }
}

}  // namespace

Result<BlockContent> read_block(const BlockShape& shape, ByteSpan data, int zero) {
  constexpr int kByte = 255;
  if (zero < 0 || zero > kByte) {
    return Error(ErrorCode::chip_unknown, "the zero point of the weights is no byte")
        .detail(std::to_string(zero));
  }
  if (static_cast<int64_t>(data.size()) < shape.bytes()) {
    return Error(ErrorCode::truncated, "the parameters end within a layer")
        .detail(std::to_string(shape.bytes()) + " bytes are needed, there are " +
                std::to_string(data.size()));
  }
  BlockContent content;
  content.weights.resize(static_cast<size_t>(shape.weights()));
  const int most = shape.kind == BlockKind::depthwise ? 4 : kBlockChannels;
  const std::byte* block = data.data();
  std::vector<uint32_t> zeros;
  for (int64_t b = 0; b < shape.blocks(); ++b, block += shape.padded_block_bytes()) {
    const auto first = static_cast<size_t>(b * most);
    const int real = channels_of(shape, b);
    const std::byte* at = block;
    if (shape.has_scale) take_item(at, shape.slots(), real, content.scales);
    if (shape.has_bias) take_item(at, shape.slots(), real, content.bias);
    if (shape.has_zero) take_item(at, shape.slots(), real, zeros);
    if (shape.kind == BlockKind::depthwise) {
      take_depthwise(shape, first, real, at, content.weights);
    } else {
      take_lines(shape, first, real, at, content.weights);
    }
  }
  for (const uint32_t z : zeros) content.zero_points.push_back(static_cast<uint8_t>(z));
  if (!shape.has_zero) content.zero_points = {static_cast<uint8_t>(zero)};
  return content;
}

std::vector<ByteRun> scale_runs(const BlockShape& shape) {
  std::vector<ByteRun> runs;
  if (!shape.has_scale) return runs;
  const auto item = static_cast<size_t>(4 * shape.slots());
  for (int64_t b = 0; b < shape.blocks(); ++b) {
    const auto begin = static_cast<size_t>(b * shape.padded_block_bytes());
    runs.push_back({begin, begin + item});
  }
  return runs;
}

}  // namespace edgetwin::edgetpu
