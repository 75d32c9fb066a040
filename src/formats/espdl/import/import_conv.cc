// Conv, Gemm, MatMul, pooling: operators with weights or windows.
#include "formats/espdl/import/importer.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl {
namespace {

// One or two numbers of an attribute, for the last axis or for both.
struct Pair {
  int h = 1, w = 1;
};

Result<Pair> pair_of(Importer& m, const Importer::Building& b, const char* attribute, bool one_dim,
                     int64_t otherwise) {
  const auto values = b.node.integers(attribute);
  const size_t wanted = one_dim ? 1 : 2;
  if (!values) {
    const auto v = static_cast<int>(otherwise);
    return Pair{one_dim ? 1 : v, v};
  }
  for (const int64_t v : *values) {
    if (v < 0 || v > (1 << 24)) {
      return m.error(b, ErrorCode::espdl_attribute,
                     std::string(attribute) + " holds " + std::to_string(v));
    }
  }
  if (values->size() != wanted) {
    return m.error(b, ErrorCode::espdl_attribute,
                   std::string(attribute) + " has " + std::to_string(values->size()) +
                       " numbers, " + std::to_string(wanted) + " expected");
  }
  return Pair{one_dim ? 1 : static_cast<int>((*values)[0]), static_cast<int>(values->back())};
}

Result<Padding> padding_of(Importer& m, const Importer::Building& b, bool one_dim) {
  Padding p;
  p.kind = Padding::Kind::given;
  const auto pads = b.node.integers("pads");
  if (!pads || pads->empty()) return p;
  const size_t wanted = one_dim ? 2 : 4;
  bool sane = pads->size() == wanted;
  for (const int64_t v : *pads) sane = sane && v >= 0 && v <= (1 << 20);
  if (!sane) return m.error(b, ErrorCode::espdl_attribute, "pads must be 2 or 4 numbers from 0 on");
  const auto at = [&](size_t i) { return static_cast<int>((*pads)[i]); };
  if (one_dim) {
    p.left = at(0);
    p.right = at(1);
  } else {
    p.top = at(0);
    p.left = at(1);
    p.bottom = at(2);
    p.right = at(3);
  }
  return p;
}

// Exponents of weights, one per output channel along `axis` of the plain order.
Quant weight_quant(const TensorData& data, int64_t channels, int axis) {
  Quant q;
  q.scheme = Quant::Scheme::power_of_two;
  for (const int64_t e : data.exponents) q.exponent.push_back(static_cast<int>(e));
  if (q.exponent.empty()) q.exponent.push_back(0);
  q.axis = axis;
  if (static_cast<int64_t>(q.exponent.size()) != channels) q.exponent.resize(1);
  return q;
}

struct Weights {
  WeightShape shape;
  Bytes plain;
  DType dtype = DType::int8;
};

// The weights of input 1 in plain order.
Result<Weights> weights_of(Importer& m, const Importer::Building& b, WeightUse use) {
  const TensorData* data = m.constant(b, 1);
  if (data == nullptr) {
    return m.error(b, ErrorCode::espdl_reference, "the weights must be an initializer");
  }
  const auto dtype = dtype_of_code(data->type);
  if (!dtype || (*dtype != DType::int8 && *dtype != DType::int16)) {
    return m.error(
        b, ErrorCode::espdl_tensor,
        "weights of type " + std::string(name(data->type)) + "; the runtime has INT8 and INT16");
  }
  const size_t size = byte_size(*dtype);
  const WeightOrder order{use, m.target() == Target::c ? 0 : vector_block(size)};
  Result<WeightShape> shape = weight_shape(use, data->dims);
  if (!shape.ok()) return std::move(shape).error().in_layer(b.label);
  Result<Bytes> plain = to_ohwi(data->data, order, *shape, size);
  if (!plain.ok()) return std::move(plain).error().in_layer(b.label);
  const auto channels = static_cast<size_t>(shape->n);
  if (data->exponents.size() > 1 && data->exponents.size() != channels) {
    return m.error(b, ErrorCode::espdl_tensor,
                   std::to_string(data->exponents.size()) + " exponents for " +
                       std::to_string(channels) + " output channels");
  }
  for (const int64_t e : data->exponents) {
    if (e < -1000 || e > 1000) {
      return m.error(b, ErrorCode::espdl_tensor, "an exponent of " + std::to_string(e));
    }
  }
  return Weights{*shape, std::move(*plain), *dtype};
}

Status add_weights(Importer& m, Importer::Building& b, Weights weights, Shape shape, int axis) {
  const TensorData& data = *m.constant(b, 1);
  Value v;
  v.name = data.name;
  v.dtype = weights.dtype;
  v.shape = shape;
  v.quant = weight_quant(data, weights.shape.n, axis);
  v.constant = std::make_shared<const Bytes>(std::move(weights.plain));
  b.op.inputs.push_back(m.add_value(std::move(v)));
  if (b.node.inputs.size() > 2 && !b.node.inputs[2].empty()) return m.take_input(b, 2);
  return Ok{};
}

}  // namespace

