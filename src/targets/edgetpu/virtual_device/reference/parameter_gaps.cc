#include "targets/edgetpu/virtual_device/reference/parameter_gaps.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

size_t to_line(int64_t bytes) {
  return (static_cast<size_t>(bytes) + kLineBytes - 1) / kLineBytes * kLineBytes;
}

struct ParameterGap {
  size_t blob, offset, bytes;
};

std::vector<ParameterGap> gaps_of(const Located& located) {
  std::vector<ParameterGap> gaps;
  for (size_t b = 0; b < located.blobs.size(); ++b) {
    size_t at = 0;
    const auto up_to = [&](size_t end) {
      if (end > at) gaps.push_back({b, at, end - at});
    };
    for (const Piece& p : located.pieces) {
      if (p.blob != b) continue;
      up_to(p.offset);
      at = std::max(at, p.offset + to_line(static_cast<int64_t>(p.bytes)));
    }
    up_to(located.blobs[b].bytes.size());
  }
  return gaps;
}

// The zero points in front of every block are words with one byte each: a check that a layer may
// stand there.
bool may_stand(const ReferenceLayer& l, ByteSpan bytes) {
  if (!l.shape.has_zero) return true;
  const auto content = read_block(l.shape, bytes, l.content.zero_points[0]);
  if (!content.ok()) return false;
  const uint8_t wanted = l.content.zero_points[0];
  return std::all_of(content->zero_points.begin(), content->zero_points.end(),
                     [wanted](uint8_t z) { return z == wanted; });
}

bool put(Located& located, const ParameterGap& gap, size_t layer) {
  const ReferenceLayer& l = located.layers[layer];
  const size_t bytes = to_line(l.shape.bytes());
  if (l.shape.ordered() || bytes != gap.bytes) return false;
  if (!may_stand(l, located.blobs[gap.blob].bytes.subspan(gap.offset, gap.bytes))) return false;
  Piece piece;
  piece.label = l.label;
  piece.blob = gap.blob;
  piece.offset = gap.offset;
  piece.bytes = bytes;
  piece.layer = layer;
  piece.shape = l.shape;
  piece.output_scale = l.output_scales.back();
  located.pieces.push_back(std::move(piece));
  return true;
}

}  // namespace

void fill_gaps(Located& located) {
  std::vector<size_t> missing;
  for (const size_t layer : located.missing) {
    const std::vector<ParameterGap> gaps = gaps_of(located);
    const auto fits = [&](size_t other, const ParameterGap& g) {
      return to_line(located.layers[other].shape.bytes()) == g.bytes;
    };
    // One gap that fits this layer, and no other missing layer that it would fit.
    const auto candidates = std::count_if(gaps.begin(), gaps.end(),
                                          [&](const ParameterGap& g) { return fits(layer, g); });
    const auto gap = std::find_if(gaps.begin(), gaps.end(),
                                  [&](const ParameterGap& g) { return fits(layer, g); });
    const bool alone =
        candidates == 1 && std::count_if(located.missing.begin(), located.missing.end(),
                                         [&](size_t other) { return fits(other, *gap); }) == 1;
    if (!alone || !put(located, *gap, layer)) missing.push_back(layer);
  }
  located.missing = std::move(missing);
  std::sort(located.pieces.begin(), located.pieces.end(), [](const Piece& a, const Piece& b) {
    return a.blob != b.blob ? a.blob < b.blob : a.offset < b.offset;
  });
}

}  // namespace edgetwin::edgetpu
