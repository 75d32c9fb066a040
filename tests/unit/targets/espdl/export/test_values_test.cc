#include "targets/espdl/export/test_values.h"

#include <gtest/gtest.h>

#include "unit/targets/espdl/check/check_models.h"

namespace edgetwin::targets::espdl {
namespace {

using edgetwin::espdl::Target;
using namespace testing;  // NOLINT: the documents' own words

TensorData values(const std::string& name, Dims dims, int64_t exponent, const Dims& elements,
                  DataType type = DataType::int8) {
  return Net().list(name, type, std::move(dims), {exponent}, elements).d.initializers[0];
}

// x -> Neg -> h -> Neg -> y, with the intermediate tensor among the test outputs.
Document chain() {
  Document d = Net()
                   .in("x", {1, 4})
                   .value("h", {1, 4})
                   .node("Neg", {"x"}, {"h"})
                   .node("Neg", {"h"}, {"y"})
                   .out("y", {1, 4})
                   .d;
  d.test_inputs = {values("x", {1, 4}, -5, {1, -2, 3, 4})};
  d.test_outputs = {values("y", {1, 4}, -5, {1, -2, 3, 4}),
                    values("h", {1, 4}, -5, {-1, 2, -3, -4})};
  return d;
}

Result<EmbeddedTest> run(const Document& d, Target target = Target::c) {
  EDGETWIN_TRY_ASSIGN(const Model model, edgetwin::espdl::import_document(d, target, "test"));
  exec::Options options;
  options.numerics = target == Target::c         ? "espdl-c"
                     : target == Target::esp32s3 ? "espdl-s3-wide"
                                                 : "espdl-p4-wide";
  return run_embedded_test(d, model, options);
}

TEST(EmbeddedTests, PassWhereAllIsEqual) {
  const auto test = run(chain());
  ASSERT_TRUE(test.ok()) << to_text(test.error());
  EXPECT_TRUE(test->exact());
  EXPECT_TRUE(test->passes());
  ASSERT_EQ(test->outputs.size(), 2U);
  EXPECT_EQ(test->outputs[0].layer, "#1 Neg 'n1'");
  EXPECT_EQ(test->outputs[1].layer, "#0 Neg 'n0'");
  EXPECT_EQ(test->outputs[1].elements, 4);
}

TEST(EmbeddedTests, NameTheFirstOperatorThatDiffers) {
  Document d = chain();
  d.test_outputs[0] = values("y", {1, 4}, -5, {1, -2, 9, 9});
  d.test_outputs[1] = values("h", {1, 4}, -5, {-1, 3, -3, -4});
  const auto test = run(d);
  ASSERT_TRUE(test.ok()) << to_text(test.error());
  EXPECT_FALSE(test->passes());
  ASSERT_EQ(test->first, 1U);  // made first, though listed last
  const EmbeddedOutput& y = test->outputs[0];
  EXPECT_EQ(y.different, 2);
  EXPECT_EQ(y.beyond, 2);
  EXPECT_EQ(y.largest, 6);
  EXPECT_EQ(y.first_index, 2);
  EXPECT_EQ(y.first_position, "(0, 2)");
  EXPECT_EQ(y.first_file, 9);
  EXPECT_EQ(y.first_run, 3);
}

TEST(EmbeddedTests, AllowWhatTheRuntimeAllows) {
  Document d = unary("Neg", {}, {1, 3}, DataType::int16).d;
  d.test_inputs = {values("x", {1, 3}, -10, {5, 6, 7}, DataType::int16)};
  d.test_outputs = {values("y", {1, 3}, -10, {-5, -7, -7}, DataType::int16)};
  auto test = run(d);
  ASSERT_TRUE(test.ok()) << to_text(test.error());
  EXPECT_TRUE(test->passes());
  EXPECT_FALSE(test->exact());
  EXPECT_EQ(test->outputs[0].different, 1);
  d.test_outputs = {values("y", {1, 3}, -10, {-5, -8, -7}, DataType::int16)};
  test = run(d);
  EXPECT_FALSE(test->passes());
  EXPECT_EQ(test->outputs[0].beyond, 1);
}

TEST(EmbeddedTests, CompareTypeShapeAndExponentFirst) {
  const auto problem = [](TensorData t) {
    Document d = chain();
    d.test_outputs = {std::move(t)};
    const auto test = run(d);
    EXPECT_TRUE(test.ok());
    EXPECT_FALSE(test->passes());
    EXPECT_EQ(test->first, 0U);
    return test->outputs[0].problem;
  };
  EXPECT_EQ(problem(values("y", {1, 4}, -6, {1, -2, 3, 4})),
            "the file has exponent -6, the model makes exponent -5");
  EXPECT_EQ(problem(values("y", {4}, -5, {1, -2, 3, 4})),
            "the file has the shape 4, the model makes 1x4");
  EXPECT_EQ(problem(values("y", {1, 4}, -5, {1, -2, 3, 4}, DataType::int16)),
            "the file has int16, the model makes int8");
  EXPECT_EQ(problem(values("nobody", {1, 4}, -5, {1, -2, 3, 4})),
            "the model makes no tensor of this name");
}

TEST(EmbeddedTests, NeedTheirValues) {
  Document d = chain();
  d.test_inputs.clear();
  EXPECT_EQ(run(d).error().code, ErrorCode::input_missing);
  d = chain();
  d.test_outputs.clear();
  EXPECT_EQ(run(d).error().code, ErrorCode::input_missing);
  EXPECT_EQ(target_by_test(d).error().code, ErrorCode::input_missing);
  d = chain();
  d.test_inputs = {values("x", {1, 5}, -5, {1, 2, 3, 4, 5})};
  EXPECT_EQ(run(d).error().code, ErrorCode::input_shape);
  d.test_inputs = {values("x", {1, 4}, -5, {1, 2, 3, 4}, DataType::int16)};
  EXPECT_EQ(run(d).error().code, ErrorCode::input_type);
}

// 2^0 to 2^1 on a tie: 5 / 2 = 2.5 is 3 rounded half up and 2 rounded half to even.
TEST(EmbeddedTests, TellTheTargetByItsRounding) {
  Document d =
      Net().in("x", {1, 64}, 0).node("RequantizeLinear", {"x"}, {"y"}).out("y", {1, 64}, 1).d;
  d.test_inputs = {values("x", {1, 64}, 0, Dims(64, 5))};
  const auto target = [&](int64_t result, int64_t input = 5) {
    d.test_inputs = {values("x", {1, 64}, 0, Dims(64, input))};
    d.test_outputs = {values("y", {1, 64}, 1, Dims(64, result))};
    const auto found = target_by_test(d);
    EXPECT_TRUE(found.ok());
    return found.ok() ? *found : std::optional<Target>{};
  };
  EXPECT_EQ(target(3), Target::esp32s3);
  EXPECT_EQ(target(2), Target::esp32p4);
  EXPECT_EQ(target(4), std::nullopt);     // none
  EXPECT_EQ(target(2, 4), std::nullopt);  // both
}

}  // namespace
}  // namespace edgetwin::targets::espdl
