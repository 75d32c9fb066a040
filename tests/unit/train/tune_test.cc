// The quantized forward pass of ONNX networks against the integer network; blocks without labels.
#include "train/tune/tune.h"

#include <gtest/gtest.h>

#include "exec/session.h"
#include "formats/espdl/document/numerics_name.h"
#include "quantize/espdl/dequantize.h"
#include "quantize/networks.h"
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
  for (const TuneMethod method : {TuneMethod::rounding, TuneMethod::steps}) {
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

}  // namespace
}  // namespace edgetwin::train
