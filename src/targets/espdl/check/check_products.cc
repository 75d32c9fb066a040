// Rules of Conv, Gemm and MatMul but for shifts and sums. Specification 3.2, 4.3; "Operators", 2.
#include <algorithm>

#include "formats/espdl/document/layout.h"
#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

void check_bias_exponent(const Subject& s, const TensorData& bias) {
  const auto in = s.c.exponent(s.in(0));
  const auto* weights = s.c.exponents(s.in(1));
  if (!in || weights == nullptr || weights->empty() || bias.exponents.empty()) return;
  const size_t n = std::max(weights->size(), bias.exponents.size());
  const auto of = [](const std::vector<int64_t>& list, size_t i) {
    return std::clamp(list.size() == 1  ? list[0]
                      : i < list.size() ? list[i]
                                        : list.back(),
                      -kFarExponent, kFarExponent);
  };
  size_t wrong = 0;
  std::string first;
  for (size_t i = 0; i < n; ++i) {
    const int64_t w = of(*weights, i);
    const int64_t b = of(bias.exponents, i);
    if (b == *in + w) continue;
    if (wrong++ == 0) {
      first = "channel " + std::to_string(i) + ": e(bias) = " + std::to_string(b) +
              ", e(input) + e(weight) = " + std::to_string(*in) + " + (" + std::to_string(w) +
              ") = " + std::to_string(*in + w);
    }
  }
  if (wrong == 0) return;
  if (wrong > 1) first += "; " + std::to_string(wrong) + " channels differ";
  s.say(Rule::bias_exponent, first, "Export the model again; the bias is added as it is.");
}

void check_bias(const Subject& s) {
  const TensorData* bias = s.in(2).empty() ? nullptr : s.c.constant(s.in(2));
  if (bias == nullptr || !s.quantized()) return;
  const DataType wanted = s.s8() ? DataType::int32 : DataType::int64;
  if (bias->type != wanted) {
    s.say(Rule::bias_type,
          "the bias " + in_quotes(bias->name) + " is " + std::string(name(bias->type)) + ", " +
              s.word("quant_type", "") + " needs " + std::string(name(wanted)),
          "Export the model with an exporter of the runtime's version.");
    return;
  }
  check_bias_exponent(s, *bias);
}

// Output channels by the sizes as stored; specification 3.2.
std::optional<int64_t> channels(const Subject& s, const TensorData& weights) {
  using edgetwin::espdl::WeightUse;
  const WeightUse use = s.is("Gemm")               ? WeightUse::gemm
                        : s.number("group", 1) > 1 ? WeightUse::grouped
                                                   : WeightUse::conv;
  const auto shape = edgetwin::espdl::weight_shape(use, weights.dims);
  if (!shape.ok()) return std::nullopt;
  return shape->n;
}

void check_counts(const Subject& s) {
  const TensorData* weights = s.c.constant(s.in(1));
  if (weights == nullptr || s.is("MatMul")) return;
  const auto n = channels(s, *weights);
  const TensorData* bias = s.in(2).empty() ? nullptr : s.c.constant(s.in(2));
  for (const TensorData* t : {weights, bias}) {
    if (t == nullptr || !n || t->exponents.size() <= 1) continue;
    if (static_cast<int64_t>(t->exponents.size()) == *n) continue;
    s.say(Rule::per_channel_count, in_quotes(t->name) + " has " +
                                       std::to_string(t->exponents.size()) + " exponents for " +
                                       std::to_string(*n) + " output channels");
  }
}

void check_group(const Subject& s) {
  const TensorData* weights = s.c.constant(s.in(1));
  const int64_t group = s.number("group", 1);
  if (!s.is("Conv") || weights == nullptr || group == 1) return;
  const auto shape =
      edgetwin::espdl::weight_shape(edgetwin::espdl::WeightUse::grouped, weights->dims);
  if (!shape.ok() || (group > 1 && shape->c == 1 && shape->n == group)) return;
  s.say(Rule::grouped,
        "group " + std::to_string(group) + ", " + std::to_string(shape->n) + " output channels, " +
            std::to_string(shape->c) +
            " input channels in each group: one filter per channel means " + std::to_string(group) +
            " outputs and 1 input",
        "Split the convolution into one for each group and a Concat.");
}

void check_order(const Subject& s) {
  const TensorData* weights = s.c.constant(s.in(1));
  const auto tag =
      weights == nullptr ? std::nullopt : edgetwin::espdl::parse_tag(weights->doc_string);
  if (!tag || (tag->block != 0) == s.c.vector_chip()) return;
  s.say(Rule::weights_order,
        "the weights " + in_quotes(weights->name) + " are stored as " +
            edgetwin::espdl::to_text(*tag) + ", the target " + std::string(name(s.c.target())) +
            " reads " + (s.c.vector_chip() ? "blocks of output channels" : "plain order"),
        "Export the model for this target.");
}

void check_form(const Subject& s) {
  const std::string activation = s.word("activation", "Linear");
  if (activation != "Linear" && activation != "Relu" && activation != "ReLU") {
    s.say(Rule::fused_activation,
          "activation is " + in_quotes(activation) + "; Linear and Relu are possible",
          "Put the activation after it, as an operator of its own.");
  }
  if (!s.is("Gemm")) return;
  for (const char* trans : {"transA", "transB"}) {
    if (s.number(trans, 0) == 0) continue;
    s.say(Rule::gemm_form,
          std::string(trans) + " is " + std::to_string(s.number(trans, 0)) + ", must be 0");
  }
  for (const char* factor : {"alpha", "beta"}) {
    const float value = s.node.real(factor).value_or(1.0F);
    if (value == 1.0F) continue;
    s.say(Rule::gemm_form, std::string(factor) + " is " + std::to_string(value) + ", must be 1");
  }
}

void check_channels(const Subject& s) {
  const bool possible = s.c.target() == Target::esp32p4 && s.any_of({"Conv", "Gemm"});
  for (size_t i = 0; i < s.node.inputs.size() && !possible; ++i) {
    const TensorData* t = s.in(i).empty() ? nullptr : s.c.constant(s.in(i));
    if (t == nullptr || t->exponents.size() <= 1) continue;
    s.say(Rule::per_channel_target,
          in_quotes(t->name) + " has " + std::to_string(t->exponents.size()) + " exponents; " +
              s.node.op_type + " on the target " + std::string(name(s.c.target())) +
              " has one shift for all channels",
          "Export the model for this target: its weights then have one exponent.");
  }
}

}  // namespace

void check_products(const Subject& s) {
  check_channels(s);
  if (!s.any_of({"Conv", "Gemm", "MatMul"})) return;
  check_form(s);
  if (s.is("Conv") || s.is("Gemm")) check_bias(s);
  check_counts(s);
  check_group(s);
  check_order(s);
}

}  // namespace edgetwin::targets::espdl
