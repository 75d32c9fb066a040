#include <gtest/gtest.h>

#include "edgetwin/compile.h"
#include "exec/session.h"
#include "formats/tflite/tflite.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin {
namespace {

using edgetpu::RandomNetwork;

Bytes outputs_of(const Model& model, const Bytes& input) {
  exec::Options options;
  options.numerics = "edgetpu";
  auto session = exec::Session::create(std::make_shared<const Graph>(model.main()), options);
  EXPECT_TRUE(session.ok()) << to_text(session.error());
  EXPECT_TRUE(session->set_input(0, input).ok());
  EXPECT_TRUE(session->run().ok());
  const ByteSpan bytes = session->bytes(model.main().outputs[0]);
  return {bytes.begin(), bytes.end()};
}

Model chain() {
  RandomNetwork net(4);
  ValueId at = net.input(24, 24, 8);
  for (int k = 0; k < 4; ++k) {
    at = net.window(at, 16 * (k + 1), 3, 1, 1, true, false);
    at = net.window(at, 0, 3, 1 + k % 2, 1, true, true);
  }
  Model model;
  model.format = "tflite";
  model.graphs.push_back(net.finish(at));
  return model;
}

TEST(EdgetpuSegments, OneAfterTheOtherTheyAreTheNetwork) {
  const Model model = chain();
  const auto file = tflite::write(model);
  ASSERT_TRUE(file.ok());
  Bytes data(24 * 24 * 8);
  XorShift32 random(3);
  for (std::byte& b : data) b = static_cast<std::byte>(random.byte());
  const Bytes wanted = outputs_of(model, data);
  for (const int n : {1, 2, 3}) {
    const auto parts = edgetpu_segments(*file, "chain.tflite", n);
    ASSERT_TRUE(parts.ok()) << to_text(parts.error());
    ASSERT_EQ(parts->size(), static_cast<size_t>(n));
    Bytes at = data;
    size_t operators = 0;
    for (const MadeFile& part : *parts) {
      const auto segment = tflite::read(part.bytes, part.path);
      ASSERT_TRUE(segment.ok()) << to_text(segment.error());
      operators += segment->main().ops.size();
      at = outputs_of(*segment, at);
    }
    EXPECT_EQ(operators, model.main().ops.size());
    EXPECT_EQ(at, wanted) << n;
  }
}

TEST(EdgetpuSegments, TheSlowestIsMuchFasterThanTheWhole) {
  const auto file = tflite::write(chain());
  int64_t whole = 0, slowest = 0;
  const auto all = compile_edgetpu(*file, "chain.tflite");
  ASSERT_TRUE(all.ok());
  for (const ProgramGroup& g : all->groups) whole += g.steps;
  const auto parts = edgetpu_segments(*file, "chain.tflite", 2);
  ASSERT_TRUE(parts.ok());
  for (const MadeFile& part : *parts) {
    const auto made = compile_edgetpu(part.bytes, part.path);
    ASSERT_TRUE(made.ok());
    int64_t steps = 0;
    for (const ProgramGroup& g : made->groups) steps += g.steps;
    slowest = std::max(slowest, steps);
  }
  EXPECT_LT(4 * slowest, 3 * whole);
}

TEST(EdgetpuSegments, ThereAreNoMoreThanOperators) {
  const auto file = tflite::write(chain());
  for (const int n : {0, -1, 9, 17}) {
    const auto parts = edgetpu_segments(*file, "chain.tflite", n);
    ASSERT_FALSE(parts.ok()) << n;
    EXPECT_EQ(parts.error().code, ErrorCode::usage);
  }
}

}  // namespace
}  // namespace edgetwin
