// Shapes: sizes of up to eight dimensions, outermost first.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace edgetwin {

class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;  // a scalar: rank 0, one element
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  // `dims` must have at most kMaxRank entries.
  explicit Shape(std::span<const int64_t> dims);

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[static_cast<size_t>(axis)]; }
  int64_t& operator[](int axis) { return dims_[static_cast<size_t>(axis)]; }
  // Counted from the end: back(0) is the innermost size; 1 beyond the rank.
  int64_t back(int from_end) const {
    return from_end < rank_ ? dims_[static_cast<size_t>(rank_ - 1 - from_end)] : 1;
  }
  void push_back(int64_t dim);
  std::span<const int64_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }

  // The product of all sizes; shapes from files are checked by checked_elements first.
  int64_t elements() const;
  // The product of the sizes of axes [begin, end).
  int64_t elements(int begin, int end) const;
  // False if a size is negative (a dimension not known before the run).
  bool is_static() const;

  bool operator==(const Shape& other) const;

 private:
  std::array<int64_t, kMaxRank> dims_ = {};
  int rank_ = 0;
};

// The product, or nothing if a size is negative or the product exceeds `limit`.
std::optional<int64_t> checked_elements(std::span<const int64_t> dims, int64_t limit);

// "1x28x28x3"; "scalar" for rank 0; "?" for a size not known.
std::string to_string(const Shape& shape);

// The shape of an element-wise result under NumPy's broadcasting, or nothing.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

// Splits a linear index into coordinates: "(0, 3, 1, 2)".
std::string index_text(const Shape& shape, int64_t linear_index);

}  // namespace edgetwin
