// Constants as numbers, held as double, which is exact for every size that a tensor can have.
#pragma once

#include <vector>

#include "formats/onnx/import/importer.h"

namespace edgetwin::onnx {

inline constexpr int64_t kMostElements = int64_t{1} << 26;

struct Numbers {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<double> values;
};

Numbers numbers_of(const Value& v);
// Becomes output 0 of the node.
Status bind(Importer& m, const Node& n, const Numbers& numbers);
Error too_large(const Importer& m, const Node& n, const Shape& shape);

// constant_shapes.cc: sizes, and constants of a size that is asked for.
Status constant_size(Importer& m, const Node& n);
Status constant_fill(Importer& m, const Node& n);
Status constant_range(Importer& m, const Node& n, const std::vector<Numbers>& operands);
Status constant_cast(Importer& m, const Node& n, Numbers operand);
Status constant_expand(Importer& m, const Node& n, const Numbers& operand);

}  // namespace edgetwin::onnx
