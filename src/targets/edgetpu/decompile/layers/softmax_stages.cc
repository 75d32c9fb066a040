#include "targets/edgetpu/decompile/layers/softmax_stages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace edgetwin::edgetpu {
namespace {

bool is_scaling(const Stage& s) {
  return s.nest.kind == 0xF0 && s.nest.multiplier < 1e-6F && s.nest.lower == 0.0F;
}

// The scale of the input stands in lines of four equal numbers and 48 zero bytes, after two tables
// of zeros.
float table_scale(ByteSpan bytes) {
  for (size_t at = 0; at + kLineBytes <= bytes.size(); at += kLineBytes) {
    const ByteSpan line = bytes.subspan(at, kLineBytes);
    std::array<float, 4> four{};
    std::memcpy(four.data(), line.data(), sizeof(four));
    const bool zeros = std::all_of(line.begin() + sizeof(four), line.end(),
                                   [](std::byte x) { return x == std::byte{0}; });
    if (zeros && four[0] > 0.0F && std::isnormal(four[0]) && four[0] == four[1] &&
        four[1] == four[2] && four[2] == four[3]) {
      return four[0];
    }
  }
  return 0.0F;
}

// Where the scale of the input stands: in the table, which is cached or in the program itself. In
// most programs no instruction of a layer loads the table; where one does, its block counts as
// used.
float softmax_table_scale(const LayerSearch& search) {
  if (search.caching != nullptr) {
    const std::vector<size_t>& unused = search.result.replay.unused_resident;
    for (const bool used : {false, true}) {
      for (size_t b = 0; b < search.resident.blocks.size(); ++b) {
        const bool is_used = std::find(unused.begin(), unused.end(), b) == unused.end();
        const BlockPlace& block = search.resident.blocks[b];
        if (is_used != used) continue;
        const float found =
            table_scale(ByteSpan(search.caching->parameters).subspan(block.offset, block.bytes));
        if (found != 0.0F) return found;
      }
    }
  }
  return table_scale(search.inference.parameters);
}

// First and last stage around a sum of exponentials.
struct StageRange {
  size_t first = 0, last = 0;
};
StageRange around(const std::vector<Stage>& stages, size_t sum) {
  StageRange range{sum, sum};
  for (size_t k = sum; k-- > 0;) {
    if (stages[k].nest.weighted()) break;
    if (stages[k].kind == StageKind::maximum) range.first = k;
  }
  for (size_t k = sum; k < stages.size() && !stages[k].nest.weighted(); ++k) {
    if (is_scaling(stages[k])) range.last = k;
    if (range.last != sum && !is_scaling(stages[k])) break;
  }
  return range;
}

}  // namespace

SoftmaxStages find_softmax(const LayerSearch& search) {
  SoftmaxStages found;
  const auto& stages = search.stages();
  for (size_t s = 0; s < stages.size(); ++s) {
    if (stages[s].kind != StageKind::exponential_sum) continue;
    const auto [first, last] = around(stages, s);
    if (first == s || last == s) continue;
    DecompiledLayer layer;
    layer.type = LayerType::softmax;
    layer.numbers = stages[last].nest;
    for (size_t k = first; k <= last; ++k) {
      layer.stages.push_back(k);
      found.last_of[k] = last;
      if (stages[k].kind == StageKind::exponential) {
        const Nest& n = stages[k].nest;
        layer.softmax_scale = n.has_scales ? softmax_table_scale(search) : n.multiplier;
      }
    }
    found.layers[last] = layer;
  }
  return found;
}

}  // namespace edgetwin::edgetpu
