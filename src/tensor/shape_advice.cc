#include "tensor/shape_advice.h"

#include <algorithm>
#include <vector>

namespace edgetwin {
namespace {

Shape without(const Shape& s, int axis) {
  Shape result;
  for (int i = 0; i < s.rank(); ++i) {
    if (i != axis) result.push_back(s[i]);
  }
  return result;
}

// The channels of `s` behind its other axes (`last`), or before them. The first axis stays.
Shape moved(const Shape& s, bool last) {
  std::vector<int64_t> dims(s.dims().begin(), s.dims().end());
  if (dims.size() < 3) return s;
  const auto first = dims.begin() + 1;
  std::rotate(first, last ? first + 1 : dims.end() - 1, dims.end());
  return Shape(std::span<const int64_t>(dims));
}

std::string axes(int rank, bool last) {
  std::string text = "(0";
  if (!last) text += ", " + std::to_string(rank - 1);
  for (int i = last ? 2 : 1; i < (last ? rank : rank - 1); ++i) text += ", " + std::to_string(i);
  return text + (last ? ", 1)" : ")");
}

std::string order_advice(const Shape& have, const Shape& want) {
  for (const bool last : {true, false}) {
    if (have == want || !(moved(have, last) == want)) continue;
    return "the channels are " + std::string(last ? "last" : "first") + " here: np.transpose(a, " +
           axes(have.rank(), last) + ")";
  }
  return "";
}

}  // namespace

std::string shape_advice(const Shape& have, const Shape& want) {
  if (const std::string text = order_advice(have, want); !text.empty()) {
    return "The axes are in another order; " + text + ".";
  }
  if (want.rank() == 0 || have.rank() == 0) return "";
  // Rows of samples: [n, 1, …], or [n, …] for an input of batch 1.
  const bool extra = have.rank() == want.rank() + 1;
  if (!extra && (have.rank() != want.rank() || want[0] != 1 || have[0] < 2)) return "";
  Shape one = extra ? without(have, 0) : have;
  if (!extra) one[0] = 1;
  const std::string each = "The array holds " + std::to_string(have[0]) +
                           " samples, and one is taken at a time: give " +
                           (extra ? "a[0]" : "a[0:1]");
  if (one == want) return each + ".";
  const std::string order = order_advice(one, want);
  return order.empty() ? "" : each + "; " + order + ".";
}

}  // namespace edgetwin
