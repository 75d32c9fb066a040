// Rules of single operators. Specification "Operators", 3 to 10.
#include <cmath>

#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

std::optional<int64_t> axis_size(const Subject& s, int64_t axis) {
  const auto* dims = s.c.dims(s.in(0));
  if (dims == nullptr) return std::nullopt;
  const auto rank = static_cast<int64_t>(dims->size());
  if (axis < -rank || axis >= rank) return std::nullopt;
  return (*dims)[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
}

void check_split(const Subject& s) {
  if (!s.is("Split") || !s.in(1).empty() || s.node.integers("split")) return;
  const auto parts = s.node.integer("num_outputs");
  const auto size = axis_size(s, s.number("axis", 0));
  if (!parts || *parts < 1 || *parts > (1 << 20)) return;
  const bool same = size && *size == *parts * *parts;
  s.say(Rule::split_num_outputs, same ? Severity::note : Severity::error,
        "num_outputs is " + std::to_string(*parts) + ": parts of length " + std::to_string(*parts) +
            (size ? ", of " + std::to_string(*size) + " elements" : ""),
        "Write the list of lengths as input 1.");
}

void check_gather(const Subject& s) {
  if (!s.is("Gather")) return;
  const auto indices = s.c.integers(s.in(1));
  const auto size = axis_size(s, s.number("axis", 0));
  if (!indices) return;
  for (const int64_t i : *indices) {
    if (i >= 0 && (!size || *size < 0 || i < *size)) continue;
    return s.say(Rule::gather_negative,
                 "index " + std::to_string(i) +
                     (size ? ", the axis has " + std::to_string(*size) + " elements" : ""),
                 i < 0 && size && i >= -*size ? "Write " + std::to_string(i + *size) + " instead."
                                              : "Indices count from 0.");
  }
}

void check_slice(const Subject& s) {
  if (!s.is("Slice")) return;
  const auto steps = s.c.integers(s.in(4));
  if (!steps) return;
  for (const int64_t step : *steps) {
    if (step >= 1) continue;
    return s.say(Rule::slice_step, "a step of " + std::to_string(step) + ", at least 1 is possible",
                 "Use Gather with the indices in the wanted order.");
  }
}

bool holds_zero(const TensorData& t) { return !t.data.empty() && t.data[0] == std::byte{0}; }

// INT8 with one operand of a single element; specification "Operators", 3.2.
void check_div(const Subject& s) {
  if (!s.is("Div") || !s.s8()) return;
  for (const size_t i : {size_t{1}, size_t{0}}) {
    if (s.c.elements(s.in(i)) != 1) continue;
    const TensorData* t = s.c.constant(s.in(i));
    if (t == nullptr) {
      s.say(Rule::div_first_run,
            std::string(i == 0 ? "the numerator " : "the denominator ") + in_quotes(s.in(i)) +
                " is a single computed element",
            "Expand it to the shape of the other operand, or compute in INT16.");
    } else if (i == 1 && t->type == DataType::int8 && holds_zero(*t)) {
      s.say(Rule::div_zero, "the denominator " + in_quotes(s.in(i)) + " is the constant 0");
    }
    return;
  }
}

void check_prelu_trap(const Subject& s) {
  if (!s.is("PRelu") || !s.quantized()) return;
  const bool table = s.s8() && s.c.constant(s.word("lut", "")) != nullptr;
  const auto* in = s.c.dims(s.in(0));
  const auto* slope = s.c.dims(s.in(1));
  if (in == nullptr || slope == nullptr || table || in->empty()) return;
  const auto count = s.c.elements(s.in(1));
  if (in->size() != 4 || slope->size() != 3 || (count != 1 && count != in->back())) {
    return s.say(Rule::prelu_shape, "the input has " + std::to_string(in->size()) +
                                        " dimensions and " + std::to_string(in->back()) +
                                        " channels, the slope " + std::to_string(slope->size()) +
                                        " dimensions and " + std::to_string(count.value_or(0)) +
                                        " values");
  }
  if (s.s8() && count == 1 && in->back() > 1) {
    s.say(Rule::prelu_single,
          "1 slope for " + std::to_string(in->back()) + " channels, and no table",
          "Export with tables, or write the slope once for each channel.");
  }
}

void check_exponentials(const Subject& s) {
  const bool softmax = s.any_of({"Softmax", "LogSoftmax"}) && s.s8();
  if (!softmax && !(s.is("ReduceLogSumExp") && s.quantized())) return;
  const auto e = s.c.exponent(s.in(0));
  const double top = s.s8() ? 127.0 : 32767.0;
  if (!e || *e > 30 || *e < -30) return;
  const double real = std::ldexp(top, static_cast<int>(*e));
  if (real <= 88.7) return;
  const auto shown = static_cast<int64_t>(real);
  s.say(Rule::softmax_overflow,
        "the largest input is " + std::to_string(static_cast<int64_t>(top)) + " * 2^" +
            std::to_string(*e) + " = " + std::to_string(shown) + ", exp overflows above 88.7",
        "Real data may stay below; Softmax of INT16 subtracts the maximum.");
}

void check_l2(const Subject& s) {
  const auto e = s.c.exponent(s.in(0));
  if (!s.is("ReduceL2") || !e || *e > -16) return;
  s.say(Rule::reduce_l2_range,
        "e(input) = " + std::to_string(*e) + ": the scale's square is 2^" + std::to_string(2 * *e) +
            ", a shift of 31 bits or more",
        "Quantize this operator to INT8.");
}

void check_clip_trap(const Subject& s) {
  if (!s.is("Clip") || s.quantized() || !s.in(1).empty()) return;
  if (s.c.type(s.in(0)) != DataType::float32) return;
  s.say(Rule::clip_float, "there is no lower bound; the runtime takes 1.2e-38",
        "Write a lower bound.");
}

void check_pad(const Subject& s) {
  if (!s.is("Pad")) return;
  const std::string mode = s.word("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect") {
    s.say(Rule::pad_mode,
          "mode is " + in_quotes(mode) + "; constant, edge and reflect are possible");
  }
  if (!s.in(3).empty()) {
    s.say(Rule::pad_axes, "input 3 " + in_quotes(s.in(3)) + " is not read",
          "Write pads for all axes.");
  }
}

void check_scatter(const Subject& s) {
  const auto e = s.c.exponent(s.in(0));
  if (!s.is("ScatterND") || s.word("reduction", "none") != "mul" || !e || *e == 0) return;
  s.say(Rule::scatter_mul, "e(input) = " + std::to_string(*e) + ": products are too large by 2^" +
                               std::to_string(-*e));
}

void check_rank(const Subject& s) {
  const bool limited = s.node.op_type.starts_with("Reduce") ||
                       s.any_of({"Add", "Sub", "Mul", "Div", "Mod", "Pow", "MatMul"});
  if (!limited) return;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const auto* dims = s.c.dims(s.in(i));
    if (dims == nullptr || dims->size() <= 4) continue;
    return s.say(Rule::rank,
                 in_quotes(s.in(i)) + " has " + std::to_string(dims->size()) +
                     " dimensions, up to 4 are stated",
                 "Reshape it before.");
  }
}

void check_cache(const Subject& s) {
  const auto* dims = s.c.dims(s.in(0));
  if (!s.is("StreamingCache") || dims == nullptr) return;
  const int64_t axis = s.number("frame_axis", 1);
  for (int64_t i = 0; i < axis && i < static_cast<int64_t>(dims->size()); ++i) {
    if ((*dims)[static_cast<size_t>(i)] == 1) continue;
    return s.say(Rule::cache_axis, "frame_axis is " + std::to_string(axis) + ", dimension " +
                                       std::to_string(i) + " before it is " +
                                       std::to_string((*dims)[static_cast<size_t>(i)]));
  }
}

}  // namespace

void check_traps(const Subject& s) {
  check_split(s);
  check_gather(s);
  check_slice(s);
  check_div(s);
  check_prelu_trap(s);
  check_exponentials(s);
  check_l2(s);
  check_clip_trap(s);
  check_pad(s);
  check_scatter(s);
  check_rank(s);
  check_cache(s);
  if (s.is("Mod") && s.number("fmod", 1) != 1) {
    s.say(Rule::mod_fmod, "fmod is " + std::to_string(s.number("fmod", 1)) + ", must be 1");
  }
}

}  // namespace edgetwin::targets::espdl
