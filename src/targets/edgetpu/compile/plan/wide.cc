// Lines of wide memory in the vendor's style: the buffers of each step, and what is kept from step to
// step. They have their places by the law of layout/memory.h, from the top.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {

size_t Lowering::wide(int64_t lines) {
  wide_.push_back({lines, step(), step()});
  return wide_.size() - 1;
}

int64_t Lowering::wide_line(size_t which) const {
  return kWideTop - wide_[which].base - wide_[which].bytes;
}

// Lines of the step at hand from `lowest` on, which is a constant of its template; the place among
// wide regions, or -1: it has none.
int Lowering::reserve(int64_t lowest) {
  if (source_.style == Style::own) {
    lowest_ = std::min(lowest_, lowest);
    return -1;
  }
  if (lowest >= kWideTop) return -1;
  // Words and bytes are copied by the matrix alone.
  if (lowest == kConstantLine) {
    keep_matrix();
    return -1;
  }
  const bool transfers = lowest == kTransferLowest;
  const size_t made = wide(transfers ? kTransferLines : kWideTop - lowest);
  wide_[made].fixed = !transfers && lowest != kOutputLowest;
  return static_cast<int>(made);
}

// The lines of the step that was made last may lie anywhere, from the highest place on.
void Lowering::move_lines(int64_t lines) {
  if (source_.style != Style::vendor) return;
  Region& r = wide_[static_cast<size_t>(steps_.back().lines)];
  r.bytes = lines;
  r.fixed = false;
}

// The unit matrix, from the first step that takes it to the last one.
void Lowering::keep_matrix() {
  if (source_.style != Style::vendor) return;
  if (!matrix_) {
    matrix_ = wide(1);
    wide_[*matrix_].aside = byte_matrix_.has_value();
  }
  wide_[*matrix_].last = step();
}

// Where the unit matrix is at a step; -1: it is not kept there.
int64_t Lowering::matrix_line(size_t at_step) const {
  if (!matrix_) return -1;
  const Region& r = wide_[*matrix_];
  const auto now = static_cast<int64_t>(at_step);
  return r.first <= now && now <= r.last ? wide_line(*matrix_) : -1;
}

// Buffers of layers and what wide memory keeps beside them.
bool Lowering::place_lines() {
  if (source_.style != Style::vendor || wide_.empty()) return true;
  if (byte_matrix_) wide_[*byte_matrix_].last = step();
  const int64_t lines = place_by_levels(wide_, turns(), kWideTop);
  lowest_ = std::min(lowest_, kWideTop - lines - deep_lines_);
  for (const auto& [which, spec] : tiled_) {
    spec->tiling.shift(wide_line(which) - spec->tiling.lowest_line);
  }
  return lowest_ >= 0 || refuse(Rule::wide_memory, "buffers do not fit beside what is kept");
}

}  // namespace edgetwin::edgetpu::compiler
