#include "formats/espdl/document/document.h"

#include <gtest/gtest.h>

#include "unit/formats/espdl/espdl_models.h"

namespace edgetwin::espdl {
namespace {

TEST(EspdlDocument, TypesGoThereAndBack) {
  int known = 0;
  for (int code = -1; code < 20; ++code) {
    const auto type = static_cast<DataType>(code);
    if (const auto dtype = dtype_of_code(type)) {
      EXPECT_EQ(code_of_dtype(*dtype), type);
      ++known;
    }
  }
  EXPECT_EQ(known, 12);
  EXPECT_EQ(code_of_dtype(DType::int4), DataType::undefined);
  EXPECT_EQ(name(DataType::int8), "INT8");
  EXPECT_EQ(name(DataType::float64), "DOUBLE");
  EXPECT_EQ(name(static_cast<DataType>(14)), "UNKNOWN");
}

TEST(EspdlDocument, LooksThingsUp) {
  const Document d = testing::full_document();
  EXPECT_EQ(d.nodes[0].integer("group"), 1);
  EXPECT_EQ(d.nodes[0].integer("activation"), std::nullopt);
  EXPECT_EQ(d.nodes[0].text("activation"), "Relu");
  EXPECT_EQ(d.nodes[1].real("alpha"), -0.3F);
  EXPECT_EQ(d.nodes[1].integers("pads")->size(), 3U);
  EXPECT_EQ(d.nodes[1].find("absent"), nullptr);
  EXPECT_EQ(d.initializer("bias")->exponents[0], -12);
  EXPECT_EQ(d.initializer("in"), nullptr);
  EXPECT_EQ(d.value("in")->exponents[0], -5);
  EXPECT_EQ(d.value("weight"), nullptr);
  EXPECT_EQ(d.property("target"), "esp32s3");
  EXPECT_EQ(d.property("other"), std::nullopt);
}

}  // namespace
}  // namespace edgetwin::espdl
