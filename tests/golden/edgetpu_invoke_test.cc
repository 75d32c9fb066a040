// Invoker, matrices with replaceable weights and pipelines on the virtual stick, with public
// models.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "edgetwin/invoker.h"
#include "formats/tflite/tflite.h"
#include "golden/edgetpu_pairs.h"
#include "golden/golden.h"
#include "robotics/device/device_engine.h"
#include "robotics/matmul/matmul_engine.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"
#include "twin/runners.h"

namespace edgetwin::golden {
namespace {

using edgetpu::CompiledNetwork;
using edgetpu::EdgeTpuDevice;
using robotics::Engine;
using robotics::MatMulEngine;
using robotics::Matrix;
using robotics::Scales;

Result<std::shared_ptr<const Model>> load(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, path.string()));
  return std::make_shared<const Model>(std::move(model));
}

struct InvokedModel {
  std::shared_ptr<edgetpu::JumpingClock> clock = std::make_shared<edgetpu::JumpingClock>();
  std::shared_ptr<edgetpu::VirtualBus> bus = std::make_shared<edgetpu::VirtualBus>();
  std::shared_ptr<EdgeTpuDevice> device;
  Bytes data;
  std::string name;
  darwinn::File file;
  std::shared_ptr<const Model> compiled, source;
};

Result<InvokedModel> open_invoked(const fs::path& stem) {
  InvokedModel o;
  const std::string compiled = stem.string() + "_edgetpu.tflite";
  o.name = compiled;
  EDGETWIN_TRY_ASSIGN(o.data, read_file(compiled));
  EDGETWIN_TRY_ASSIGN(o.file, darwinn::read(o.data, compiled));
  EDGETWIN_TRY_ASSIGN(o.compiled, load(compiled));
  EDGETWIN_TRY_ASSIGN(o.source, load(stem.string() + ".tflite"));
  EDGETWIN_TRY(o.bus->learn(o.file, {o.source, &o.source->main()}, compiled));
  edgetpu::DeviceOptions options;
  options.clock = o.clock.get();
  EDGETWIN_TRY_ASSIGN(o.device, EdgeTpuDevice::open(o.bus, "", options));
  return o;
}

// Without the source: a dense layer is told by its program alone.
Result<MatMulEngine> dense(InvokedModel& o, const char* name) {
  EDGETWIN_TRY_ASSIGN(o, open_invoked(edgetpu_models() / "libredgetpu" / name));
  EDGETWIN_TRY_ASSIGN(std::shared_ptr<Engine> engine,
                      robotics::device_engine(o.data, o.name, o.device));
  EDGETWIN_TRY_ASSIGN(MatMulEngine matrix, MatMulEngine::create(std::move(engine)));
  EDGETWIN_TRY(matrix.open());
  return matrix;
}

Result<std::unique_ptr<Runner>> runner_on(const InvokedModel& o) {
  twin::DeviceRun run;
  run.loaded.file = o.name;
  run.loaded.model = o.compiled;
  run.file = std::make_shared<const darwinn::File>(o.file);
  EDGETWIN_TRY_ASSIGN(auto network, CompiledNetwork::make(o.compiled, *run.file));
  run.network = std::make_unique<CompiledNetwork>(std::move(network));
  run.device = o.device;
  return twin::device_runner(std::move(run), Where::virtual_device, o.data);
}

TEST(EdgetpuMatMul, TheWeightThatIsSetIsTheOneThatAnswers) {
  NEED_MODELS();
  InvokedModel o;
  auto engine = dense(o, "dense_256");
  ASSERT_TRUE(engine.ok()) << to_text(engine.error());
  constexpr size_t kSize = 256;
  XorShift32 random(11);
  const auto zero = static_cast<std::byte>(engine->output().byte_zero_point());
  for (int probe = 0; probe < 500; ++probe) {
    const size_t row = random.next() % kSize, column = random.next() % kSize;
    std::vector<int8_t> weights(kSize * kSize, 0);
    weights[row * kSize + column] = 127;
    ASSERT_TRUE(engine->set_weights_int8(weights).ok());
    Bytes x(kSize, static_cast<std::byte>(engine->input().byte_zero_point()));
    x[column] = std::byte{255};
    const auto y = engine->matmul_raw(x);
    ASSERT_TRUE(y.ok()) << to_text(y.error());
    for (size_t lane = 0; lane < kSize; ++lane)
      ASSERT_EQ((*y)[lane] != zero, lane == row) << row << ", " << column << ", lane " << lane;
  }
}

