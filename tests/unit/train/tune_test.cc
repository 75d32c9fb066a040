// The quantized forward pass of ONNX networks against the integer network; blocks without labels.
#include "train/tune/tune.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "exec/session.h"
#include "formats/espdl/document/numerics_name.h"
#include "quantize/espdl/dequantize.h"
#include "quantize/networks.h"
#include "tensor/npy.h"
#include "test_folder.h"
#include "train/espdl/fake_quantize.h"
#include "train/math/random.h"
#include "train/tune/blocks.h"

namespace edgetwin::train {
namespace {

Graph tuned_example(bool swish) {
  quantize::Builder b;
  const ValueId x = b.input("x", {1, 2, 6, 6});
  ValueId y = b.conv(x, 4);
  y = swish ? b.op(OpKind::swish, "Swish", {y}, {1, 4, 6, 6}) : b.relu(y);
  const ValueId z = b.add(b.conv(y, 4, 0.5F), y);
  return b.finish({z});
}

std::vector<quantize::Sample> samples_for(const Graph& graph, size_t count) {
  std::vector<quantize::Sample> samples;
  for (size_t i = 0; i < count; ++i) {
    const Value& in = graph.value(graph.inputs[0]);
    Random random(100 + i, Purpose::weights);
    std::vector<float> values(static_cast<size_t>(in.shape.elements()));
    for (float& v : values) v = 2 * random.uniform() - 1;
    Tensor t;
    t.name = in.name;
    t.dtype = DType::float32;
    t.shape = in.shape;
    t.data = to_bytes(std::as_bytes(std::span(values)));
    samples.push_back({std::move(t)});
  }
  return samples;
}

class QuantizedForward : public testing::TestWithParam<espdl::Target> {};

// Sums of 8 and of 16 bits are exact, and tables are those of the file: every result is equal.
TEST_P(QuantizedForward, EqualsTheIntegerNetwork) {
  for (const int bits : {8, 16}) {
    SCOPED_TRACE(bits);
    const bool swish = bits == 16 && GetParam() != espdl::Target::c;
    const Graph graph = tuned_example(swish);
    const auto samples = samples_for(graph, 4);
    quantize::Settings settings;
    settings.target = GetParam();
    settings.bits = bits;
    settings.lut.step = 256;
    if (swish) settings.lut.to_lut = {"Swish"};
    const auto planned = quantize::plan_espdl(graph, samples, settings);
    ASSERT_TRUE(planned.ok()) << to_text(planned.error());
    const auto network = TunedNetwork::make(*planned, {});
    ASSERT_TRUE(network.ok()) << to_text(network.error());
    const auto q = quantize::lower_espdl(*planned);
    ASSERT_TRUE(q.ok()) << to_text(q.error());
    exec::Options options;
    options.numerics = espdl::wide_numerics_of(GetParam());
    auto session = exec::Session::create(std::make_shared<const Graph>(q->graph), options);
    ASSERT_TRUE(session.ok()) << to_text(session.error());
    for (const quantize::Sample& sample : samples) {
      const auto values = sample[0].as<float>();
      ASSERT_TRUE(
          session
              ->set_input(0, quantize::integer_values(*q, values, q->graph.inputs[0], GetParam()))
              .ok());
      ASSERT_TRUE(session->run().ok());
      const ValueId out = q->graph.outputs[0];
      const auto wanted = quantize::real_values(*q, *session, session->graph(), out, out);
      TapeRun run = network->tape().begin();
      run.values[static_cast<size_t>(network->inputs()[0])].assign(values.begin(), values.end());
      network->tape().forward(run);
      const Numbers& got = network->tape().values(run, network->outputs()[0]);
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], static_cast<double>(wanted[i]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, QuantizedForward,
                         testing::Values(espdl::Target::esp32p4, espdl::Target::esp32s3,
                                         espdl::Target::c));

TEST(Blocks, ComeCloserToTheFloatNetwork) {
  const Graph graph = tuned_example(false);
  const auto samples = samples_for(graph, 32);
  for (const TuneMethod method :
       {TuneMethod::rounding, TuneMethod::steps, TuneMethod::thresholds}) {
    auto planned = quantize::plan_espdl(graph, samples, {});
    ASSERT_TRUE(planned.ok());
    TuneSettings settings;
    settings.method = method;
    settings.block_steps = method == TuneMethod::rounding ? 1000 : 300;
    settings.block_rate = method == TuneMethod::rounding ? 1e-2 : 1e-5;
    ThreadPool pool(2);
    const auto blocks = tune_blocks(*planned, samples, settings, pool);
    ASSERT_TRUE(blocks.ok()) << to_text(blocks.error());
    EXPECT_EQ(blocks->size(), 2U);
    EXPECT_TRUE((*blocks)[0].kept || (*blocks)[1].kept)
        << (*blocks)[0].before << " " << (*blocks)[0].after << " " << (*blocks)[1].before << " "
        << (*blocks)[1].after << " method " << static_cast<int>(method);
    for (const BlockResult& b : *blocks) {
      EXPECT_EQ(b.kept, b.after < b.before) << b.block;
    }
  }
}

// The step of the tape against the gradients of the recorded cases' quantizer.
TEST(TrainedExponents, HaveTheGradientsOfThresholds) {
  RoundingSpec spec;
  spec.exponents = {-4, -3};
  spec.inner = 6;
  const auto step = make_threshold_rounding(spec);
  Random random(3, Purpose::weights);
  std::vector<float> values(24), slopes(24);
  for (float& v : values) v = 40 * random.uniform() - 20;
  for (float& v : slopes) v = 2 * random.uniform() - 1;
  const Numbers x(values.begin(), values.end()), g(slopes.begin(), slopes.end());
  const Numbers logarithms = {-4.3, -2.5};
  FakeQuantizer q;
  q.scales = {threshold_scale(-4.3F), threshold_scale(-2.5F)};
  EXPECT_EQ(q.scales[1], 0.25F);  // half to even
  q.inner = 6;
  Numbers out(24), gx(24), ga(2);
  const Numbers* operands[] = {&x, &logarithms};
  Numbers* to[] = {&gx, &ga};
  step->forward(operands, out);
  step->backward(operands, out, g, to);
  const auto y = fake_quantize(values, q), slope = fake_quantize_gradient(values, slopes, q);
  const auto wanted = threshold_gradient(values, slopes, q);
  for (size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(out[i], static_cast<double>(y[i]));
    EXPECT_EQ(gx[i], static_cast<double>(slope[i]));
  }
  for (size_t c = 0; c < 2; ++c) {
    const double expected = static_cast<double>(wanted[c]);
    EXPECT_NEAR(ga[c], expected, 1e-5 * std::abs(expected));  // sums in binary32 there
  }
}

// An exponent four times too coarse is found again; the weights alone could not.
TEST(TrainedExponents, FindTheirWayBack) {
  quantize::Builder b;
  const ValueId y = b.relu(b.conv(b.input("x", {1, 2, 6, 6}), 4));
  const Graph graph = b.finish({b.conv(y, 4, 0.5F)});
  const auto samples = samples_for(graph, 16);
  auto planned = quantize::plan_espdl(graph, samples, {});
  ASSERT_TRUE(planned.ok());
  const auto& first = planned->plan->ops()[1];  // the Relu's output decides for the convolution
  const quantize::QuantId root = planned->plan->root(first.outputs[0]);
  const int good = planned->plan->quant(root).exponent[0];
  ASSERT_TRUE(quantize::set_exponents(*planned, {{root, {good + 3}}}).ok());
  TuneSettings settings;
  settings.method = TuneMethod::thresholds;
  settings.block_size = 2;
  settings.block_steps = 400;
  ThreadPool pool(1);
  const auto blocks = tune_blocks(*planned, samples, settings, pool);
  ASSERT_TRUE(blocks.ok()) << to_text(blocks.error());
  EXPECT_LT(planned->plan->quant(root).exponent[0], good + 3);
  EXPECT_TRUE((*blocks)[0].kept);
  EXPECT_GE((*blocks)[0].exponents, 1);
  EXPECT_LT((*blocks)[0].after, (*blocks)[0].before / 4);
}

// The class of each place by the float network, as what is true of the samples.
Tensor classes_by(const TunedNetwork& floats, std::span<const quantize::Sample> samples,
                  const std::string& name) {
  Tensor labels = Tensor::zeros(DType::int64, {static_cast<int64_t>(samples.size()), 6, 6}).value();
  labels.name = name;
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto values = samples[i][0].as<float>();
    TapeRun run = floats.tape().begin();
    run.values[static_cast<size_t>(floats.inputs()[0])].assign(values.begin(), values.end());
    floats.tape().forward(run);
    const Numbers& out = floats.tape().values(run, floats.outputs()[0]);
    for (size_t p = 0; p < 36; ++p) {
      size_t best = 0;
      for (size_t c = 1; c < 4; ++c) best = out[c * 36 + p] > out[best * 36 + p] ? c : best;
      labels.as<int64_t>()[i * 36 + p] = static_cast<int64_t>(best);
    }
  }
  return labels;
}

Tensor inputs_of(std::span<const quantize::Sample> samples, const std::string& name) {
  Tensor all =
      Tensor::zeros(DType::float32, {static_cast<int64_t>(samples.size()), 2, 6, 6}).value();
  all.name = name;
  for (size_t i = 0; i < samples.size(); ++i) {
    std::ranges::copy(samples[i][0].as<float>(),
                      all.as<float>().begin() + static_cast<int64_t>(i) * 72);
  }
  return all;
}

// An exponent whose range is an eighth of what it should be grows by the loss of the labels, and
// the score is that of the integer network with it.
TEST(TrainedExponents, ThoseOfLabelsAreInTheNetworkThatIsScored) {
  quantize::Builder b;
  const ValueId y = b.relu(b.conv(b.input("x", {1, 2, 6, 6}), 4));
  const Graph graph = b.finish({b.conv(y, 4, 0.5F)});
  const auto samples = samples_for(graph, 64);
  auto planned = quantize::plan_espdl(graph, samples, {});
  ASSERT_TRUE(planned.ok());
  const auto floats = TunedNetwork::make(*planned, {.phase = TunedPhase::floats});
  ASSERT_TRUE(floats.ok());
  const TestFolder folder;
  const auto all = std::span(samples);
  const auto archive = write_npz(std::vector<Tensor>{
      inputs_of(all.first(48), "x_train"), classes_by(*floats, all.first(48), "y_train"),
      inputs_of(all.subspan(48), "x_test"), classes_by(*floats, all.subspan(48), "y_test")});
  ASSERT_TRUE(archive.ok());
  ASSERT_TRUE(write_file(folder / "data.npz", *archive, Overwrite::yes).ok());
  const auto sets = read_items(folder.path(), {}, {}, 0.25, 1);
  ASSERT_TRUE(sets.ok()) << to_text(sets.error());
  const quantize::QuantId root = planned->plan->root(planned->plan->ops()[1].outputs[0]);
  const int narrow = planned->plan->quant(root).exponent[0] - 3;
  ASSERT_TRUE(quantize::set_exponents(*planned, {{root, {narrow}}}).ok());
  TuneSettings settings;
  settings.epochs = 60;
  settings.batch = 4;
  settings.optimizer.rate = 1e-6;  // weights hardly move: what is better is the exponent's
  settings.train_exponents = true;
  const auto result = tune(std::move(*planned), &*sets, samples, settings);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  ASSERT_GE(result->best_epoch, 0);
  EXPECT_GT(result->planned.plan->quant(root).exponent[0], narrow);
  EXPECT_GT(result->best_validation.right, result->ptq_validation.right);
  ThreadPool pool(1);
  const auto twin = twin_score(result->quantized, *result->planned.settings, result->form, false,
                               sets->train, sets->validation, pool);
  ASSERT_TRUE(twin.ok());
  EXPECT_EQ(twin->score.right, result->best_validation.right);
  EXPECT_EQ(twin->score.loss, result->best_validation.loss);
}

TEST(TuneState, ComesBackWhole) {
  TuneState s;
  s.epoch = 3;
  s.quantized = true;
  s.optimizer_kind = OptimizerKind::adam;
  s.parameters = {{"a", {1.0F, -2.5F}}, {"b", {0.5F}}};
  s.planned = {{"a", {0.25F, 3.0F}}};
  s.best = {{"a", {7.0F, 8.0F}}};
  s.optimizer["a"] = {{0.1F, 0.2F}, {0.3F, 0.4F}, 12};
  s.epochs = {{2, false, 0.5, 1.25, 50, 0.125, {3.5, 1, 2, 2}, {}},
              {3, true, 0.25, 1.0 / 3, 75, 0.5, {0.1, 2, 2, 2}, {"#0 Conv 'c'"}}};
  s.best_epoch = 3;
  s.best_validation = {0.1, 2, 2, 2};
  s.float_test = {9, 8, 7, 6};
  s.log = "two\nlines\n";
  const auto bytes = write_state(s);
  ASSERT_TRUE(bytes.ok());
  const auto r = read_state(*bytes, "c");
  ASSERT_TRUE(r.ok()) << to_text(r.error());
  EXPECT_EQ(r->epoch, 3);
  EXPECT_TRUE(r->quantized);
  EXPECT_EQ(r->optimizer_kind, OptimizerKind::adam);
  EXPECT_EQ(r->parameters, s.parameters);
  EXPECT_EQ(r->planned, s.planned);
  EXPECT_EQ(r->best, s.best);
  EXPECT_EQ(r->optimizer.at("a").second, s.optimizer.at("a").second);
  EXPECT_EQ(r->optimizer.at("a").steps, 12);
  ASSERT_EQ(r->epochs.size(), 2U);
  EXPECT_FALSE(r->epochs[0].quantized);
  EXPECT_EQ(r->epochs[1].train_loss, 1.0 / 3);
  EXPECT_EQ(r->epochs[1].validation.loss, 0.1);
  EXPECT_EQ(r->epochs[1].warnings, s.epochs[1].warnings);
  EXPECT_EQ(r->float_test.right, 8U);
  EXPECT_EQ(r->log, s.log);
}

}  // namespace
}  // namespace edgetwin::train
