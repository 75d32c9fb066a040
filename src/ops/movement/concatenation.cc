// CONCATENATION. Source: kernel specification 3.7.
#include <cstring>

#include "kernels/i8/lookup.h"
#include "ops/core/byte_table.h"
#include "ops/core/common.h"
#include "ops/core/instantiate.h"
#include "ops/core/pieces.h"
#include "ops/edgetpu/open.h"
#include "ops/fast/wanted_isa.h"
#include "ops/movement/prepare.h"

namespace edgetwin::ops {
namespace {

// One input's share of each stretch of the output.
struct Part {
  int64_t bytes = 0;
  std::optional<ByteTable> rescale;  // 8 bits of another quantization
};

struct ConcatPlan {
  Shape out;
  int64_t outer = 1;      // stretches
  int64_t out_bytes = 0;  // of one stretch
  std::vector<Part> parts;
};

template <class Rule>
ByteTable table_of(const Rule& rule) {
  ByteTable table;
  for (size_t b = 0; b < table.size(); ++b) {
    table[b] = static_cast<uint8_t>(rule(static_cast<typename Rule::In>(static_cast<uint8_t>(b))));
  }
  return table;
}

template <class T>
[[gnu::cold]] Result<ByteTable> edgetpu_table(const OpContext& c, const Quant& in,
                                              const Quant& out) {
  EDGETWIN_TRY_ASSIGN(const auto rule,
                      numerics::edgetpu::ConcatRescale<T>::make(in, out, c.options().edgetpu));
  return table_of(rule);
}

// From the quantization of input i to the output's.
template <class F>
[[gnu::cold]] Result<ByteTable> rescale_table(const OpContext& c, size_t i) {
  const Quant& in = c.input(i).quant;
  const Quant& out = c.output(0).quant;
  const DType type = c.input(i).dtype;
  if constexpr (is_edgetpu<F>) {
    if (type == DType::uint8) return edgetpu_table<uint8_t>(c, in, out);
    if (type == DType::int8) return edgetpu_table<int8_t>(c, in, out);
  } else if (type == DType::uint8) {
    const auto rule = numerics::tflite::ConcatRescale::make(in, out);
    ByteTable table;
    for (size_t b = 0; b < table.size(); ++b) table[b] = rule(static_cast<uint8_t>(b));
    return table;
  }
  return c.error(ErrorCode::op_quant, "only uint8 inputs may differ from the output in scale")
      .detail("input " + std::to_string(i) + ": " + to_string(in) + ", output: " + to_string(out));
}

template <class F>
Status add_part(const OpContext& c, size_t i, int axis, ConcatPlan& p) {
  const Shape& shape = c.input_shape(i);
  const auto fail = [&](const std::string& what) {
    return c.error(ErrorCode::op_shape, what)
        .detail("input 0 " + to_string(c.input_shape(0)) + ", input " + std::to_string(i) + " " +
                to_string(shape) + ", axis " + std::to_string(axis));
  };
  if (shape.rank() != p.out.rank()) return fail("inputs of different rank");
  for (int k = 0; k < shape.rank(); ++k) {
    if (k != axis && shape[k] != p.out[k]) return fail("sizes differ outside the axis");
  }
  if (c.input(i).dtype != c.output(0).dtype) return c.unsupported_types();
  p.out[axis] += shape[axis];
  Part part;
  part.bytes =
      shape.elements(axis, shape.rank()) * static_cast<int64_t>(byte_size(c.input(i).dtype));
  const Quant& in = c.input(i).quant;
  const Quant& out = c.output(0).quant;
  const bool same = in.scale == out.scale && in.zero_point == out.zero_point;
  if (in.present() && out.present() && !same) {
    EDGETWIN_TRY_ASSIGN(part.rescale, rescale_table<F>(c, i));
  }
  p.parts.push_back(part);
  return Ok{};
}

template <class F>
[[gnu::cold]] Result<ConcatPlan> plan_concat(const OpContext& c) {
  const auto& a = c.op().as<ConcatAttrs>();
  if (a.activation != Activation::none) {
    return c.error(ErrorCode::op_attribute, "a fused activation is not defined here");
  }
  for (size_t i = 0; i < c.input_count(); ++i) {
    if (!c.has_input(i))
      return c.error(ErrorCode::graph_arity, "input " + std::to_string(i) + " is absent");
  }
  ConcatPlan p;
  p.out = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, a.axis, p.out.rank()));
  p.out[axis] = 0;
  p.outer = p.out.elements(0, axis);
  for (size_t i = 0; i < c.input_count(); ++i) EDGETWIN_TRY(add_part<F>(c, i, axis, p));
  for (const Part& part : p.parts) p.out_bytes += part.bytes;
  return p;
}

// `count` pieces that follow each other in the input, `out_bytes` apart in the output.
void copy_part(const Part& part, const std::byte* from, std::byte* to, int64_t out_bytes,
               int64_t count, kernels::Isa isa) {
  if (part.bytes == 0) return;
  if (!part.rescale) return copy_pieces({to, from, out_bytes, part.bytes, part.bytes, count});
  for (int64_t n = 0; n < count; ++n, from += part.bytes, to += out_bytes) {
    kernels::lookup8(part.rescale->data(), reinterpret_cast<const uint8_t*>(from),
                     reinterpret_cast<uint8_t*>(to), static_cast<size_t>(part.bytes), isa);
  }
}

}  // namespace

template <class F>
[[gnu::cold]] Result<Prepared> prepare_concatenation(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(ConcatPlan plan, plan_concat<F>(c));
  if (byte_size(c.output(0).dtype) == 0) return c.unsupported_types();
  Prepared prepared;
  prepared.output_shapes = {plan.out};
  prepared.run = [plan = std::move(plan),
                  isa = wanted_isa(c.options())](const Args& args) -> Status {
    each_few(plan.outer, [&](int64_t first, int64_t count) {
      std::byte* to = args.outputs[0] + first * plan.out_bytes;
      for (size_t i = 0; i < plan.parts.size(); ++i) {
        const std::byte* from = args.inputs[i] + first * plan.parts[i].bytes;
        copy_part(plan.parts[i], from, to, plan.out_bytes, count, isa);
        to += plan.parts[i].bytes;
      }
    });
    return Ok{};
  };
  return prepared;
}

EDGETWIN_FOR_EACH_TFLITE(prepare_concatenation)
EDGETWIN_FOR_EACH_EDGETPU(prepare_concatenation)

}  // namespace edgetwin::ops
