// Recorded cases: what an index may say beyond the cases that are recorded.
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "tensor/npy.h"
#include "test_folder.h"
#include "train/cases/entry.h"
#include "train/espdl/table.h"

namespace edgetwin::train {
namespace {

Tensor array(const std::string& name, const Shape& shape, std::span<const float> values) {
  Tensor t = Tensor::zeros(DType::float32, shape).value();
  std::copy(values.begin(), values.end(), t.as<float>().begin());
  t.name = name;
  return t;
}

Tensor counted(const std::string& name, const Shape& shape, float first, float step) {
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + step * static_cast<float>(i);
  return array(name, shape, values);
}

// The results of an entry with these arrays; `keys` are its keys besides the file.
Result<CaseResults> computed(const std::string& list, const std::string& file,
                             const std::string& keys, const std::vector<Tensor>& arrays) {
  const TestFolder folder;
  const auto path = folder / "case.npz";
  const auto bytes = write_npz(arrays);
  EXPECT_TRUE(bytes.ok());
  EXPECT_TRUE(write_file(path, *bytes, Overwrite::yes).ok());
  CaseEntry entry{.list = list, .file = file, .id = file, .json = Json::object()};
  const auto json = Json::parse("{" + keys + "}", "case");
  EXPECT_TRUE(json.ok()) << keys;
  entry.json = *json;
  EDGETWIN_TRY_ASSIGN(const CaseArrays read, CaseArrays::read(path));
  ThreadPool pool(1);
  return compute_case(entry, read, folder.path(), pool);
}

std::vector<float> values_of(const CaseResults& results, const std::string& name) {
  for (const Tensor& t : results.tensors()) {
    if (t.name == name) return float_values(t);
  }
  ADD_FAILURE() << "no array " << name;
  return {};
}

TEST(TrainCases, TransposedWeightsAreFoldedAlongTheirSecondAxis) {
  const auto results =
      computed("other", "bnfold/convtranspose2d.npz", "",
               {counted("w", {2, 3, 1, 1}, 1, 0), counted("b", {3}, 0, 0),
                counted("mean", {3}, 0, 0), array("var", {3}, std::vector<float>{1, 4, 16}),
                counted("bn_weight", {3}, 4, 0), counted("bn_bias", {3}, 4, 4)});
  ASSERT_TRUE(results.ok()) << to_text(results.error());
  const std::vector<float> w = values_of(*results, "w_offline");
  EXPECT_EQ(w, (std::vector<float>{1, 0.5F, 0.25F, 1, 0.5F, 0.25F}));
  EXPECT_EQ(values_of(*results, "b_offline"), (std::vector<float>{1, 2, 3}));
}

TEST(TrainCases, FoldingWithoutBiasMakesOne) {
  const auto results = computed("other", "bnfold/conv2d-nobias.npz", "",
                                {counted("w", {2, 1, 1, 1}, 1, 0), counted("mean", {2}, 2, 2),
                                 array("var", {2}, std::vector<float>{1, 4})});
  ASSERT_TRUE(results.ok()) << to_text(results.error());
  EXPECT_EQ(values_of(*results, "b_offline"), (std::vector<float>{-0.5F, -0.5F}));
}

TEST(TrainCases, ArraysThatDoNotFitAreRefused) {
  const auto fold = computed("other", "bnfold/conv2d.npz", "",
                             {counted("w", {4, 1, 1, 1}, 1, 0), counted("b", {3}, 0, 0),
                              counted("mean", {4}, 0, 0), counted("var", {4}, 1, 0)});
  ASSERT_FALSE(fold.ok());
  EXPECT_NE(to_text(fold.error()).find("TRAIN-CASE-01"), std::string::npos);
  EXPECT_FALSE(computed("other", "loss/cross_entropy.npz", "",
                        {counted("logits", {2, 3}, 0, 1), counted("target", {2}, 2, 1)})
                   .ok());
  EXPECT_FALSE(computed("espdl", "espdl/fakequant-channel.npz", "\"channel_axis\": 1",
                        {counted("x", {2, 3}, 0, 1), counted("gy", {2, 3}, 1, 0),
                         counted("scale", {2}, 1, 0)})
                   .ok());
  EXPECT_FALSE(computed("modules", "m.npz", "\"module\": {\"operation\": \"conv4d\"}",
                        {counted("x", {1, 1}, 0, 1), counted("gy", {1, 1}, 1, 0)})
                   .ok());
}

TEST(TrainCases, ScalesMayLieAlongAnotherAxis) {
  const auto results = computed("espdl", "espdl/tqt-channel.npz", "\"channel_axis\": 1",
                                {counted("x", {2, 2}, 0.75F, 0), counted("gy", {2, 2}, 1, 0),
                                 array("log2_scale", {2}, std::vector<float>{0, -1})});
  ASSERT_TRUE(results.ok()) << to_text(results.error());
  EXPECT_EQ(values_of(*results, "y"), (std::vector<float>{1, 1, 1, 1}));
  // ln 2 * scale * sum(q - u): 0.25 of a step of 1, half a step of 1/2, twice each.
  const std::vector<float> g = values_of(*results, "g_log2_scale");
  EXPECT_NEAR(g[0], std::log(2.0) * 0.5, 1e-6);
  EXPECT_NEAR(g[1], std::log(2.0) * 0.5, 1e-6);
}

TEST(TrainCases, ThresholdsOfALayerWithAbsoluteValues) {
  const auto results =
      computed("other", "qatv2/forward-abs.npz",
               R"("activation_threshold": 0, "final_scale": 1, "activate": "Abs")",
               {counted("x", {1, 1, 1, 1}, -0.5F, 0), counted("w", {1, 1, 3, 3}, 0.5F, 0),
                counted("gy", {1, 1, 1, 1}, 1, 0)});
  ASSERT_TRUE(results.ok()) << to_text(results.error());
  EXPECT_EQ(values_of(*results, "y"), (std::vector<float>{0.5F}));
  EXPECT_EQ(values_of(*results, "gx"), (std::vector<float>{-127.0F / 128}));
}

// Each derivative against the function's own table entries, between its corners.
TEST(TrainCases, DerivativesOfTables) {
  for (const lut::FunctionInfo& f : lut::all_functions()) {
    lut::TableSpec spec;
    spec.function = f.function;
    spec.in_exponent = -12;
    const double alpha = static_cast<double>(f.alpha.value_or(0));
    const double beta = static_cast<double>(f.beta.value_or(0));
    for (const double x : {-2.3, -0.7, 0.4, 1.9}) {
      const auto slope = derivative(f.function, x, alpha, beta);
      if (!slope) continue;
      const int q = static_cast<int>(x * 4096);
      const double rise = static_cast<double>(lut::real_value(spec, q + 64)) -
                          static_cast<double>(lut::real_value(spec, q - 64));
      EXPECT_NEAR(*slope, rise * 32, 2e-3) << f.name << " at " << x;
    }
  }
}

}  // namespace
}  // namespace edgetwin::train