TEST(EdgetpuMatMul, ASweepOfBytesAnswersLinearly) {
  NEED_MODELS();
  InvokedModel o;
  auto engine = dense(o, "dense_256");
  ASSERT_TRUE(engine.ok()) << to_text(engine.error());
  constexpr size_t kSize = 256;
  std::vector<int8_t> weights(kSize * kSize, 0);
  for (size_t c = 0; c < kSize; ++c) weights[c] = 127;  // row 0 sums
  ASSERT_TRUE(engine->set_weights_int8(weights).ok());
  int before = 1000;
  for (const int byte : {143, 138, 133, 127, 122, 117, 112}) {
    const Bytes x(kSize, static_cast<std::byte>(byte));
    const auto y = engine->matmul(std::vector<float>(
        kSize,
        static_cast<float>(byte - engine->input().byte_zero_point()) * engine->input().scale));
    ASSERT_TRUE(y.ok()) << to_text(y.error());
    const float exact = 256.0F * 127.0F * engine->weight_scales()[0] * engine->input().scale *
                        static_cast<float>(byte - engine->input().byte_zero_point());
    const float most =
        static_cast<float>(255 - engine->output().byte_zero_point()) * engine->output().scale;
    const float least =
        static_cast<float>(-engine->output().byte_zero_point()) * engine->output().scale;
    EXPECT_NEAR((*y)[0], std::clamp(exact, least, most), engine->output().scale) << byte;
    const auto raw = engine->matmul_raw(x);
    ASSERT_TRUE(raw.ok());
    EXPECT_LT(std::to_integer<int>((*raw)[0]), before);
    before = std::to_integer<int>((*raw)[0]);
  }
}

TEST(EdgetpuMatMul, ShiftsByOneRotateTheInput) {
  NEED_MODELS();
  InvokedModel o;
  auto engine = dense(o, "dense_1024");
  ASSERT_TRUE(engine.ok()) << to_text(engine.error());
  constexpr size_t kSize = 1024;
  std::vector<std::vector<float>> vectors(3, std::vector<float>(kSize));
  XorShift32 random(5);
  for (auto& x : vectors)
    for (float& v : x) v = static_cast<float>(random.byte()) / 255.0F - 0.5F;
  for (const size_t shift : {size_t{1}, kSize - 1}) {
    std::vector<float> weights(kSize * kSize, 0.0F);
    for (size_t r = 0; r < kSize; ++r) weights[r * kSize + (r + shift) % kSize] = 1.0F;
    ASSERT_TRUE(engine->set_weights({kSize, kSize, weights}, Scales::own).ok());
    const auto results = engine->matmul_batch(vectors);
    ASSERT_TRUE(results.ok()) << to_text(results.error());
    const float step = engine->output().scale + engine->input().scale;
    for (size_t k = 0; k < vectors.size(); ++k)
      for (size_t r = 0; r < kSize; ++r)
        ASSERT_NEAR((*results)[k][r], vectors[k][(r + shift) % kSize], step) << k << ", " << r;
  }
  ASSERT_TRUE(engine->reset_weights().ok());
  ASSERT_TRUE(engine->upload().ok());
}