Status import_conv(Importer& m, Importer::Building& b) {
  const TensorData* data = m.constant(b, 1);
  const bool one_dim = data != nullptr && data->dims.size() == 3;
  const int64_t group = b.node.integer("group").value_or(1);
  EDGETWIN_TRY_ASSIGN(Weights w,
                      weights_of(m, b, group > 1 ? WeightUse::grouped : WeightUse::conv));
  if (group > 1 && (w.shape.c != 1 || w.shape.n != group)) {
    return m
        .error(b, ErrorCode::op_undefined,
               "the runtime computes only group 1 and one filter per channel rightly")
        .detail("group " + std::to_string(group) + ", " + std::to_string(w.shape.n) +
                " output channels, " + std::to_string(w.shape.c) + " input channels per group");
  }
  EDGETWIN_TRY(m.take_input(b, 0));
  Conv2DAttrs a;
  EDGETWIN_TRY_ASSIGN(a.activation, m.activation(b));
  EDGETWIN_TRY_ASSIGN(a.padding, padding_of(m, b, one_dim));
  EDGETWIN_TRY_ASSIGN(const Pair stride, pair_of(m, b, "strides", one_dim, 1));
  EDGETWIN_TRY_ASSIGN(const Pair dilation, pair_of(m, b, "dilations", one_dim, 1));
  a.stride_h = stride.h;
  a.stride_w = stride.w;
  a.dilation_h = dilation.h;
  a.dilation_w = dilation.w;
  const WeightShape s = w.shape;
  const bool depthwise = group > 1;
  a.depth_multiplier = depthwise ? 1 : 0;
  b.op.kind = depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d;
  b.op.attrs = a;
  const Shape shape = depthwise ? Shape{1, s.h, s.w, s.n} : Shape{s.n, s.h, s.w, s.c};
  return add_weights(m, b, std::move(w), shape, depthwise ? 3 : 0);
}

Status import_gemm(Importer& m, Importer::Building& b) {
  for (const char* trans : {"transA", "transB"}) {
    if (b.node.integer(trans).value_or(0) != 0) {
      return m.error(b, ErrorCode::espdl_attribute, std::string(trans) + " must be 0 in the file");
    }
  }
  for (const char* factor : {"alpha", "beta"}) {
    const float value = b.node.real(factor).value_or(1.0F);
    if (value != 1.0F) {
      return m.error(b, ErrorCode::espdl_attribute,
                     std::string(factor) + " is " + std::to_string(value) + ", 1 is possible");
    }
  }
  EDGETWIN_TRY_ASSIGN(Weights w, weights_of(m, b, WeightUse::gemm));
  FullyConnectedAttrs a;
  a.keep_num_dims = true;
  EDGETWIN_TRY_ASSIGN(a.activation, m.activation(b));
  b.op.kind = OpKind::fully_connected;
  b.op.attrs = a;
  EDGETWIN_TRY(m.take_input(b, 0));
  const Shape shape{w.shape.n, w.shape.c};
  return add_weights(m, b, std::move(w), shape, 0);
}

