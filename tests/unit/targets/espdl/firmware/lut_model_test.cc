#include "targets/espdl/firmware/lut_model.h"

#include <gtest/gtest.h>

#include "formats/espdl/read/read.h"

namespace edgetwin::targets::espdl {
namespace {

Tensor table(DType type, int64_t count) {
  Tensor t = Tensor::zeros(type, Shape{count}).value();
  for (size_t i = 0; i < t.data.size(); ++i) t.data[i] = static_cast<std::byte>(i);
  return t;
}

TEST(LutModel, IsOneNodeWithItsTable) {
  LutModel wanted;
  wanted.table = table(DType::int16, 2049);
  wanted.input_exponent = -13;
  wanted.output_exponent = -15;
  wanted.target = "esp32p4";
  wanted.original_type = "Sigmoid";
  const auto document = make_lut_model(wanted).value();
  ASSERT_EQ(document.nodes.size(), 1U);
  const auto& node = document.nodes[0];
  EXPECT_EQ(node.op_type, "LUT");
  std::vector<std::pair<std::string, std::string>> attributes;
  for (const auto& a : node.attributes) attributes.emplace_back(a.name, a.s);
  EXPECT_EQ(attributes, (decltype(attributes){{"int16_lut_step", ""},
                                              {"lut", "LUT_lut_0"},
                                              {"original_op_type", "Sigmoid"},
                                              {"quant_type", "S16"}}));
  EXPECT_EQ(node.attributes[0].i, 32);
  ASSERT_EQ(document.initializers.size(), 1U);
  EXPECT_EQ(document.initializers[0].name, "LUT_lut_0");
  EXPECT_EQ(document.initializers[0].exponents, std::vector<int64_t>{-15});
  EXPECT_EQ(document.initializers[0].data, wanted.table.data);
  ASSERT_EQ(document.values.size(), 2U);
  EXPECT_EQ(document.inputs[0].shape, (std::vector<int64_t>{1, 1024}));
  EXPECT_EQ(document.inputs[0].exponents, std::vector<int64_t>{-13});
  EXPECT_EQ(document.outputs[0].exponents, std::vector<int64_t>{-15});
  EXPECT_EQ(document.metadata[0].value, "esp32p4");
}

TEST(LutModel, TakesOnlyTablesThatTheChipCanLookUp) {
  const auto made = [](DType type, int64_t count, int64_t elements = 1024, int exponent = 0) {
    LutModel wanted;
    wanted.table = table(type, count);
    wanted.elements = elements;
    wanted.input_exponent = exponent;
    return make_lut_model(wanted).ok();
  };
  for (const int count : {3, 257, 2049, 65536, 65537})
    EXPECT_TRUE(made(DType::int16, count)) << count;
  EXPECT_TRUE(made(DType::int8, 256));
  for (const int count : {1, 2, 256, 657, 2048, 131073}) {
    EXPECT_FALSE(made(DType::int16, count)) << count;
  }
  EXPECT_FALSE(made(DType::int8, 257));
  EXPECT_FALSE(made(DType::int32, 257));
  EXPECT_FALSE(made(DType::int8, 256, 0));
  EXPECT_FALSE(made(DType::int8, 256, 65537));
  EXPECT_FALSE(made(DType::int8, 256, 1024, 31));
}

TEST(LutModel, ASweepIsACaseWithItsFile) {
  LutModel wanted;
  wanted.table = table(DType::int16, 257);
  wanted.input_exponent = -12;
  wanted.output_exponent = -14;
  const auto one = make_sweep_case("tanh", wanted, table(DType::int16, 65536));
  ASSERT_TRUE(one.ok()) << to_text(one.error());
  const auto container = edgetwin::espdl::read(one->model_file, "tanh.espdl");
  ASSERT_TRUE(container.ok()) << to_text(container.error());
  ASSERT_EQ(container->models.size(), 1U);
  EXPECT_EQ(container->models[0].document, make_lut_model(wanted).value());
  FirmwareOptions options;
  options.target = "esp32p4";
  EXPECT_TRUE(make_firmware(options, {*one}).ok());
  EXPECT_FALSE(make_sweep_case("tanh", wanted, table(DType::int16, 65535)).ok());
  EXPECT_FALSE(make_sweep_case("tanh", wanted, table(DType::int8, 256)).ok());
}

}  // namespace
}  // namespace edgetwin::targets::espdl
