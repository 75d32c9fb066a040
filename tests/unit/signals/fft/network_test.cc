#include "signals/fft/network.h"

#include <gtest/gtest.h>

#include "formats/onnx/import/onnx.h"
#include "formats/onnx/write/write.h"
#include "formats/tflite/tflite.h"

namespace edgetwin::signals {
namespace {

FftOptions options_for(int size, FftForm form, FftNumber number) {
  return {size, 1, form, FftScaling::worst, number};
}

TEST(FftNetwork, IsAsLargeAsItsCost) {
  for (const FftForm form : {FftForm::butterfly, FftForm::matrix}) {
    const FftOptions o = options_for(32, form, FftNumber::int8);
    const auto model = fft_network(o, fft_reach(o));
    ASSERT_TRUE(model.ok());
    EXPECT_TRUE(verify_graph(model->main()).ok());
    int64_t parameters = 0, multiplications = 0;
    for (const Value& v : model->main().values) {
      if (v.is_constant() && v.dtype == DType::int8) parameters += v.shape.elements();
    }
    for (const Op& op : model->main().ops) {
      const int64_t made = model->main().value(op.outputs[0]).shape.elements();
      if (op.kind == OpKind::mul) multiplications += made;
      if (op.kind == OpKind::fully_connected) multiplications += made * 64;
    }
    const FftCost cost = fft_cost(o);
    EXPECT_EQ(cost.parameters, parameters);
    EXPECT_EQ(cost.multiplications, multiplications);
    EXPECT_EQ(cost.operators, static_cast<int64_t>(model->main().ops.size()));
  }
}

TEST(FftNetwork, FilesKeepTheNetwork) {
  for (const FftForm form : {FftForm::butterfly, FftForm::matrix}) {
    for (const FftNumber number : {FftNumber::int8, FftNumber::int16, FftNumber::float32}) {
      const FftOptions o = options_for(16, form, number);
      const auto model = fft_network(o, fft_reach(o));
      ASSERT_TRUE(model.ok());
      const auto file = tflite::write(*model);
      ASSERT_TRUE(file.ok()) << to_text(file.error());
      const auto again = tflite::read(*file, "fft.tflite");
      ASSERT_TRUE(again.ok());
      std::string difference;
      EXPECT_TRUE(equal(model->main(), again->main(), &difference)) << difference;
    }
  }
}

TEST(FftNetwork, RefusesSizesAndBatches) {
  const auto message = [](int size, int batch) {
    FftOptions o = options_for(size, FftForm::butterfly, FftNumber::int8);
    o.batch = batch;
    const auto checked = check(o);
    return checked.ok() ? "" : checked.error().message;
  };
  EXPECT_EQ(message(12, 1), "a transform of 12 samples; a power of two from 8 to 4096 is possible");
  EXPECT_EQ(message(4, 1), "a transform of 4 samples; a power of two from 8 to 4096 is possible");
  EXPECT_NE(message(8192, 1), "");
  EXPECT_NE(message(-8, 1), "");
  EXPECT_EQ(message(8, 257), "257 transforms in a run; 1 to 256 are possible");
  EXPECT_EQ(message(4096, 256), "");
}

TEST(FftNetwork, OnnxHoldsFloatOnly) {
  const FftOptions o = options_for(8, FftForm::butterfly, FftNumber::int8);
  const auto model = fft_network(o, fft_reach(o));
  ASSERT_TRUE(model.ok());
  const auto document = onnx::document_of(model->main());
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, ErrorCode::onnx_operator);
}

}  // namespace
}  // namespace edgetwin::signals
