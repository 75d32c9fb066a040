// Conv, Gemm, MatMul, pooling: operators with weights or windows.
#include <algorithm>

#include "formats/espdl/export/exporter.h"

namespace edgetwin::espdl {
namespace {

std::vector<int64_t> pair(int h, int w, bool one_dim) {
  if (one_dim) return {w};
  return {h, w};
}

std::vector<int64_t> pads(const Padding& p, bool one_dim) {
  if (one_dim) return {p.left, p.right};
  return {p.top, p.left, p.bottom, p.right};
}

// What must be added in front and after, in the order of ONNX's SAME_UPPER.
void pad_same(int64_t in, int64_t out, int64_t window, int64_t stride, int& before, int& after) {
  const int64_t total = std::max<int64_t>(0, (out - 1) * stride + window - in);
  before = static_cast<int>(total / 2);
  after = static_cast<int>(total - total / 2);
}

// The rows and columns added, as numbers; `window` in the picture, with dilation.
Padding given(const Exporter& e, const Exporter::Building& b, const Padding& p, int window_h,
              int window_w, int stride_h, int stride_w) {
  if (p.kind == Padding::Kind::given) return p;
  Padding result;
  result.kind = Padding::Kind::given;
  if (p.kind == Padding::Kind::valid) return result;
  const Shape& in = e.operand(b, 0).shape;
  const Shape& out = e.graph().value(b.op.outputs[0]).shape;
  pad_same(in.back(1), out.back(1), window_w, stride_w, result.left, result.right);
  if (in.rank() > 3) {
    pad_same(in.back(2), out.back(2), window_h, stride_h, result.top, result.bottom);
  }
  return result;
}

bool are_weights(const Value& v) {
  return v.is_constant() && (v.dtype == DType::int8 || v.dtype == DType::int16);
}

// Operand 1 in the order of the target. `plain` is its content in plain order.
void add_weights(Exporter& e, Exporter::Building& b, WeightUse use, const WeightShape& shape,
                 std::vector<int64_t> dims, ByteSpan plain) {
  const Value& v = e.operand(b, 1);
  const size_t size = byte_size(v.dtype);
  const bool one_dim = dims.size() == 3 && use != WeightUse::matmul;
  const WeightOrder order{use, e.target() == Target::c ? 0 : vector_block(size)};
  Result<Bytes> stored = from_ohwi(plain, order, shape, size);
  if (!stored.ok()) {
    e.refuse(b, stored.error().message);
    return;
  }
  TensorData data = e.data_of(v);
  data.doc_string = layout_doc(tag_of(order, shape, one_dim));
  data.dims = std::move(dims);
  data.data = std::move(*stored);
  e.add_constant(b, b.op.inputs[1], std::move(data));
}

// The bias: INT32 beside INT8, INT64 beside INT16, with the exponents of the products.
void add_bias(Exporter& e, Exporter::Building& b) {
  if (!b.op.has_input(2)) return;
  const Value& v = e.operand(b, 2);
  const DType wanted = e.operand(b, 1).dtype == DType::int8 ? DType::int32 : DType::int64;
  if (!v.is_constant() || v.dtype != wanted) {
    e.refuse(b, "the bias must be a constant of " + std::string(edgetwin::name(wanted)));
    return;
  }
  TensorData data = e.data_of(v);
  const Quant& in = e.operand(b, 0).quant;
  if (!v.quant.present() && in.exponent.size() == 1) {
    data.exponents.clear();
    for (const int w : e.operand(b, 1).quant.exponent) data.exponents.push_back(in.exponent[0] + w);
    if (data.exponents.empty()) data.exponents = {0};
  }
  e.add_constant(b, b.op.inputs[2], std::move(data));
}

bool usable_weights(Exporter& e, Exporter::Building& b, int rank) {
  const Value& v = e.operand(b, 1);
  if (are_weights(v) && v.shape.rank() == rank) return true;
  e.refuse(b, "the weights must be a constant of int8 or int16 with " + std::to_string(rank) +
                  " dimensions, not " + std::string(edgetwin::name(v.dtype)) + " " +
                  to_string(v.shape));
  return false;
}

}  // namespace

void export_conv(Exporter& e, Exporter::Building& b) {
  if (!usable_weights(e, b, 4)) return;
  const auto& a = b.op.as<Conv2DAttrs>();
  const Value& w = e.operand(b, 1);
  const bool depthwise = b.op.kind == OpKind::depthwise_conv_2d;
  const bool one_dim = e.operand(b, 0).shape.rank() == 3;
  const Shape& s = w.shape;
  const WeightShape shape =
      depthwise ? WeightShape{s[3], s[1], s[2], 1} : WeightShape{s[0], s[1], s[2], s[3]};
  if (depthwise && e.operand(b, 0).shape.back(0) != shape.n) {
    e.refuse(b, "the runtime has one filter per channel; here are " + std::to_string(shape.n) +
                    " for " + std::to_string(e.operand(b, 0).shape.back(0)) + " channels");
  }
  if (one_dim && shape.h != 1) e.refuse(b, "a filter with rows for an input without them");
  b.set("dilations", pair(a.dilation_h, a.dilation_w, one_dim));
  b.set("group", depthwise ? shape.n : 1);
  b.set("kernel_shape", pair(static_cast<int>(shape.h), static_cast<int>(shape.w), one_dim));
  const int window_h = (static_cast<int>(shape.h) - 1) * a.dilation_h + 1;
  const int window_w = (static_cast<int>(shape.w) - 1) * a.dilation_w + 1;
  b.set("pads", pads(given(e, b, a.padding, window_h, window_w, a.stride_h, a.stride_w), one_dim));
  b.set("strides", pair(a.stride_h, a.stride_w, one_dim));
  e.set_activation(b, a.activation);
  // A depthwise filter for one channel has no group by which the runtime would know it; its order
  // is then that of every convolution.
  const WeightUse use = depthwise && shape.n > 1 ? WeightUse::grouped : WeightUse::conv;
  e.take_input(b, 0);
  add_weights(e, b, use, shape, stored_dims(use, shape, one_dim), *w.constant);
  add_bias(e, b);
}

void export_gemm(Exporter& e, Exporter::Building& b) {
  if (!usable_weights(e, b, 2)) return;
  const Value& w = e.operand(b, 1);
  e.set_activation(b, b.op.as<FullyConnectedAttrs>().activation);
  b.set("alpha", 1.0F);
  b.set("beta", 1.0F);
  b.set("transA", int64_t{0});
  b.set("transB", int64_t{0});
  const WeightShape shape{w.shape[0], 1, 1, w.shape[1]};
  e.take_input(b, 0);
  add_weights(e, b, WeightUse::gemm, shape, stored_dims(WeightUse::gemm, shape), *w.constant);
  add_bias(e, b);
}

namespace {

// Matrices of `rows` x `columns` with both axes exchanged.
Bytes exchanged(ByteSpan from, int64_t batch, int64_t rows, int64_t columns, size_t size) {
  Bytes to(from.size());
  for (int64_t m = 0; m < batch * rows * columns; ++m) {
    const int64_t matrix = m / (rows * columns);
    const int64_t r = m / columns % rows;
    const int64_t c = m % columns;
    const int64_t target = (matrix * columns + c) * rows + r;
    std::copy_n(from.begin() + m * static_cast<int64_t>(size), size,
                to.begin() + target * static_cast<int64_t>(size));
  }
  return to;
}

void export_constant_matrix(Exporter& e, Exporter::Building& b, MatMulAttrs::Order order) {
  const Value& w = e.operand(b, 1);
  std::vector<int64_t> dims(w.shape.dims().begin(), w.shape.dims().end());
  const Result<WeightShape> shape = weight_shape(WeightUse::matmul, dims);
  if (!shape.ok() || !are_weights(w) || order == MatMulAttrs::Order::blocks) {
    e.refuse(b, "the right operand must be matrices of int8 or int16 in plain order");
    return;
  }
  const Bytes columns =
      order == MatMulAttrs::Order::rows
          ? exchanged(*w.constant, shape->batch, shape->c, shape->n, byte_size(w.dtype))
          : *w.constant;
  add_weights(e, b, WeightUse::matmul, *shape, std::move(dims), columns);
}

}  // namespace

void export_matmul(Exporter& e, Exporter::Building& b) {
  e.take_input(b, 0);
  const Value& right = e.operand(b, 1);
  if (b.op.kind == OpKind::fully_connected) {
    e.set_activation(b, b.op.as<FullyConnectedAttrs>().activation);
    if (!usable_weights(e, b, 2)) return;
    if (b.op.has_input(2)) e.refuse(b, "MatMul has no bias");
    const WeightShape shape{right.shape[0], 1, 1, right.shape[1]};
    add_weights(e, b, WeightUse::matmul, shape, {shape.c, shape.n}, *right.constant);
    return;
  }
  const auto& a = b.op.as<MatMulAttrs>();
  e.set_activation(b, a.activation);
  if (right.is_constant()) {
    export_constant_matrix(e, b, a.rhs_order);
    return;
  }
  const bool blocked = e.target() != Target::c;
  const bool as_wanted = blocked ? a.rhs_order == MatMulAttrs::Order::blocks &&
                                       a.block == vector_block(byte_size(right.dtype))
                                 : a.rhs_order == MatMulAttrs::Order::columns;
  if (!as_wanted) {
    e.refuse(b, "the computed right operand is not in the order that the target multiplies");
  }
  e.take_input(b, 1);
}

void export_pool(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<PoolAttrs>();
  e.take_input(b, 0);
  if (a.activation != Activation::none) e.refuse(b, "pooling has no fused activation");
  const bool one_dim = e.operand(b, 0).shape.rank() == 3;
  if (b.node.op_type == "GlobalAveragePool") return;
  if (a.filter_w == 0) {
    e.refuse(b, "the runtime has no maximum over the whole picture");
    return;
  }
  const Padding p = given(e, b, a.padding, a.filter_h, a.filter_w, a.stride_h, a.stride_w);
  if (b.node.op_type == "AveragePool") b.set("count_include_pad", int64_t{1});
  b.set("ceil_mode", int64_t{0});
  b.set("kernel_shape", pair(a.filter_h, a.filter_w, one_dim));
  b.set("pads", pads(p, one_dim));
  b.set("strides", pair(a.stride_h, a.stride_w, one_dim));
}

}  // namespace edgetwin::espdl
