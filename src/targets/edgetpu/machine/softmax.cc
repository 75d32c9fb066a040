// Softmax is a sequence: maximum, subtraction, a table of exponentials, their sum, a table of
// reciprocals, scaling. The words of 16 bits between the steps are not known, so that the machine
// computes the sequence as one: it takes the values where the subtraction reads them, the scales
// where the exponentials get them, and writes the result where the last scaling does. Copies in
// between are executed as they are.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "numerics/flavour/edgetpu_functions.h"
#include "targets/edgetpu/machine/core.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr uint32_t kKindSubtract = 0xB0;
constexpr uint32_t kKindScaling = 0xF0;
constexpr uint32_t kKindPlain = 0x30;
constexpr float kLowestExponent = -13.0381F;

bool is_tensor(const Step& s) { return s.nest.has_value(); }
bool is_exponent(const Step& s) {
  return s.opcode == Opcode::tensor && s.nest->function && s.nest->upper == 0.0F &&
         std::abs(s.nest->lower - kLowestExponent) < 0.01F;
}

// The words that a generator of byte addresses visits, each once.
std::vector<int64_t> words_of(const Generator& g) {
  std::vector<int64_t> words;
  unroll(g, [&](int64_t at, uint32_t /*pass*/) {
    if (words.empty() || words.back() != at / 4) words.push_back(at / 4);
  });
  return words;
}

// From a maximum to the last scaling behind the next sum of exponentials; 0: no softmax.
size_t end_of_softmax(const std::vector<Step>& list, size_t first) {
  size_t sum = 0;
  size_t last = 0;
  for (size_t n = first; n < list.size(); ++n) {
    const Step& s = list[n];
    if (!is_tensor(s)) continue;
    if (sum != 0 && s.opcode == Opcode::tensor_max) break;
    if (s.opcode == Opcode::tensor_exp) sum = n;
    if (sum != 0 && s.opcode == Opcode::tensor) {
      if (s.nest->kind == kKindScaling) last = n;
      if ((s.nest->kind & kKindWeights) != 0) break;
    }
  }
  return last;
}

// One sum for everything between: the sum is four numbers of 16 bits side by side, the maximum four
// bytes. Several rows have several of them; how these are put together was never seen.
bool of_one_row(const std::vector<Step>& list, size_t first, size_t last) {
  constexpr uint64_t kMany = 1U << 20U;
  size_t sums = 0;
  for (size_t n = first; n <= last; ++n) {
    const Step& s = list[n];
    if (s.opcode == Opcode::tensor_max && s.b.count(kMany) != 1) return false;
    if (s.opcode == Opcode::tensor_exp && (s.b.count(kMany) != 2 || ++sums != 1)) return false;
  }
  return sums == 1;
}

void mark(std::vector<Step>& list, size_t first, size_t last) {
  bool subtracting = true;
  for (size_t n = first; n <= last; ++n) {
    Step& s = list[n];
    if (!is_tensor(s)) continue;
    const uint32_t kind = s.nest->kind;
    if (is_exponent(s)) {
      s.softmax = SoftmaxPart::exponent;
      subtracting = false;
    } else if (s.opcode == Opcode::tensor && kind == kKindSubtract && subtracting) {
      s.softmax = SoftmaxPart::values;
    } else if (s.opcode != Opcode::tensor || kind != kKindPlain) {
      s.softmax = SoftmaxPart::between;
    }
  }
  // The last scaling may be one instruction for each kind of tile.
  for (size_t n = last + 1; n-- > first;) {
    Step& s = list[n];
    if (!is_tensor(s)) continue;
    if (s.nest->kind != kKindScaling || s.opcode != Opcode::tensor) break;
    s.softmax = SoftmaxPart::result;
  }
}

Status take_values(Core& core, const Step& s) {
  EDGETWIN_TRY(core.check(s.a, 1, kNarrowBytes, s));
  const std::vector<int64_t> words = words_of(s.a);
  for (size_t t = 0; t < kTiles; ++t) {
    if (!has_tile(s.tiles, t)) continue;
    const Bytes& narrow = core.tiles[t].narrow;
    Bytes& values = core.softmax.values[t];
    for (const int64_t w : words) {
      values.insert(values.end(), narrow.begin() + w * 4, narrow.begin() + w * 4 + 4);
    }
  }
  return Ok{};
}

