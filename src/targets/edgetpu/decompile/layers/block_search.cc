#include "targets/edgetpu/decompile/layers/block_search.h"

#include <algorithm>
#include <bit>

namespace edgetwin::edgetpu {

size_t padded_bytes(const BlockShape& shape) {
  const auto n = static_cast<size_t>(shape.bytes());
  return (n + kLineBytes - 1) / kLineBytes * kLineBytes;
}

bool find_named(DecompiledLayer& l, const ParameterContext& context, std::vector<size_t>& used) {
  constexpr int64_t kQuarters = 4;  // of a line
  std::vector<size_t> found;
  size_t bytes = 0;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    for (uint32_t mask = n.tiles; mask != 0; mask &= mask - 1) {
      const auto at =
          context.resident.at.find({std::countr_zero(mask), n.weight.start / kQuarters});
      if (at == context.resident.at.end()) return false;
      const auto& unused = context.replay.unused_resident;
      if (std::find(unused.begin(), unused.end(), at->second) == unused.end()) return false;
      if (std::find(found.begin(), found.end(), at->second) != found.end()) continue;
      found.push_back(at->second);
      bytes += context.resident.blocks[at->second].bytes;
    }
  }
  std::sort(found.begin(), found.end());
  for (size_t k = 1; k < found.size(); ++k) {
    if (found[k] != found[k - 1] + 1) return false;
  }
  if (found.empty() || bytes != padded_bytes(l.shape)) return false;
  for (const size_t b : found) {
    l.blocks.push_back(context.resident.blocks[b]);
    used.push_back(b);
  }
  return true;
}

bool find_spread(DecompiledLayer& l, const ParameterContext& context, std::vector<size_t>& used) {
  uint32_t tiles = 0;
  for (const size_t s : l.steps) tiles |= context.replay.steps.nest(s).tiles;
  const auto count = static_cast<size_t>(std::popcount(tiles));
  const auto& unused = context.replay.unused_resident;
  const auto& blocks = context.resident.blocks;
  const size_t wanted = padded_bytes(l.shape);
  for (size_t first = 0; first + count <= unused.size(); ++first) {
    uint32_t seen = 0;
    size_t bytes = 0;
    bool taken = false;
    for (size_t k = 0; k < count; ++k) {
      const size_t b = unused[first + k];
      taken = taken || std::find(used.begin(), used.end(), b) != used.end();
      seen |= blocks[b].tiles;
      bytes += blocks[b].bytes;
    }
    if (taken || seen != tiles || bytes != wanted) continue;
    for (size_t k = 0; k < count; ++k) {
      l.blocks.push_back(blocks[unused[first + k]]);
      used.push_back(unused[first + k]);
    }
    return true;
  }
  return false;
}

ByteSpan bytes_of(const DecompiledLayer& l, const ParameterContext& context) {
  const BlockPlace& first = l.blocks.front();
  const Bytes* from = &context.inference.parameters;
  if (first.cached) from = context.caching == nullptr ? nullptr : &context.caching->parameters;
  if (from == nullptr || first.offset >= from->size()) return {};
  return ByteSpan(*from).subspan(first.offset);
}

}  // namespace edgetwin::edgetpu
