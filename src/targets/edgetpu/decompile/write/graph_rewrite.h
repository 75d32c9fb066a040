// The operators that take the place of a compiled one, while they are being made: what all parts
// of the writer share, and how they add values and operators.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "targets/edgetpu/decompile/write/decompiled_op.h"

namespace edgetwin::edgetpu {

// Between a byte's unsigned and its signed form.
inline constexpr int kFlip = 128;

struct GraphRewrite {
  Graph& graph;
  DecompiledOp& op;
  const darwinn::Executable& inference;
  DType type = DType::uint8;  // of all tensors between the layers
  size_t first_op = 0;
  std::vector<Op> made{};
  std::vector<ValueId> inputs{};   // by input of the executable
  std::vector<ValueId> states{};   // the same before anything else; of recurrent layers
  std::vector<ValueId> values{};   // by layer
  std::vector<ValueId> reached{};  // outputs of the compiled operator that were made
  std::vector<std::pair<Operand, ValueId>> joined{};  // of several producers, or parts of them

  const std::vector<DecompiledLayer>& layers() const { return op.layers.layers; }

  Quant quant(float scale, int64_t unsigned_zero) const;
  ValueId add_value(std::string name, DType dtype, Shape shape, Quant q);
  ValueId add_constant(const std::string& name, DType dtype, Shape shape, Quant q, Bytes bytes);
  ValueId add_integers(const std::string& name, const std::vector<int32_t>& numbers, Shape shape);
  void add_op(OpKind kind, Attrs attrs, std::vector<ValueId> inputs_of_op, ValueId output);
  // `name` is that of the new value.
  ValueId reshape(ValueId from, const Shape& shape, const std::string& name);
  ValueId convert(ValueId from, DType dtype, const Quant& q, const std::string& name);
  // Reshapes into a value that is already there.
  void reshape_into(ValueId from, ValueId to, const std::string& name);
  // What layer `l`, or a part of it, is called in the file.
  std::string label(size_t l, std::string_view what = {}) const;
};

inline Shape picture(const Extent2D& e) { return Shape{1, e.h, e.w, e.c}; }

// Unsigned bytes as signed ones, and back.
void flip_signs(Bytes& bytes);

// An operator whose result is the layer's picture.
ValueId write_plain(GraphRewrite& r, size_t l, OpKind kind, Attrs attrs,
                    const std::vector<ValueId>& in, const Quant& q);

}  // namespace edgetwin::edgetpu
