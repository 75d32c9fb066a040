// The words of the known-answer test. Source: specification "memory" 4.
#include <algorithm>

#include "targets/max78/generate/generate.h"
#include "targets/max78/place/region.h"

namespace edgetwin::max78 {
namespace {

struct Word {
  uint32_t mask, address, value;
};

class Collector {
 public:
  Collector(const Plan& plan, std::vector<Word>& words) : plan_(plan), words_(words) {}

  // False once enough words are there. The order decides which ones these are.
  bool layer(const LayerPlan& l, const Tensor& out) {
    const Region r = region_of(l);
    std::vector<std::vector<Quad>> passes;
    for (int e = 0; e < r.expand; ++e) passes.push_back(quads_of(r, e));
    return swaps_bytes(plan_, r) ? by_quad(r, out, passes) : by_pixel(r, out, passes);
  }

 private:
  using Passes = std::vector<std::vector<Quad>>;

  bool by_pixel(const Region& r, const Tensor& out, const Passes& passes) {
    for (int64_t pixel = 0; pixel < r.pixels; ++pixel) {
      for (int e = 0; e < r.expand; ++e) {
        for (const Quad& q : passes[static_cast<size_t>(e)]) {
          if (!quad(r, out, pixel, e, q)) return false;
        }
      }
    }
    return true;
  }

  bool by_quad(const Region& r, const Tensor& out, const Passes& passes) {
    for (int e = 0; e < r.expand; ++e) {
      for (const Quad& q : passes[static_cast<size_t>(e)]) {
        for (int64_t pixel = 0; pixel < r.pixels; ++pixel) {
          if (!quad(r, out, pixel, e, q)) return false;
        }
      }
    }
    return true;
  }

  bool quad(const Region& r, const Tensor& out, int64_t pixel, int pass, const Quad& q) {
    uint32_t value = 0;
    int c = q.channel;
    for (int b = 0; b < 4; ++b) {
      if (((q.bits >> b) & 1U) == 0) continue;
      const auto index = static_cast<size_t>(c * r.pixels + pixel);
      ++c;
      if (r.width == 32) {
        const auto wide = static_cast<uint32_t>(out.as<int32_t>()[index]);
        if (!add({0xffffffffU, region_address(plan_, r, pixel, pass, q.quad, b), wide}))
          return false;
      } else {
        value |= static_cast<uint32_t>(static_cast<uint8_t>(out.as<int8_t>()[index])) << (8 * b);
      }
    }
    if (r.width == 32) return true;
    const int n = count_bits(q.bits);
    const uint32_t bytes = n == 4 ? 0xffffffffU : (1U << (8 * n)) - 1;
    const uint32_t mask = bytes << (8 * lowest_bit(q.bits));
    return add({mask, region_address(plan_, r, pixel, pass, q.quad, 0), value & mask});
  }

  bool add(const Word& word) {
    words_.push_back(word);
    const auto& most = plan_.options.max_checklines;
    return !most || static_cast<int64_t>(words_.size()) <= *most;
  }

  const Plan& plan_;
  std::vector<Word>& words_;
};

}  // namespace

std::vector<Run> expected_words(const Plan& plan, const std::vector<Tensor>& outputs) {
  std::vector<Run> runs;
  if (!plan.options.kat) return runs;
  std::vector<Word> words;
  Collector collector(plan, words);
  const std::vector<int> layers = output_layers(plan);
  for (size_t i = 0; i < layers.size() && i < outputs.size(); ++i) {
    if (!collector.layer(plan.layer(layers[i]), outputs[i])) break;
  }
  std::stable_sort(words.begin(), words.end(), [](const Word& a, const Word& b) {
    return a.mask != b.mask ? a.mask < b.mask : a.address < b.address;
  });
  for (const Word& w : words) {
    const bool joins = !runs.empty() && runs.back().mask == w.mask &&
                       runs.back().address + 4 * runs.back().words.size() == w.address;
    if (!joins) runs.push_back({w.address, w.mask, {}});
    runs.back().words.push_back(w.value);
  }
  return runs;
}

}  // namespace edgetwin::max78