void take_scales(Core& core, const Step& s) {
  core.softmax.scale = s.nest->multiplier;
  if (!s.nest->has_scales) return;
  for (size_t t = 0; t < kTiles; ++t) {
    if (!has_tile(s.tiles, t)) continue;
    const ChannelNumbers& n = core.tiles[t].scales;
    for (const uint32_t bits : n.bits) {
      float scale = 0.0F;
      std::memcpy(&scale, &bits, 4);
      core.softmax.scales[t].push_back(scale);
      // What only fills a word has a scale without bounds, so that its exponential vanishes.
      if (scale < 1e30F) core.softmax.scale = scale;
    }
  }
}

// Which values of a tile count.
bool counts(const SoftmaxState& s, size_t tile, size_t n) {
  return n >= s.scales[tile].size() || s.scales[tile][n] < 1e30F;
}

// All values that count, in the order of the tiles.
Result<std::array<Bytes, kTiles>> probabilities(const SoftmaxState& s) {
  numerics::SoftmaxSpec spec;
  spec.in = Quant::affine(s.scale, 0);
  spec.out = Quant::affine(1.0F / 256, 0);
  EDGETWIN_TRY_ASSIGN(const auto rule, numerics::edgetpu::Softmax<uint8_t>::make(spec));
  std::vector<uint8_t> row;
  for (size_t t = 0; t < kTiles; ++t) {
    for (size_t n = 0; n < s.values[t].size(); ++n) {
      if (counts(s, t, n)) row.push_back(static_cast<uint8_t>(s.values[t][n]));
    }
  }
  std::array<Bytes, kTiles> all;
  if (row.empty()) return all;
  std::vector<uint8_t> result(row.size());
  rule.row(row.data(), static_cast<int64_t>(row.size()), result.data());
  size_t at = 0;
  for (size_t t = 0; t < kTiles; ++t) {
    for (size_t n = 0; n < s.values[t].size(); ++n) {
      all[t].push_back(counts(s, t, n) ? static_cast<std::byte>(result[at++]) : std::byte{0});
    }
  }
  return all;
}

Status put_result(Core& core, const Step& s) {
  EDGETWIN_TRY(core.check(s.b, 1, kNarrowBytes - 3, s));
  EDGETWIN_TRY_ASSIGN(const auto all, probabilities(core.softmax));
  const std::vector<int64_t> words = words_of(s.b);
  for (size_t t = 0; t < kTiles; ++t) {
    if (!has_tile(s.tiles, t)) continue;
    if (all[t].size() != words.size() * 4) {
      return core.error(ErrorCode::chip_unknown, "this form of softmax is not known", s)
          .detail("tile " + std::to_string(t) + " has " + std::to_string(all[t].size()) +
                  " values and a result of " + std::to_string(words.size() * 4));
    }
    for (size_t n = 0; n < words.size(); ++n) {
      std::memcpy(core.tiles[t].narrow.data() + words[n] * 4, all[t].data() + n * 4, 4);
    }
  }
  return Ok{};
}

}  // namespace

void find_softmax(std::vector<Step>& list) {
  for (size_t n = 0; n < list.size(); ++n) {
    if (list[n].opcode != Opcode::tensor_max) continue;
    const size_t last = end_of_softmax(list, n);
    if (last == 0 || !of_one_row(list, n, last)) continue;
    mark(list, n, last);
    n = last;
  }
}

Result<bool> run_softmax(Core& core, Step& s) {
  switch (s.softmax) {
    case SoftmaxPart::none:
      return false;
    case SoftmaxPart::values:
      EDGETWIN_TRY(take_values(core, s));
      return true;
    case SoftmaxPart::exponent:
      take_scales(core, s);
      return true;
    case SoftmaxPart::result:
      EDGETWIN_TRY(put_result(core, s));
      return true;
    case SoftmaxPart::between:
      // The maximum begins another one.
      if (s.opcode == Opcode::tensor_max) core.softmax = {};
      return true;
  }
  return false;
}

}  // namespace edgetwin::edgetpu::machine
