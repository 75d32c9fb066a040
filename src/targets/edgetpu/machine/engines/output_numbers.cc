#include "targets/edgetpu/machine/engines/output_numbers.h"

#include <algorithm>

namespace edgetwin::edgetpu::machine {

void OutputNumbers::load(size_t output, int lanes) {
  begin_ = 0;
  end_ = w_.outputs.size();
  lanes_ = lanes;
  if (w_.nest.has_bias) limit(output, t_.biases.count);
  if (w_.nest.has_scales) limit(output, t_.scales.count);
  start_sums(w_, t_, output, kMostLanes, starts_.data());
  multipliers_of(w_, t_, output, lanes, multipliers_);
  for (auto l = static_cast<size_t>(lanes); l < multipliers_.size(); ++l) {
    multipliers_[l] = multipliers_[l - static_cast<size_t>(lanes)];
  }
}

void OutputNumbers::limit(size_t output, size_t sets) {
  if (sets == 0) return;
  const size_t outputs = w_.outputs.size();
  const size_t set = output * sets / outputs;
  // The first output o for which o * sets / outputs is at least `number`.
  const auto first = [&](size_t number) { return (number * outputs + sets - 1) / sets; };
  begin_ = std::max(begin_, first(set));
  end_ = std::min(end_, first(set + 1));
}

}  // namespace edgetwin::edgetpu::machine
