#include "edgetwin/invoker.h"

#include <gtest/gtest.h>

#include <cmath>

namespace edgetwin {
namespace {

Port port(const char* name, DType type, float scale, int64_t zero, int64_t elements) {
  return {name, type, Shape{elements}, Quant::affine(scale, zero), false, {}};
}

template <class T>
std::vector<T> integers(const Tensor& t) {
  const auto q = t.as<T>();
  return {q.begin(), q.end()};
}

TEST(QuantizeReals, RoundsHalfToEvenAndLimits) {
  const std::vector<float> reals = {0.25F, 0.75F, 1.25F, -0.25F, 1000.0F, -1000.0F};
  const Tensor t = *quantize_reals(port("v", DType::uint8, 0.5F, 10, 6), reals);
  // 10.5, 11.5, 12.5, 9.5, and beyond both ends.
  EXPECT_EQ(integers<uint8_t>(t), (std::vector<uint8_t>{10, 12, 12, 10, 255, 0}));
  const auto back = dequantize_reals(t);
  EXPECT_EQ(back[1], 1.0F);
  EXPECT_EQ(back[5], -5.0F);
}

TEST(QuantizeReals, SignedTypesKeepTheirRange) {
  const std::vector<float> reals = {0.0F, 255.0F, 300.0F};
  const Tensor t = *quantize_reals(port("v", DType::int8, 1.0F, -128, 3), reals);
  EXPECT_EQ(integers<int8_t>(t), (std::vector<int8_t>{-128, 127, 127}));
}

TEST(QuantizeReals, AScaleOfZeroIsTheSmallest) {
  const std::vector<float> reals = {1.0F, 0.0F};
  const Tensor t = *quantize_reals(port("v", DType::int8, 0.0F, 0, 2), reals);
  EXPECT_EQ(integers<int8_t>(t), (std::vector<int8_t>{127, 0}));
}

TEST(QuantizeReals, Refusals) {
  const Port p = port("v", DType::int8, 1.0F, 0, 1);
  EXPECT_EQ(quantize_reals(p, std::vector<float>(2)).error().code, ErrorCode::input_shape);
  EXPECT_EQ(quantize_reals(p, std::vector<float>{std::nanf("")}).error().code, ErrorCode::op_data);
  EXPECT_EQ(quantize_reals(port("v", DType::int8, -1.0F, 0, 1), std::vector<float>(1)).error().code,
            ErrorCode::input_shape);
  EXPECT_EQ(
      quantize_reals(port("v", DType::boolean, 1.0F, 0, 1), std::vector<float>(1)).error().code,
      ErrorCode::input_shape);
}

// Gives the bytes of its inputs one after the other, each plus one.
class Increment : public Runner {
 public:
  Increment(std::vector<Port> inputs, const char* output) : inputs_(std::move(inputs)) {
    int64_t elements = 0;
    for (const Port& p : inputs_) elements += p.shape.elements();
    outputs_ = {port(output, DType::int8, 1.0F, 0, elements)};
  }
  Where where() const override { return Where::twin; }
  std::string description() const override { return "increment"; }
  std::string numerics() const override { return "tflite"; }
  std::span<const Port> inputs() const override { return inputs_; }
  std::span<const Port> outputs() const override { return outputs_; }
  std::span<const Finding> findings() const override { return {}; }
  Result<Run> run(std::span<const Tensor> inputs) override {
    if (fails) return Error(ErrorCode::op_data, "asked to fail");
    Bytes all;
    for (const Tensor& t : inputs)
      for (const std::byte b : t.data) all.push_back(std::byte(std::to_integer<int>(b) + 1));
    const Port& p = outputs_[0];
    Run run;
    run.outputs = {Tensor{p.name, p.dtype, p.shape, p.quant, std::move(all)}};
    return run;
  }
  bool fails = false;

 private:
  std::vector<Port> inputs_, outputs_;
};

std::unique_ptr<Increment> increment(const char* input = "a", const char* output = "b",
                                     int64_t elements = 2) {
  return std::make_unique<Increment>(std::vector<Port>{port(input, DType::int8, 1.0F, 0, elements)},
                                     output);
}

TEST(Invoker, SeveralInputs) {
  Invoker invoker(std::make_shared<Increment>(
      std::vector{port("a", DType::int8, 0.5F, 0, 2), port("b", DType::uint8, 1.0F, 3, 1)}, "c"));
  const std::vector<float> inputs[] = {{1.0F, -1.0F}, {4.0F}};
  const auto outputs = invoker.invoke(inputs);
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ((*outputs)[0], (std::vector<float>{3.0F, -1.0F, 8.0F}));
  EXPECT_EQ(invoker.invoke(std::span(inputs).first(1)).error().code, ErrorCode::input_missing);
}

TEST(Invoker, BytesOfTheModelAndOfTheChip) {
  Invoker invoker(increment());
  const Bytes x = {std::byte{1}, std::byte{127}};
  const ByteSpan inputs[] = {x};
  EXPECT_EQ((*invoker.invoke_raw(inputs))[0], (Bytes{std::byte{2}, std::byte{128}}));
  // 1 is -127 there, 127 is -1; -126 and 0 come back as 2 and 128.
  EXPECT_EQ((*invoker.invoke_raw(inputs, ByteForm::chip))[0],
            (Bytes{std::byte{2}, std::byte{128}}));
  const Bytes ends = {std::byte{0}, std::byte{255}};
  const ByteSpan limits[] = {ends};
  // -128 and 127 of int8; 127 + 1 goes over to -128.
  EXPECT_EQ((*invoker.invoke_raw(limits, ByteForm::chip))[0], (Bytes{std::byte{1}, std::byte{0}}));
  const ByteSpan few[] = {ByteSpan(x).first(1)};
  EXPECT_EQ(invoker.invoke_raw(few).error().code, ErrorCode::input_shape);
}

TEST(Pipeline, NeedsSegmentsThatFit) {
  EXPECT_EQ(make_pipeline({}).error().code, ErrorCode::device_request);
  std::vector<std::unique_ptr<Runner>> segments;
  segments.push_back(increment());
  segments.push_back(increment("b", "c", 3));
  EXPECT_EQ(make_pipeline(std::move(segments)).error().code, ErrorCode::device_request);
}

TEST(Pipeline, ABatchGivesWhatSingleRunsGive) {
  std::vector<std::unique_ptr<Runner>> segments;
  for (int i = 0; i < 3; ++i) segments.push_back(increment("x", "x"));
  auto* last = static_cast<Increment*>(segments.back().get());
  const auto pipeline = make_pipeline(std::move(segments));
  ASSERT_TRUE(pipeline.ok());
  std::vector<std::vector<Tensor>> inputs;
  for (int i = 0; i < 5; ++i)
    inputs.push_back({Tensor{"x", DType::int8, Shape{2}, {}, Bytes(2, std::byte(i))}});
  const auto runs = run_batch(**pipeline, inputs);
  ASSERT_TRUE(runs.ok());
  ASSERT_EQ(runs->size(), 5U);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ((*runs)[static_cast<size_t>(i)].outputs[0].data, Bytes(2, std::byte(i + 3)));
  }
  EXPECT_EQ((*pipeline)->run(inputs[1])->outputs[0].data, Bytes(2, std::byte{4}));
  last->fails = true;
  EXPECT_EQ(run_batch(**pipeline, inputs).error().code, ErrorCode::op_data);
}

}  // namespace
}  // namespace edgetwin
