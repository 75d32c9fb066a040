// support.def against op.def, the document and the prepare functions.
#include "ops/registry/support.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include "ops/op_test.h"
#include "ops/registry/flavours.h"
#include "source_dir.h"

namespace edgetwin::ops {
namespace {

// The enumerators behind "case OpKind::" in a file of src/ops.
std::set<std::string> handled(const std::string& file) {
  std::ifstream source(source_dir() + "/src/ops/registry/" + file);
  std::set<std::string> kinds;
  const std::string mark = "case OpKind::";
  for (std::string line; std::getline(source, line);) {
    const size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    const size_t begin = at + mark.size();
    kinds.insert(line.substr(begin, line.find(':', begin) - begin));
  }
  return kinds;
}

template <class Row>
void expect_rows(std::span<const Row> rows, std::set<std::string> kinds) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(rows[i - 1].kind, rows[i].kind) << info(rows[i].kind).name;
    }
    if (rows[i].kind == OpKind::opaque) continue;
    EXPECT_EQ(kinds.erase(std::string(info(rows[i].kind).name)), 1U)
        << info(rows[i].kind).name << " has a row, but is not run";
  }
  EXPECT_TRUE(kinds.empty()) << *kinds.begin() << " is run, but has no row";
}

TEST(SupportTable, HasEveryOperatorInOrder) {
  expect_rows(support_table(), handled("flavours_tflite.cc"));
  std::set<std::string> espdl = handled("flavours_espdl.cc");
  espdl.merge(handled("onnx_family.h"));
  expect_rows(espdl_support_table(), espdl);
}

// Every name that the runtime knows is in the table of ESP-DL, and no other.
TEST(SupportTable, EspdlNamesAreThoseOfTheReader) {
  std::ifstream table(source_dir() + "/src/formats/espdl/operators.def");
  std::set<std::string> names;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("OPERATOR(")) names.insert(line.substr(9, line.find(',') - 9));
  }
  EXPECT_GT(names.size(), 60U);
  std::set<std::string> listed;
  for (const EspdlSupportRow& row : espdl_support_table()) {
    std::istringstream words{std::string(row.names)};
    for (std::string word; words >> word;) listed.insert(word);
  }
  EXPECT_EQ(listed, names);
}

TEST(SupportTable, DocumentIsUpToDate) {
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

template <class Row>
std::string_view types_of(std::span<const Row> rows, OpKind kind) {
  for (const Row& row : rows) {
    if (row.kind == kind) return row.types;
  }
  ADD_FAILURE() << info(kind).name << " has no row";
  return "";
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
    const std::string_view types = types_of(support_table(), kind);
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

// The same of ESP-DL, in all its arithmetics.
TEST(SupportTable, EspdlTypesAreThoseThatPrepare) {
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
  for (const FlavourInfo& flavour : flavours()) {
    if (!flavour.name.starts_with("espdl")) continue;
    for (const auto& [kind, operands] : kinds) {
      const std::string_view types = types_of(espdl_support_table(), kind);
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
        const auto result = test.run(flavour.prepare);
        EXPECT_EQ(result.ok(), listed(types, type))
            << info(kind).name << " of " << name(type) << " in " << flavour.name << ": "
            << (result.ok() ? "runs" : result.error().message);
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::ops
