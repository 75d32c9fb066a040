// Lines of wide memory in the vendor's style: what each step writes there, and what is kept from
// step to step. They have their places from the top as tensors have theirs in narrow memory.
#pragma once

#include <optional>
#include <vector>

#include "targets/edgetpu/compile/layout/memory.h"

namespace edgetwin::edgetpu::compiler {

class WideLines {
 public:
  // Of one step; gives its number.
  size_t add(int64_t lines, int64_t step);
  // At the lines that a template has: from `lowest` on, below `end`.
  size_t add_fixed(int64_t lowest, int64_t end, int64_t step);
  void keep(size_t which, int64_t step) { all_[which].last = step; }
  void grow(size_t which, int64_t lines) { all_[which].bytes += lines; }
  bool was_before(size_t which, int64_t step) const { return all_[which].first < step; }
  int64_t line(size_t which) const;
  // So many lines lower than at the top.
  int64_t lowered(size_t which) const { return all_[which].base; }
  // The unit matrix, which is written once, from the first step that takes it to the last one.
  void keep_matrix(int64_t step);
  bool has_matrix() const { return matrix_.has_value(); }
  // Where it is at a step; -1: it is not kept there.
  int64_t matrix_line(int64_t step) const;
  // The matrix that makes words of an input's bytes stays to the last step that makes some.
  void set_bytes(size_t which) { bytes_ = which; }
  void keep_bytes(int64_t step) {
    if (bytes_) keep(*bytes_, step);
  }
  std::optional<size_t> bytes() const { return bytes_; }
  // Some stay from one step to another.
  bool keeps() const;
  int64_t kept_lines() const;  // of both matrices
  // Gives all places; `turn` as place_by_levels(). Gives the lines in use.
  int64_t place(const std::vector<int64_t>& turn);
  int64_t used() const;

 private:
  std::vector<Region> all_;
  std::optional<size_t> matrix_, bytes_;
};

}  // namespace edgetwin::edgetpu::compiler
