#include "targets/edgetpu/compile/layout/lines.h"

#include <algorithm>

namespace edgetwin::edgetpu::compiler {

size_t WideLines::add(int64_t lines, int64_t step) {
  all_.push_back({lines, step, step});
  return all_.size() - 1;
}

size_t WideLines::add_fixed(int64_t lowest, int64_t end, int64_t step) {
  const size_t made = add(end - lowest, step);
  all_[made].base = kWideTop - end;
  all_[made].fixed = true;
  return made;
}

int64_t WideLines::line(size_t which) const {
  return kWideTop - all_[which].base - all_[which].bytes;
}

// Beside the matrix of an input it lies below all else, as in MoveNet.
void WideLines::keep_matrix(int64_t step) {
  if (!matrix_) {
    matrix_ = add(1, step);
    all_[*matrix_].aside = bytes_.has_value();
  }
  keep(*matrix_, step);
}

int64_t WideLines::matrix_line(int64_t step) const {
  if (!matrix_) return -1;
  const Region& r = all_[*matrix_];
  return r.first <= step && step <= r.last ? line(*matrix_) : -1;
}

bool WideLines::keeps() const {
  return std::ranges::any_of(all_, [](const Region& r) { return r.first != r.last; });
}

int64_t WideLines::kept_lines() const {
  return (matrix_ ? all_[*matrix_].bytes : 0) + (bytes_ ? all_[*bytes_].bytes : 0);
}

int64_t WideLines::place(const std::vector<int64_t>& turn) {
  return all_.empty() ? 0 : place_by_levels(all_, turn, kWideTop);
}

int64_t WideLines::used() const {
  int64_t lines = 0;
  for (const Region& r : all_) lines = std::max(lines, r.base + r.bytes);
  return lines;
}

}  // namespace edgetwin::edgetpu::compiler
