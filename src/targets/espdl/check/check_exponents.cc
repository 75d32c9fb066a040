// Rules of exponents that should be equal. Specification 4.4; "Quantization", 4.
#include <algorithm>

#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

// The tensors of an operator that works on raw integers and passes them on.
std::vector<std::string_view> raw_group(const Subject& s) {
  if (s.any_of({"Add", "Sub"})) return {s.in(0), s.in(1), s.out()};
  if (s.any_of({"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})) {
    return {s.in(0), s.in(1)};
  }
  std::vector<std::string_view> group;
  if (s.is("Concat")) {
    for (size_t i = 0; i < s.node.inputs.size(); ++i) group.push_back(s.in(i));
    group.push_back(s.out());
  } else if (s.is("Split")) {
    group.push_back(s.in(0));
    for (size_t i = 0; i < s.node.outputs.size(); ++i) group.push_back(s.out(i));
  } else if (s.is("Pad")) {
    return {s.in(0), s.in(2), s.out()};
  } else if (s.is("ScatterND")) {
    return {s.in(0), s.in(2), s.out()};
  } else if (s.any_of({"Slice", "MaxPool", "ReduceMax", "ReduceMin", "Gather", "Neg", "Transpose",
                       "DepthToSpace", "SpaceToDepth", "InsertZeros", "ReverseSequence",
                       "StreamingCache"})) {
    return {s.in(0), s.out()};
  }
  return group;
}

// Exponents of the tensors that have one; false if all are equal.
bool differ(const Subject& s, std::vector<std::string_view>& group) {
  std::erase_if(group, [&](std::string_view name) { return !s.c.exponent(name); });
  return std::any_of(group.begin(), group.end(), [&](std::string_view name) {
    return s.c.exponent(name) != s.c.exponent(group.front());
  });
}

// "real values are off by a factor of up to 2^1"
std::string factor(const Subject& s, const std::vector<std::string_view>& group) {
  int64_t low = kFarExponent;
  int64_t high = -kFarExponent;
  for (const std::string_view name : group) {
    low = std::min(low, *s.c.exponent(name));
    high = std::max(high, *s.c.exponent(name));
  }
  return "real values are off by the factor 2^(" + std::to_string(high) + " - (" +
         std::to_string(low) + ")) = 2^" + std::to_string(high - low);
}

void check_clip(const Subject& s) {
  const bool table = s.s8() && s.c.constant(s.word("lut", "")) != nullptr;
  const auto e = s.c.exponent(s.in(0));
  if (!s.is("Clip") || table || !e) return;
  for (const size_t i : {size_t{1}, size_t{2}}) {
    const auto bound = s.c.exponent(s.in(i));
    if (!bound || bound == e) continue;
    s.say(Rule::clip_bounds,
          exponent_list(s, {s.in(0), s.in(i)}) +
              ": the bound is compared as an integer and is off "
              "by the factor 2^" +
              std::to_string(*e - *bound),
          "Give the bound the exponent " + std::to_string(*e) + ".");
  }
}

void check_prelu(const Subject& s) {
  const bool table = s.s8() && s.c.constant(s.word("lut", "")) != nullptr;
  const auto a = s.c.exponent(s.in(0));
  const auto b = s.c.exponent(s.out());
  if (!s.is("PRelu") || table || !a || !b || a == b) return;
  const bool copies = s.c.target() == Target::c || (s.c.target() == Target::esp32p4 && s.s16());
  s.say(Rule::prelu_exponents, copies ? Severity::warning : Severity::note,
        exponent_list(s, {s.in(0), s.out()}) +
            (copies ? ": positive values are copied and are off by the factor 2^"
                    : ": this target rescales positive values, others copy them and are off by "
                      "the factor 2^") +
            std::to_string(*b - *a),
        "Quantize again with one exponent for input and output of PRelu.");
}

}  // namespace

void check_exponents(const Subject& s) {
  std::vector<std::string_view> group = raw_group(s);
  if (!group.empty() && differ(s, group)) {
    s.say(Rule::group_exponents,
          "exponents " + exponent_list(s, group) + ": the integers are used as they are, " +
              factor(s, group),
          s.any_of({"Add", "Sub"})
              ? "Give the inputs the output's exponent: edgetwin patch MODEL --align-adds. Never "
                "raise the output: biases that follow are in its units."
              : "Give them one exponent, or put a RequantizeLinear before; quantize the model "
                "again.");
  }
  std::vector<std::string_view> pair = {s.in(0), s.out()};
  if (s.any_of({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"}) && differ(s, pair)) {
    s.say(Rule::reshape_exponents,
          "exponents " + exponent_list(s, pair) + ": in place, " + factor(s, pair),
          "Give both one exponent.");
  }
  if (s.is("Resize") && s.word("mode", "nearest") == "nearest" && differ(s, pair)) {
    s.say(Rule::resize_exponents,
          "exponents " + exponent_list(s, pair) +
              ": values are rescaled, without saturation in the portable code",
          "Give both one exponent.");
  }
  check_clip(s);
  check_prelu(s);
}

}  // namespace edgetwin::targets::espdl
