#include "tensor/shape.h"

#include <algorithm>

namespace edgetwin {

Shape::Shape(std::span<const int64_t> dims) {
  for (const int64_t dim : dims) push_back(dim);
}

void Shape::push_back(int64_t dim) {
  if (rank_ < kMaxRank) dims_[static_cast<size_t>(rank_++)] = dim;
}

int64_t Shape::elements() const { return elements(0, rank_); }

int64_t Shape::elements(int begin, int end) const {
  int64_t product = 1;
  for (int i = begin; i < end; ++i) product *= (*this)[i];
  return product;
}

bool Shape::is_static() const {
  return std::none_of(dims().begin(), dims().end(), [](int64_t d) { return d < 0; });
}

bool Shape::operator==(const Shape& other) const {
  return std::equal(dims().begin(), dims().end(), other.dims().begin(), other.dims().end());
}

std::optional<int64_t> checked_elements(std::span<const int64_t> dims, int64_t limit) {
  int64_t product = 1;
  for (const int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    if (dim != 0 && product > limit / dim) return std::nullopt;
    product *= dim;
  }
  return product;
}

std::string to_string(const Shape& shape) {
  if (shape.rank() == 0) return "scalar";
  std::string text;
  for (const int64_t dim : shape.dims()) {
    if (!text.empty()) text += "x";
    text += dim < 0 ? "?" : std::to_string(dim);
  }
  return text;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape result;
  for (int i = rank - 1; i >= 0; --i) {
    const int64_t x = a.back(i);
    const int64_t y = b.back(i);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result.push_back(x == 1 ? y : x);
  }
  return result;
}

std::string index_text(const Shape& shape, int64_t linear_index) {
  std::array<int64_t, Shape::kMaxRank> index = {};
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const int64_t dim = std::max<int64_t>(1, shape[i]);
    index[static_cast<size_t>(i)] = linear_index % dim;
    linear_index /= dim;
  }
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    text += (i ? ", " : "") + std::to_string(index[static_cast<size_t>(i)]);
  }
  return text + ")";
}

}  // namespace edgetwin
