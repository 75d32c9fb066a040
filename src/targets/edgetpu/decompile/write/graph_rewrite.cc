#include "targets/edgetpu/decompile/write/graph_rewrite.h"

#include <cstring>
#include <memory>

namespace edgetwin::edgetpu {

Quant GraphRewrite::quant(float scale, int64_t unsigned_zero) const {
  return Quant::affine(scale, unsigned_zero - (type == DType::int8 ? kFlip : 0));
}

ValueId GraphRewrite::add_value(std::string name, DType dtype, Shape shape, Quant q) {
  Value v;
  v.name = std::move(name);
  v.dtype = dtype;
  v.shape = shape;
  v.quant = std::move(q);
  graph.values.push_back(std::move(v));
  return static_cast<ValueId>(graph.values.size() - 1);
}

ValueId GraphRewrite::add_constant(const std::string& name, DType dtype, Shape shape, Quant q,
                                   Bytes bytes) {
  const ValueId v = add_value(name, dtype, shape, std::move(q));
  graph.value(v).constant = std::make_shared<const Bytes>(std::move(bytes));
  return v;
}

ValueId GraphRewrite::add_integers(const std::string& name, const std::vector<int32_t>& numbers,
                                   Shape shape) {
  Bytes bytes(numbers.size() * sizeof(int32_t));
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return add_constant(name, DType::int32, shape, {}, std::move(bytes));
}

void GraphRewrite::add_op(OpKind kind, Attrs attrs, std::vector<ValueId> inputs_of_op,
                          ValueId output) {
  Op added;
  added.kind = kind;
  added.attrs = std::move(attrs);
  added.inputs = std::move(inputs_of_op);
  added.outputs = {output};
  made.push_back(std::move(added));
}

std::string GraphRewrite::label(size_t l, std::string_view what) const {
  std::string text = "decompiled/" + std::to_string(l) + "_" + std::string(name(layers()[l].type));
  return what.empty() ? text : text + "/" + std::string(what);
}

ValueId GraphRewrite::reshape(ValueId from, const Shape& shape, const std::string& name) {
  const Value& v = graph.value(from);
  const ValueId to = add_value(name, v.dtype, shape, v.quant);
  reshape_into(from, to, name);
  return to;
}

void GraphRewrite::reshape_into(ValueId from, ValueId to, const std::string& name) {
  const Shape shape = graph.value(to).shape;
  ReshapeAttrs attrs;
  for (int i = 0; i < shape.rank(); ++i) attrs.new_shape.push_back(static_cast<int32_t>(shape[i]));
  const ValueId sizes = add_integers(name + "/shape", attrs.new_shape, Shape{shape.rank()});
  add_op(OpKind::reshape, attrs, {from, sizes}, to);
}

ValueId GraphRewrite::convert(ValueId from, DType dtype, const Quant& q, const std::string& name) {
  const ValueId to = add_value(name, dtype, graph.value(from).shape, q);
  add_op(OpKind::quantize, NoAttrs{}, {from}, to);
  return to;
}

void flip_signs(Bytes& bytes) {
  for (std::byte& b : bytes) b ^= std::byte{0x80};
}

ValueId write_plain(GraphRewrite& r, size_t l, OpKind kind, Attrs attrs,
                    const std::vector<ValueId>& in, const Quant& q) {
  const ValueId out = r.add_value(r.label(l), r.type, picture(r.layers()[l].out), q);
  r.add_op(kind, std::move(attrs), in, out);
  return out;
}

}  // namespace edgetwin::edgetpu
