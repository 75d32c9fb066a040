// What works on elements: sums of two tensors, functions, changes of type, means.
#include <algorithm>
#include <cmath>

#include "compare/onnx_ops.h"

namespace edgetwin::bench {
namespace {

using onnx::Attribute;

const char* real_pair(OpKind kind) {
  switch (kind) {
    case OpKind::add:
      return "Add";
    case OpKind::mul:
      return "Mul";
    case OpKind::div:
    case OpKind::floor_div:
      return "Div";
    case OpKind::maximum:
      return "Max";
    case OpKind::minimum:
      return "Min";
    default:
      return "Sub";
  }
}

// First, if an operand is there in that order and the others may be read in it.
Channels common_order(const FormOp& f) {
  Channels order = Channels::last;
  for (const ValueId id : f.op.inputs) {
    const Value& v = f.w.value(id);
    const bool movable =
        v.shape.rank() == 4 || v.shape.elements() == 1 || (v.is_constant() && v.shape.rank() == 1);
    if (!movable) return Channels::last;
    if (f.w.order_of(id) == Channels::first) order = Channels::first;
  }
  return order;
}

Activation activation_of(const Op& op) {
  const auto* a = std::get_if<BinaryAttrs>(&op.attrs);
  return a == nullptr ? Activation::none : a->activation;
}

int64_t moved_axis(int64_t axis, int rank, Channels order) {
  constexpr int64_t kPlace[] = {0, 2, 3, 1};
  if (axis < 0) axis += rank;
  return order == Channels::first && rank == 4 ? kPlace[axis] : axis;
}

const char* function_name(OpKind kind) {
  switch (kind) {
    case OpKind::relu:
      return "Relu";
    case OpKind::logistic:
      return "Sigmoid";
    case OpKind::tanh:
      return "Tanh";
    case OpKind::hard_swish:
      return "HardSwish";
    case OpKind::hard_sigmoid:
      return "HardSigmoid";
    case OpKind::gelu:
      return "Gelu";
    case OpKind::exp:
      return "Exp";
    case OpKind::log:
      return "Log";
    case OpKind::sqrt:
      return "Sqrt";
    case OpKind::neg:
      return "Neg";
    default:
      return nullptr;
  }
}

// ONNX's number of an element type.
int64_t type_number(DType type) {
  switch (type) {
    case DType::uint8:
      return 2;
    case DType::int8:
      return 3;
    case DType::int16:
      return 5;
    case DType::int32:
      return 6;
    case DType::int64:
      return 7;
    case DType::boolean:
      return 9;
    default:
      return 1;
  }
}

// All results of a look-up table, by input; between its entries on a straight line, which is at
// most a step away from what the chips do.
std::vector<int16_t> all_results(const Value& table, int inputs) {
  const std::vector<int64_t> entries = integers_of(table);
  const auto step = static_cast<size_t>(inputs) / (entries.size() - (entries.size() % 2));
  std::vector<int16_t> all(static_cast<size_t>(inputs));
  for (size_t x = 0; x < all.size(); ++x) {
    const size_t i = x / step, rest = x % step;
    const int64_t next = entries[std::min(i + 1, entries.size() - 1)];
    const double between = static_cast<double>((next - entries[i]) * static_cast<int64_t>(rest)) /
                           static_cast<double>(step);
    all[x] = static_cast<int16_t>(std::lround(static_cast<double>(entries[i]) + between));
  }
  return all;
}

Status form_table(const FormOp& f, Channels order) {
  const Value& table = f.w.value(f.op.table);
  const bool wide = table.dtype == DType::int16;
  const int inputs = wide ? 65536 : 256;
  const std::vector<int16_t> all = all_results(table, inputs);
  std::string constant;
  if (wide) {
    constant = f.w.constant_of("table", DType::int16, {inputs}, all);
  } else {
    constant = f.w.constant_of("table", DType::int8, {inputs},
                               std::vector<int8_t>(all.begin(), all.end()));
  }
  const std::string x =
      f.w.node("Cast", {f.w.read(f.in_id(0), order)}, {integer_attribute("to", 6)});
  const std::string middle =
      f.w.constant_of("middle", DType::int32, {}, std::vector<int32_t>{inputs / 2});
  f.w.node_to(f.w.made(f.out_id(), order), "Gather", {constant, f.w.node("Add", {x, middle})});
  return Ok{};
}

std::string swish(const FormOp& f, const std::string& x) {
  return f.w.node("Mul", {x, f.w.node("Sigmoid", {x})});
}

}  // namespace

Status form_pair(const FormOp& f) {
  const Channels order = common_order(f);
  const OpKind kind = f.op.kind;
  const Activation activation = activation_of(f.op);
  const bool has_kernel = kind == OpKind::add || kind == OpKind::mul;
  if (f.has_bytes() && has_kernel && f.in(1).dtype == f.in(0).dtype) {
    std::vector<std::string> inputs;
    f.add_quantized(inputs, 0, order);
    f.add_quantized(inputs, 1, order);
    f.add_result(inputs);
    finish_quantized(f, order, activation, kind == OpKind::add ? "QLinearAdd" : "QLinearMul",
                     std::move(inputs), {}, kMicrosoft);
    return Ok{};
  }
  std::string y = f.w.node(real_pair(kind),
                           {f.w.read_real(f.in_id(0), order), f.w.read_real(f.in_id(1), order)});
  if (kind == OpKind::squared_difference) y = f.w.node("Mul", {y, y});
  f.w.finish_real(f.out_id(), order, activated(f, activation, y));
  return Ok{};
}

Status form_concat(const FormOp& f) {
  const Channels order = common_order(f);
  const int64_t axis = moved_axis(f.op.as<ConcatAttrs>().axis, f.out().shape.rank(), order);
  const bool same = std::all_of(f.op.inputs.begin(), f.op.inputs.end(), [&](ValueId id) {
    return f.w.value(id).quant == f.out().quant || !f.out().quant.present();
  });
  std::vector<std::string> inputs;
  if (same || !f.has_bytes()) {
    for (const ValueId id : f.op.inputs) {
      inputs.push_back(same ? f.w.read(id, order) : f.w.read_real(id, order));
    }
    const std::string all =
        f.w.node("Concat", std::move(inputs), {integer_attribute("axis", axis)});
    if (!same) {
      f.w.finish_real(f.out_id(), order, all);
    } else {
      f.w.node_to(f.w.made(f.out_id(), order), "Identity", {all});
    }
    return Ok{};
  }
  f.add_result(inputs);
  for (size_t i = 0; i < f.op.inputs.size(); ++i) f.add_quantized(inputs, i, order);
  f.w.node_to(f.w.made(f.out_id(), order), "QLinearConcat", std::move(inputs),
              {integer_attribute("axis", axis)}, kMicrosoft);
  return Ok{};
}

Status form_function(const FormOp& f) {
  if (f.op.inputs.size() != 1) return f.refused("it has no form");
  const Channels order = common_order(f);
  if (f.op.kind == OpKind::logistic && f.has_bytes()) {
    std::vector<std::string> inputs;
    f.add_quantized(inputs, 0, order);
    f.add_result(inputs);
    f.w.node_to(f.w.made(f.out_id(), order), "QLinearSigmoid", std::move(inputs), {}, kMicrosoft);
    return Ok{};
  }
  if (f.op.kind == OpKind::lut && f.op.table != kAbsent) return form_table(f, order);
  const std::string x = f.w.read_real(f.in_id(0), order);
  std::string y;
  if (f.op.kind == OpKind::swish || f.op.type == "Swish") {
    y = swish(f, x);
  } else if (f.op.kind == OpKind::relu6) {
    y = activated(f, Activation::relu6, x);
  } else if (f.op.kind == OpKind::rsqrt) {
    y = f.w.node("Reciprocal", {f.w.node("Sqrt", {x})});
  } else if (const char* name = function_name(f.op.kind)) {
    y = f.w.node(name, {x});
  } else {
    return f.refused("the function is not known");
  }
  f.w.finish_real(f.out_id(), order, y);
  return Ok{};
}

Status form_softmax(const FormOp& f) {
  const int64_t axis = f.op.as<SoftmaxAttrs>().axis;
  const float beta = f.op.as<SoftmaxAttrs>().beta;
  if (f.has_bytes() && beta == 1.0F) {
    std::vector<std::string> inputs;
    f.add_quantized(inputs, 0, Channels::last);
    f.add_result(inputs);
    f.w.node_to(f.w.made(f.out_id(), Channels::last), "QLinearSoftmax", std::move(inputs),
                {integer_attribute("axis", axis), integer_attribute("opset", 13)}, kMicrosoft);
    return Ok{};
  }
  std::string x = f.w.read_real(f.in_id(0), Channels::last);
  if (beta != 1.0F && beta != 0.0F) x = f.w.node("Mul", {x, f.w.real("beta", beta)});
  f.w.finish_real(f.out_id(), Channels::last,
                  f.w.node("Softmax", {x}, {integer_attribute("axis", axis)}));
  return Ok{};
}

Status form_change(const FormOp& f) {
  const Channels order = common_order(f);
  f.w.finish_real(f.out_id(), order, f.w.read_real(f.in_id(0), order));
  return Ok{};
}

Status form_cast(const FormOp& f) {
  const Channels order = common_order(f);
  f.w.node_to(f.w.made(f.out_id(), order), "Cast", {f.w.read(f.in_id(0), order)},
              {integer_attribute("to", type_number(f.out().dtype))});
  return Ok{};
}

Status form_mean(const FormOp& f) {
  std::vector<int64_t> axes = f.op.has_input(1) ? integers_of(f.in(1)) : std::vector<int64_t>{};
  const int rank = f.in(0).shape.rank();
  for (int64_t& a : axes) a = a < 0 ? a + rank : a;
  std::sort(axes.begin(), axes.end());
  const std::string sizes =
      f.w.integers("sizes", {f.out().shape.dims().begin(), f.out().shape.dims().end()});
  const bool picture = rank == 4 && axes == std::vector<int64_t>{1, 2};
  if (picture && f.has_bytes() && f.op.kind == OpKind::mean) {
    std::vector<std::string> inputs;
    f.add_quantized(inputs, 0, Channels::first);
    f.add_result(inputs);
    const std::string y = f.w.node("QLinearGlobalAveragePool", std::move(inputs), {}, kMicrosoft);
    f.w.node_to(f.w.made(f.out_id(), Channels::last), "Reshape", {y, sizes});
    return Ok{};
  }
  const std::string y =
      f.w.node(f.op.kind == OpKind::sum ? "ReduceSum" : "ReduceMean",
               {f.w.read_real(f.in_id(0), Channels::last), f.w.integers("axes", axes)},
               {integer_attribute("keepdims", 1)});
  f.w.finish_real(f.out_id(), Channels::last, f.w.node("Reshape", {y, sizes}));
  return Ok{};
}

}  // namespace edgetwin::bench
