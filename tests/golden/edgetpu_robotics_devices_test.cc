// Modules on a stick, here one of software, see the same bytes as on the twin; also after their
// weights were exchanged and put back.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "formats/tflite/tflite.h"
#include "golden/edgetpu_pairs.h"
#include "robotics/device/device_engine.h"
#include "robotics/engine/twin_engine.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::golden {
namespace {

using namespace robotics;

struct Engines {
  std::unique_ptr<Engine> twin, device;
};

// A bus that nothing waits for needs a clock that does not wait either.
edgetpu::JumpingClock& jumping() {
  static edgetpu::JumpingClock clock;
  return clock;
}

Engines engines(const std::string& stem) {
  const fs::path folder = edgetpu_models() / "libredgetpu";
  const std::string compiled = (folder / (stem + "_edgetpu.tflite")).string();
  const Model source = *tflite::read(*read_file(folder / (stem + ".tflite")), stem);
  const auto graph = std::make_shared<const Graph>(source.main());
  Bytes data = *read_file(compiled);
  auto bus = std::make_shared<edgetpu::VirtualBus>();
  EXPECT_TRUE(bus->learn(*darwinn::read(data, compiled), graph, compiled).ok());
  edgetpu::DeviceOptions options;
  options.clock = &jumping();
  auto device = edgetpu::EdgeTpuDevice::open(bus, "", options);
  EXPECT_TRUE(device.ok());
  auto made = device_engine(std::move(data), compiled,
                            std::shared_ptr<edgetpu::EdgeTpuDevice>(std::move(*device)), graph);
  EXPECT_TRUE(made.ok()) << made.error().message;
  auto twin = twin_engine(source);
  EXPECT_TRUE(twin.ok());
  return {std::move(*twin), std::move(*made)};
}

void expect_same(Engines& e, XorShift32& random) {
  Bytes input(e.twin->input().bytes);
  for (std::byte& b : input) b = static_cast<std::byte>(random.byte());
  const auto twin = e.twin->run(input);
  const auto device = e.device->run(input);
  ASSERT_TRUE(twin.ok() && device.ok());
  EXPECT_EQ(*twin, *device);
}

class ModuleDevices : public testing::TestWithParam<const char*> {};

TEST_P(ModuleDevices, AnswerAsTheTwin) {
  NEED_MODELS();
  Engines e = engines(GetParam());
  EXPECT_EQ(e.device->run({}).error().code, ErrorCode::module_closed);
  ASSERT_TRUE(e.twin->open().ok() && e.device->open().ok());
  XorShift32 random(1);
  expect_same(e, random);
  if (!e.device->exchangeable()) return;
  ASSERT_EQ(e.device->weight_count(), e.twin->weight_count());
  std::vector<int8_t> weights(e.twin->weight_count());
  for (int8_t& w : weights) w = static_cast<int8_t>(random.byte());
  ASSERT_TRUE(e.twin->set_weights(weights).ok());
  const Status set = e.device->set_weights(weights);
  ASSERT_TRUE(set.ok()) << set.error().message;
  expect_same(e, random);
  weights.pop_back();
  EXPECT_EQ(e.device->set_weights(weights).error().code, ErrorCode::module_weights);
  ASSERT_TRUE(e.twin->reset_weights().ok() && e.device->reset_weights().ok());
  expect_same(e, random);
}

INSTANTIATE_TEST_SUITE_P(Templates, ModuleDevices,
                         testing::Values("dense_256", "bright_16x16", "color_red_64x64",
                                         "looming_64x64_3x3", "gabor_64x64_7k_4o_2s",
                                         "gabor_64x64_p4"),
                         [](const auto& i) { return std::string(i.param); });

}  // namespace
}  // namespace edgetwin::golden
