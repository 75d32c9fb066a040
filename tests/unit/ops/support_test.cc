// support.def against op.def, the document and the prepare functions.
#include "ops/support.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ops/flavours.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

TEST(SupportTable, HasEveryOperatorInOrder) {
  ASSERT_EQ(support_table().size(), static_cast<size_t>(kOpKindCount));
  for (size_t i = 0; i < support_table().size(); ++i) {
    EXPECT_EQ(support_table()[i].kind, static_cast<OpKind>(i));
  }
}

TEST(SupportTable, DocumentIsUpToDate) {
  std::ifstream file(EDGETWIN_SOURCE_DIR "/docs/supported-ops.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), supported_ops_markdown())
      << "run: cmake --build build/release --target update_docs";
}

bool listed(std::string_view types, DType type) {
  const std::string padded = " " + std::string(types) + " ";
  if (padded.find("any of 1, 2, 4 or 8 bytes") != std::string::npos) {
    return byte_size(type) >= 1 && byte_size(type) <= 8;
  }
  return padded.find(" " + std::string(name(type)) + " ") != std::string::npos;
}

Quant quant_for(OpKind kind, DType type) {
  const bool is_signed = type != DType::uint8;
  switch (kind) {
    case OpKind::logistic:
      return type == DType::int16 ? Quant::affine(1.0F / 32768, 0)
                                  : Quant::affine(1.0F / 256, is_signed ? -128 : 0);
    case OpKind::softmax:
      return Quant::affine(1.0F / 256, is_signed ? -128 : 0);
    case OpKind::tanh:
      if (type == DType::int16) return Quant::affine(1.0F / 32768, 0);
      [[fallthrough]];
    case OpKind::l2_normalization:
      return Quant::affine(1.0F / 128, is_signed ? 0 : 128);
    default:
      return Quant::affine(0.5F, 0);
  }
}

// Every type for operators of one or two operands of the same type: accepted if and only if listed.
TEST(SupportTable, ListedTypesAreThoseThatPrepare) {
  const std::vector<std::pair<OpKind, int>> kinds = {
      {OpKind::add, 2},           {OpKind::sub, 2},
      {OpKind::mul, 2},           {OpKind::div, 2},
      {OpKind::maximum, 2},       {OpKind::minimum, 2},
      {OpKind::floor_div, 2},     {OpKind::squared_difference, 2},
      {OpKind::concatenation, 2}, {OpKind::pack, 2},
      {OpKind::logistic, 1},      {OpKind::tanh, 1},
      {OpKind::relu, 1},          {OpKind::relu6, 1},
      {OpKind::relu_n1_to_1, 1},  {OpKind::hard_swish, 1},
      {OpKind::softmax, 1},       {OpKind::l2_normalization, 1},
      {OpKind::sqrt, 1},          {OpKind::rsqrt, 1},
      {OpKind::squeeze, 1}};
  for (const auto& [kind, operands] : kinds) {
    const std::string_view types = support_table()[static_cast<size_t>(kind)].types;
    for (int t = 0; t < kDTypeCount; ++t) {
      const auto type = static_cast<DType>(t);
      if (byte_size(type) == 0 || byte_size(type) > 8) continue;
      Attrs attrs = default_attrs(kind);
      if (auto* softmax = std::get_if<SoftmaxAttrs>(&attrs)) softmax->beta = 1.0F;
      if (auto* pack = std::get_if<PackAttrs>(&attrs)) pack->values_count = 2;
      OpTest test(kind, attrs);
      for (int i = 0; i < operands; ++i) {
        Tensor x = Tensor::zeros(type, {2}).value();
        // One, where the type has one: integers must not be divided by zero.
        for (size_t at = 0; at < x.data.size(); at += byte_size(type)) x.data[at] = std::byte{1};
        x.quant = kind == OpKind::logistic || kind == OpKind::tanh ? Quant::affine(0.01F, 0)
                                                                   : quant_for(OpKind::add, type);
        test.input(x);
      }
      test.output(type, quant_for(kind, type));
      const auto result = test.run(find_flavour("tflite")->prepare);
      EXPECT_EQ(result.ok(), listed(types, type))
          << info(kind).name << " of " << name(type) << ": "
          << (result.ok() ? "runs" : result.error().message);
    }
  }
}

}  // namespace
}  // namespace edgetwin::ops