TEST(EdgetpuMatMul, WhatIsNoMatrixIsRefused) {
  NEED_MODELS();
  InvokedModel o;
  auto engine = dense(o, "dense_256");
  ASSERT_TRUE(engine.ok()) << to_text(engine.error());
  std::vector<float> weights(256 * 256, 0.0F);
  EXPECT_EQ(engine->set_weights({1, 100, std::vector<float>(100)}).error().code,
            ErrorCode::module_weights);
  weights[300] = std::numeric_limits<float>::infinity();
  const Status infinite = engine->set_weights({256, 256, weights});
  ASSERT_FALSE(infinite.ok());
  EXPECT_NE(infinite.error().message.find("row 1, column 44"), std::string::npos);
  EXPECT_EQ(engine->matmul(std::vector<float>(256)).error().code, ErrorCode::module_state);
  EXPECT_EQ(engine->matmul(std::vector<float>(255)).error().code, ErrorCode::module_input);
  EXPECT_EQ(engine->set_weights_raw(Bytes(5)).error().code, ErrorCode::module_weights);
  auto other = open_invoked(edgetpu_models() / "libredgetpu" / "looming_64x64_3x3");
  ASSERT_TRUE(other.ok());
  auto layers = robotics::device_engine(other->data, other->name, other->device);
  ASSERT_TRUE(layers.ok()) << to_text(layers.error());
  EXPECT_FALSE((*layers)->exchangeable());
  EXPECT_EQ(MatMulEngine::create(std::shared_ptr<Engine>(std::move(*layers))).error().code,
            ErrorCode::module_model);
}

TEST(EdgetpuInvoker, HostOperatorsRunBehindTheDevice) {
  NEED_MODELS();
  auto o = open_invoked(edgetpu_models() / "coral_test_data" / "deeplabv3_mnv2_dm05_pascal_quant");
  ASSERT_TRUE(o.ok()) << to_text(o.error());
  auto network = CompiledNetwork::make(o->compiled, o->file);
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  EXPECT_EQ(network->parts().size(), 2u);
  auto runner = runner_on(*o);
  ASSERT_TRUE(runner.ok()) << to_text(runner.error());
  Invoker invoker(std::move(*runner));
  const size_t bytes = 513 * 513 * 3;
  Bytes picture(bytes);
  XorShift32 random(2);
  for (std::byte& b : picture) b = static_cast<std::byte>(random.byte());
  const ByteSpan inputs[] = {picture};
  const auto outputs = invoker.invoke_raw(inputs);
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());

  exec::Options options;
  options.numerics = "edgetpu";
  auto twin = exec::Session::create({o->source, &o->source->main()}, options);
  ASSERT_TRUE(twin.ok());
  ASSERT_TRUE(twin->set_input(0, picture).ok());
  ASSERT_TRUE(twin->run().ok());
  EXPECT_EQ((*outputs)[0], twin->output(0).data);
  const ByteSpan wrong[] = {ByteSpan(picture).first(5)};
  EXPECT_EQ(invoker.invoke_raw(wrong).error().code, ErrorCode::input_shape);
}

// One model twice in a row, on two sticks of one bus: 256 values in, 256 out.
TEST(EdgetpuInvoker, SegmentsOfAPipelineWorkAtTheSameTime) {
  NEED_MODELS();
  auto first = open_invoked(edgetpu_models() / "libredgetpu" / "dense_256");
  auto second = open_invoked(edgetpu_models() / "libredgetpu" / "dense_256");
  ASSERT_TRUE(first.ok() && second.ok());
  std::vector<std::unique_ptr<Runner>> segments;
  for (const InvokedModel* o : {&*first, &*second}) {
    auto runner = runner_on(*o);
    ASSERT_TRUE(runner.ok());
    segments.push_back(std::move(*runner));
  }
  auto alone = runner_on(*first);
  ASSERT_TRUE(alone.ok());
  auto pipeline = make_pipeline(std::move(segments));
  ASSERT_TRUE(pipeline.ok()) << to_text(pipeline.error());
  std::vector<std::vector<Tensor>> inputs;
  for (int i = 0; i < 6; ++i)
    inputs.push_back({*quantize_reals((*pipeline)->inputs()[0],
                                      std::vector<float>(256, 0.1F * static_cast<float>(i)))});
  const auto all = run_batch(**pipeline, inputs);
  ASSERT_TRUE(all.ok()) << to_text(all.error());
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto once = (*alone)->run(inputs[i]);
    ASSERT_TRUE(once.ok());
    const auto twice = (*alone)->run(once->outputs);
    ASSERT_TRUE(twice.ok());
    EXPECT_EQ((*all)[i].outputs[0].data, twice->outputs[0].data) << i;
    const auto serial = (*pipeline)->run(inputs[i]);
    ASSERT_TRUE(serial.ok());
    EXPECT_EQ((*all)[i].outputs[0].data, serial->outputs[0].data) << i;
  }
}

}  // namespace
}  // namespace edgetwin::golden
