#include "decode/classify.h"

#include <algorithm>

namespace edgetwin::decode {

bool is_classification(const Tensor& t) {
  return t.shape.rank() > 0 && t.shape.back(0) >= 2 && t.shape.back(0) == t.shape.elements() &&
         bits(t.dtype) >= 8;
}

std::vector<RankedClass> best_classes(const Tensor& t, size_t count) {
  std::vector<RankedClass> ranked;
  for (int64_t i = 0; i < t.shape.elements(); ++i) {
    const auto channel = static_cast<size_t>(t.quant.per_channel() ? i : 0);
    const double raw = element_as_double(t.dtype, t.data, i);
    const double real = (raw - static_cast<double>(t.quant.zero_point_of(channel))) *
                        static_cast<double>(t.quant.scale_of(channel));
    ranked.push_back({i, t.quant.present() ? real : raw});
  }
  count = std::min(count, ranked.size());
  const auto better = [](const RankedClass& a, const RankedClass& b) {
    return a.score > b.score || (a.score == b.score && a.index < b.index);
  };
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    ranked.end(), better);
  ranked.resize(count);
  return ranked;
}

}  // namespace edgetwin::decode
