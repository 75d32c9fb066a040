// registry.def against the document, the reader of ESP-DL and the prepare functions.
#include "ops/registry/registry.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include "ops/op_test.h"
#include "ops/registry/numerics.h"
#include "source_dir.h"

namespace edgetwin::ops {
namespace {

// Whether the operator as such is refused, and not the operands that it has here.
bool refused(const NumericsInfo& numerics, OpKind kind) {
  OpTest test(kind, default_attrs(kind));
  for (int i = 0; i < info(kind).inputs.min; ++i) {
    test.input(Tensor::zeros(DType::float32, {1}).value());
  }
  for (int i = 0; i < info(kind).outputs.min; ++i) test.output(DType::float32);
  const auto result = test.run(numerics.prepare);
  Op op;
  op.kind = kind;
  op.attrs = default_attrs(kind);
  return !result.ok() && result.error().code == ErrorCode::op_unsupported &&
         result.error().message.starts_with(op_type_name(op) + " is not ");
}

TEST(Registry, RefusesWhatItsRowsRefuse) {
  for (const NumericsInfo& numerics : all_numerics()) {
    for (const OperatorRow& row : operator_table()) {
      const bool runs = !numerics.graphs                     ? false
                        : numerics.name.starts_with("espdl") ? row.espdl.has_value()
                        : numerics.name == "onnx"            ? row.onnx
                                                             : row.tflite.has_value();
      EXPECT_EQ(refused(numerics, row.kind), !runs) << numerics.name << " " << info(row.kind).name;
    }
  }
}

// On the chip are operators that its compiler also leaves to the host.
TEST(Registry, WhatTheChipComputesTensorFlowLiteDoes) {
  int on_chip = 0;
  for (const OperatorRow& row : operator_table()) {
    on_chip += row.on_chip;
    EXPECT_TRUE(!row.on_chip || row.tflite) << info(row.kind).name;
  }
  EXPECT_GT(on_chip, 20);
}

// Every name that the runtime knows is in the table of ESP-DL, and no other.
TEST(Registry, EspdlNamesAreThoseOfTheReader) {
  const std::set<std::string> names = {
#define OPERATOR(type, function, kind) #type,
#include "formats/espdl/document/operators.def"
#undef OPERATOR
  };
  EXPECT_GT(names.size(), 60U);
  std::set<std::string> listed;
  for (const OperatorRow& row : operator_table()) {
    if (!row.espdl) continue;
    std::istringstream words{std::string(row.espdl->names)};
    for (std::string word; words >> word;) listed.insert(word);
  }
  EXPECT_EQ(listed, names);
}

TEST(Registry, DocumentIsUpToDate) {
  std::ifstream file(source_dir() + "/docs/supported-ops.md");
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

const OperatorRow& row_of(OpKind kind) { return operator_table()[static_cast<size_t>(kind)]; }

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
TEST(Registry, ListedTypesAreThoseThatPrepare) {
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
    const std::string_view types = row_of(kind).tflite->types;
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
      const auto result = test.run(find_numerics("tflite")->prepare);
      EXPECT_EQ(result.ok(), listed(types, type))
          << info(kind).name << " of " << name(type) << ": "
          << (result.ok() ? "runs" : result.error().message);
    }
  }
}

// The same of ESP-DL, in all its arithmetics.
TEST(Registry, EspdlTypesAreThoseThatPrepare) {
  const std::vector<std::pair<OpKind, int>> kinds = {
      {OpKind::add, 2},        {OpKind::sub, 2},          {OpKind::mul, 2},
      {OpKind::div, 2},        {OpKind::pow, 2},          {OpKind::mod, 2},
      {OpKind::logistic, 1},   {OpKind::tanh, 1},         {OpKind::relu, 1},
      {OpKind::hard_swish, 1}, {OpKind::hard_sigmoid, 1}, {OpKind::leaky_relu, 1},
      {OpKind::elu, 1},        {OpKind::swish, 1},        {OpKind::exp, 1},
      {OpKind::log, 1},        {OpKind::sqrt, 1},         {OpKind::neg, 1},
      {OpKind::clip, 1},       {OpKind::identity, 1},     {OpKind::squeeze, 1},
      {OpKind::flatten, 1},    {OpKind::reduce_max, 1},   {OpKind::reduce_sum, 1},
      {OpKind::reduce_l2, 1},  {OpKind::reduce_mean, 1},  {OpKind::layer_norm, 1},
      {OpKind::rms_norm, 1},   {OpKind::lp_norm, 1},      {OpKind::concatenation, 2}};
  for (const NumericsInfo& numerics : all_numerics()) {
    if (!numerics.name.starts_with("espdl")) continue;
    for (const auto& [kind, operands] : kinds) {
      const std::string_view types = row_of(kind).espdl->types;
      for (int t = 0; t < kDTypeCount; ++t) {
        const auto type = static_cast<DType>(t);
        if (byte_size(type) == 0 || byte_size(type) > 8) continue;
        OpTest test(kind, default_attrs(kind));
        const bool integer = type == DType::int8 || type == DType::int16;
        const Quant quant = integer ? Quant::power_of_two(-3) : Quant{};
        for (int i = 0; i < operands; ++i) {
          Tensor x = Tensor::zeros(type, {1, 2}).value();
          x.quant = quant;
          test.input(x);
        }
        test.output(type, quant);
        const auto result = test.run(numerics.prepare);
        EXPECT_EQ(result.ok(), listed(types, type))
            << info(kind).name << " of " << name(type) << " in " << numerics.name << ": "
            << (result.ok() ? "runs" : result.error().message);
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::ops
