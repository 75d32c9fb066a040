#include "targets/edgetpu/decompile/layers/parameters.h"

#include <algorithm>
#include <optional>

#include "targets/edgetpu/decompile/layers/block_search.h"
#include "targets/edgetpu/decompile/operands/channel_selection.h"
#include "targets/edgetpu/decompile/stages/channel_words.h"

namespace edgetwin::edgetpu {
namespace {

void make_shape(DecompiledLayer& l) {
  BlockShape& s = l.shape;
  const bool depthwise = l.type == LayerType::depthwise;
  s.kind = depthwise ? BlockKind::depthwise : BlockKind::dense;
  s.out = l.out.c;
  s.in = depthwise ? 1 : l.in.c;
  if (l.flat) s.in = l.in.h * l.in.w * (l.packed ? l.in.c : round4(l.in.c));
  s.kernel_h = l.kernel_h;
  s.kernel_w = l.kernel_w;
  s.spatial = l.out.h * l.out.w > 1;
  s.has_scale = l.numbers.has_scales;
  s.has_bias = l.numbers.has_bias;
  s.has_zero = l.numbers.channel_zero_points;
}

// Outputs after the last real one have filler weights only.
int without_filler(const DecompiledLayer& l) {
  const BlockContent& c = l.content;
  const auto per = c.weights.size() / static_cast<size_t>(l.shape.out);
  int out = l.shape.out;
  while (out > 1 && out % 4 != 1 && out > l.shape.out - 4) {
    const auto o = static_cast<size_t>(out - 1);
    const uint8_t zero = c.zero_points[c.zero_points.size() > 1 ? o : 0];
    const bool plain = std::all_of(c.weights.begin() + static_cast<long>(o * per),
                                   c.weights.begin() + static_cast<long>((o + 1) * per),
                                   [&](std::byte b) { return static_cast<uint8_t>(b) == zero; });
    if (!plain || (!c.bias.empty() && c.bias[o] != 0)) break;
    if (!c.scales.empty() && c.scales[o] != c.scales[0]) break;
    --out;
  }
  return out;
}

void cut(BlockContent& c, int from, int to) {
  const auto n = static_cast<size_t>(to);
  c.weights.resize(c.weights.size() / static_cast<size_t>(from) * n);
  if (!c.scales.empty()) c.scales.resize(n);
  if (!c.bias.empty()) c.bias.resize(n);
  if (c.zero_points.size() > 1) c.zero_points.resize(n);
}

// Weights of positions with padded channels, without the padding.
void compact(DecompiledLayer& l) {
  const int padded = round4(l.in.c);
  if (!l.flat || l.packed || padded == l.in.c) return;
  const auto positions = static_cast<size_t>(l.in.h * l.in.w);
  const auto p = static_cast<size_t>(padded);
  const auto c = static_cast<size_t>(l.in.c);
  Bytes kept;
  for (size_t o = 0; o < static_cast<size_t>(l.shape.out); ++o) {
    for (size_t i = 0; i < positions; ++i) {
      const auto at = l.content.weights.begin() + static_cast<long>((o * positions + i) * p);
      kept.insert(kept.end(), at, at + static_cast<long>(c));
    }
  }
  l.content.weights = std::move(kept);
  l.shape.in = static_cast<int>(positions * c);
}

// Where the real channels stand among those that are padded to words, position after position.
std::vector<int> real_places(const std::vector<int>& parts, int words) {
  int padded = 0;
  for (const int c : parts) padded += round4(c);
  std::vector<int> places;
  for (int first = 0; padded > 0 && first + padded <= words; first += padded) {
    int at = first;
    for (const int c : parts) {
      for (int i = 0; i < c; ++i) places.push_back(at + i);
      at += round4(c);
    }
  }
  return places;
}

// By output the index of the one in its row, -1 where there is none. Nothing: it is no matrix of
// zeros and ones.
std::optional<std::vector<int>> rows_of(const BlockContent& c, const BlockShape& s) {
  std::vector<int> rows;
  const auto per = static_cast<size_t>(s.in);
  for (size_t o = 0; o < static_cast<size_t>(s.out); ++o) {
    int one = -1;
    for (size_t i = 0; i < per; ++i) {
      const auto w = static_cast<int>(c.weights[o * per + i]);
      if (w == 0) continue;
      if (w != 1 || one >= 0) return std::nullopt;
      one = static_cast<int>(i);
    }
    rows.push_back(one);
  }
  if (std::any_of(c.bias.begin(), c.bias.end(), [](int32_t b) { return b != 0; })) {
    return std::nullopt;
  }
  return rows;
}

// Positions and channels as one row.
void flatten(DecompiledLayer& l, const std::vector<int>& parts, std::vector<int> rows) {
  while (!rows.empty() && rows.back() < 0) rows.pop_back();
  const std::vector<int> places = real_places(parts, l.shape.in);
  if (places != rows) {
    l.problem = "its matrix of zeros and ones does more than to remove padding";
    return;
  }
  constexpr int64_t kMost = 1 << 28;
  if (int64_t{l.in.h} * l.in.w > kMost / std::max(1, l.in.c)) {
    l.problem = "its input has too many positions";
    return;
  }
  l.type = LayerType::reshape;
  l.out = {1, 1, l.in.h * l.in.w * l.in.c};
}

// The channels of positions whose bytes follow each other, where the matrix fills each up to whole
// words; 0: it does something else.
int spread_channels(const std::vector<int>& rows, int inputs) {
  const auto c = static_cast<int>(std::find(rows.begin(), rows.end(), -1) - rows.begin());
  const int padded = round4(c);
  if (c == 0 || c == padded || inputs % c != 0) return 0;
  if (static_cast<int>(rows.size()) != inputs / c * padded) return 0;
  for (int n = 0; n < static_cast<int>(rows.size()); ++n) {
    const int k = n % padded;
    if (rows[static_cast<size_t>(n)] != (k < c ? n / padded * c + k : -1)) return 0;
  }
  return c;
}

// A row that the host gives becomes a picture.
bool spread(DecompiledLayer& l) {
  const Operand& in = l.inputs.front();
  const bool row = in.from.size() == 1 && in.from[0] < 0 && in.taken.empty() && in.moved.empty() &&
                   l.in.h == 1 && l.in.w == 1;
  const int c = row ? spread_channels(l.rows, l.shape.in) : 0;
  if (c == 0 || l.in.c % c != 0) return false;
  l.type = LayerType::reshape;
  l.out = {1, l.in.c / c, c};
  return true;
}

size_t bytes_in(const DecompiledLayer& l) {
  size_t have = 0;
  for (const BlockPlace& b : l.blocks) have += b.bytes;
  return have;
}

// A dense layer that all tiles compute alike: the lines that were sent to all of them are those of
// the outputs of one tile.
void take_equal_tiles(DecompiledLayer& l) {
  if (l.type != LayerType::dense || l.blocks.empty() || !l.blocks.front().cached) return;
  const auto of_tile = window_of(l.numbers, false);
  if (!of_tile || bytes_in(l) == padded_bytes(l.shape)) return;
  BlockShape one = l.shape;
  one.out = static_cast<int>(of_tile->out_channels);
  if (bytes_in(l) != padded_bytes(one)) return;
  l.shape = one;
  l.out.c = one.out;
}

void read_selection(DecompiledLayer& l, const ParameterContext& context,
                    std::vector<size_t>& used) {
  BlockShape& s = l.shape;
  s.has_bias = l.numbers.has_bias;
  if (l.blocks.empty() && !find_spread(l, context, used)) {
    l.problem = "the matrix of zeros and ones was not found";
    return;
  }
  // One position that every tile computes is no picture: the length of its lines tells.
  if (bytes_in(l) != padded_bytes(s)) {
    s.spatial = !s.spatial;
    if (bytes_in(l) != padded_bytes(s)) s.spatial = !s.spatial;
  }
  if (bytes_of(l, context).size() < static_cast<size_t>(s.bytes())) {
    l.problem = "its matrix of zeros and ones ends before its last line";
    return;
  }
  const auto content = read_block(s, bytes_of(l, context), 0);
  if (!content.ok()) {
    l.problem = content.error().message;
    return;
  }
  const auto all_rows = rows_of(*content, s);
  if (!all_rows) {
    l.problem = "its matrix takes more than one channel for an output";
    return;
  }
  l.rows = *all_rows;
  if (spread(l)) return;
  // Rows of zeros after the others only fill the last word.
  const auto last =
      std::find_if(all_rows->rbegin(), all_rows->rend(), [](int r) { return r >= 0; });
  long used_rows = last.base() - all_rows->begin();
  constexpr long kFiller = 3;  // most of it
  if (context.fills) used_rows = std::max(used_rows, static_cast<long>(all_rows->size()) - kFiller);
  const std::vector<int> rows(all_rows->begin(), all_rows->begin() + used_rows);
  const bool filled = std::find(rows.begin(), rows.end(), -1) != rows.end();
  if (rows.empty() || (filled && !context.fills)) {
    l.problem = "its matrix of zeros and ones leaves channels out";
    return;
  }
  int padded = 0;
  for (const int c : context.parts) padded += round4(c);
  if (padded != s.in) return flatten(l, context.parts, rows);
  const bool parts = filled || !l.inputs.front().moved.empty();
  auto taken = parts ? take_or_fill_channels(l.inputs.front(), context.parts, rows, l.in)
                     : take_channels(l.inputs.front(), context.parts,
                                     std::vector<size_t>(rows.begin(), rows.end()));
  if (!taken) {
    l.problem = "its matrix of zeros and ones takes channels that nobody makes";
    return;
  }
  l.inputs.front() = std::move(*taken);
  l.out = {l.in.h, l.in.w, static_cast<int>(rows.size())};
}

}  // namespace

void read_parameters(DecompiledLayer& l, const ParameterContext& context,
                     std::vector<size_t>& used) {
  if (l.type == LayerType::concat) return read_selection(l, context, used);
  make_shape(l);
  // A convolution of one channel to one is stored like a depthwise layer of one channel.
  if (l.type == LayerType::conv && l.in.c == 1 && round4(l.out.c) == 4 &&
      l.kernel_h * l.kernel_w > 1) {
    l.shape.kind = BlockKind::depthwise;
    l.shape.out = 1;
  }
  // What is loaded near a dense layer may be something else: blocks of its own tiles come first.
  std::vector<BlockPlace> loaded = l.blocks;
  // Streamed to one tile after the other: the layer begins with the lowest.
  if (!loaded.empty() && !loaded.front().cached) {
    std::sort(loaded.begin(), loaded.end(),
              [](const BlockPlace& x, const BlockPlace& y) { return x.offset < y.offset; });
  }
  if (l.type == LayerType::dense) l.blocks.clear();
  if (l.blocks.empty() && !find_named(l, context, used) && !find_spread(l, context, used)) {
    l.blocks = loaded;
  }
  if (l.blocks.empty()) {
    l.problem = "no parameters of " + std::to_string(padded_bytes(l.shape)) + " bytes in its tiles";
    return;
  }
  take_equal_tiles(l);
  const size_t have = bytes_in(l);
  const size_t wanted = padded_bytes(l.shape);
  const bool streamed = !l.blocks.front().cached;
  if (have != wanted && !streamed) {
    l.problem =
        "its parameters are " + std::to_string(have) + " bytes, not " + std::to_string(wanted);
    return;
  }
  if (bytes_of(l, context).size() < static_cast<size_t>(l.shape.bytes())) {
    l.problem = "its parameters end before its last block";
    return;
  }
  auto content =
      read_block(l.shape, bytes_of(l, context), static_cast<uint8_t>(l.numbers.weight_zero_point));
  if (!content.ok()) {
    l.problem = content.error().message;
    return;
  }
  l.content = std::move(*content);
  if (l.shape.kind == BlockKind::depthwise) {
    if (l.type == LayerType::conv) l.out.c = 1;
    return;
  }
  const int real = without_filler(l);
  if (real != l.shape.out) {
    cut(l.content, l.shape.out, real);
    l.shape.out = real;
    l.out.c = real;
  }
  compact(l);
}

}  // namespace edgetwin::edgetpu
