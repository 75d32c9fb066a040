#include "targets/edgetpu/decompile/operands/byte_follower.h"

namespace edgetwin::edgetpu {

std::optional<FollowedByte> Follower::byte(int32_t node, int b) {
  constexpr int kWord = 4;
  constexpr int kDeepest = 64;
  const Traces& t = replay_.traces;
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (node < 0 || static_cast<size_t>(node) >= t.nodes.size()) return std::nullopt;
    const TraceNode& n = t.nodes[static_cast<size_t>(node)];
    if (n.from < 0) {
      return FollowedByte{static_cast<size_t>(-1 - n.from), int64_t{n.word} * kWord + b};
    }
    const TracedPixel& pixel = t.pixels[static_cast<size_t>(n.from)];
    if (pixel.left_by_loop) return FollowedByte{kLeftRows, int64_t{n.word} * kWord + b};
    const int layer = layer_of_[pixel.stage];
    if (layer < 0) return std::nullopt;
    const auto& rows = layers_[static_cast<size_t>(layer)].rows;
    const auto out = static_cast<size_t>(int64_t{n.word} * kWord + b);
    if (out >= rows.size() || rows[out] < 0) return std::nullopt;
    const auto in = static_cast<size_t>(rows[out] / kWord);
    if (in >= pixel.in.size()) return std::nullopt;
    through_.insert(static_cast<size_t>(layer));
    node = pixel.in[in];
    b = rows[out] % kWord;
  }
  return std::nullopt;
}

std::optional<size_t> Follower::rows(std::span<const int32_t> nodes, int64_t count, int64_t first,
                                     int64_t row, int64_t pitch) {
  constexpr int64_t kWord = 4;
  if (count <= 0 || row <= 0 || count > static_cast<int64_t>(nodes.size()) * kWord) {
    return std::nullopt;
  }
  std::optional<size_t> request;
  for (int64_t k = 0; k < count; ++k) {
    const auto found = byte(nodes[static_cast<size_t>(k / kWord)], static_cast<int>(k % kWord));
    if (!found || found->byte != first + k / row * pitch + k % row) return std::nullopt;
    if (request && *request != found->request) return std::nullopt;
    request = found->request;
  }
  return request;
}

}  // namespace edgetwin::edgetpu