Status import_matmul(Importer& m, Importer::Building& b) {
  if (b.node.inputs.size() < 2) {
    return m.error(b, ErrorCode::graph_arity, "MatMul has two operands");
  }
  EDGETWIN_TRY_ASSIGN(const Activation activation, m.activation(b));
  EDGETWIN_TRY(m.take_input(b, 0));
  MatMulAttrs a;
  a.activation = activation;
  const TensorData* data = m.constant(b, 1);
  if (data != nullptr) {
    EDGETWIN_TRY_ASSIGN(Weights w, weights_of(m, b, WeightUse::matmul));
    EDGETWIN_TRY_ASSIGN(const Shape left, m.declared_shape(b, 0));
    const bool one_matrix = w.shape.batch == 1 && data->dims.size() <= 2 && left.rank() >= 1;
    if (one_matrix) {  // the rows of one matrix: what Gemm does
      b.op.kind = OpKind::fully_connected;
      FullyConnectedAttrs fc;
      fc.keep_num_dims = true;
      fc.activation = activation;
      b.op.attrs = fc;
      const Shape shape{w.shape.n, w.shape.c};
      return add_weights(m, b, std::move(w), shape, 0);
    }
    a.rhs_order = MatMulAttrs::Order::columns;
    b.op.kind = OpKind::matmul;
    b.op.attrs = a;
    const Shape shape{std::span<const int64_t>(data->dims)};
    Quant quant = weight_quant(*data, 1, 0);
    b.op.inputs.push_back(
        m.add_constant(b, "matrix", w.dtype, shape, std::move(w.plain), std::move(quant)));
    return Ok{};
  }
  EDGETWIN_TRY(m.take_input(b, 1));
  const DType dtype = m.graph().value(b.op.inputs[1]).dtype;
  const bool blocked = m.target() != Target::c;
  a.rhs_order = blocked ? MatMulAttrs::Order::blocks : MatMulAttrs::Order::columns;
  a.block = blocked ? vector_block(byte_size(dtype)) : 0;
  b.op.kind = OpKind::matmul;
  b.op.attrs = a;
  return Ok{};
}

Status import_pool(Importer& m, Importer::Building& b) {
  EDGETWIN_TRY(m.take_input(b, 0));
  if (b.op.inputs[0] == kAbsent) return m.error(b, ErrorCode::graph_arity, "no input");
  const bool one_dim = m.graph().value(b.op.inputs[0]).shape.rank() == 3;
  PoolAttrs a;
  b.op.kind = b.node.op_type == "MaxPool" ? OpKind::max_pool_2d : OpKind::average_pool_2d;
  if (b.node.op_type == "GlobalAveragePool") {
    a.padding.kind = Padding::Kind::given;
    a.stride_h = a.stride_w = 1;  // a filter of size 0 is the whole picture
    b.op.attrs = a;
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(a.padding, padding_of(m, b, one_dim));
  EDGETWIN_TRY_ASSIGN(const Pair stride, pair_of(m, b, "strides", one_dim, 1));
  EDGETWIN_TRY_ASSIGN(const Pair filter, pair_of(m, b, "kernel_shape", one_dim, 0));
  if (filter.h < 1 || filter.w < 1) {
    return m.error(b, ErrorCode::espdl_attribute, "kernel_shape is missing");
  }
  a.stride_h = stride.h;
  a.stride_w = stride.w;
  a.filter_h = filter.h;
  a.filter_w = filter.w;
  const Padding& p = a.padding;
  const bool padded = p.top + p.left + p.bottom + p.right > 0;
  const bool average = b.node.op_type == "AveragePool";
  if (average && padded && b.node.integer("count_include_pad").value_or(0) == 0) {
    m.finding(b, Severity::warning,
              "count_include_pad is 0, but the runtime divides by the whole window",
              "Values near the borders differ from the float network.");
  }
  const bool ignored = b.node.integer("ceil_mode").value_or(0) != 0;
  if (ignored) m.finding(b, Severity::warning, "the runtime ignores ceil_mode");
  b.op.attrs = a;
  return Ok{};
}

}  // namespace edgetwin::espdl
