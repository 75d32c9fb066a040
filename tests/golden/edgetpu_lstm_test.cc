// The public compiled model with a recurrent layer, whose loop and states the machine follows, and
// the one that our compiler makes, against their source in the twin's arithmetic of the chip.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "edgetwin/compile.h"
#include "formats/darwinn/darwinn.h"
#include "golden/edgetpu_pairs.h"
#include "image/image.h"
#include "targets/edgetpu/device/clock.h"
#include "targets/edgetpu/runtime/machine_network.h"
#include "targets/edgetpu/runtime/network.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::golden {
namespace {

constexpr size_t kPixels = 28 * 28;

fs::path folder() { return edgetpu_models() / "coral_test_data"; }

struct Pair {
  std::shared_ptr<const Model> model;
  darwinn::File file;
  std::optional<edgetpu::MachineNetwork> machine;
  std::optional<exec::Session> twin;
};

const std::string kName = "keras_lstm_mnist_ptq";

Result<Bytes> compiled(bool ours) {
  if (!ours) return read_file(folder() / (kName + "_edgetpu.tflite"));
  EDGETWIN_TRY_ASSIGN(const Bytes source, read_file(folder() / (kName + ".tflite")));
  EDGETWIN_TRY_ASSIGN(EdgetpuCompiled made, compile_edgetpu(source, kName, {.inputs = 1}));
  EXPECT_TRUE(made.proven) << made.proof;
  EXPECT_EQ(made.on_chip(), made.operators.size());
  return std::move(made.file);
}

void load(Pair& pair, bool ours) {
  const std::string& name = kName;
  const auto data = compiled(ours);
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  auto file = darwinn::read(*data, name);
  auto model = tflite::read(*data, name);
  ASSERT_TRUE(file.ok() && model.ok());
  pair.model = std::make_shared<const Model>(*model);
  pair.file = std::move(*file);
  auto network = edgetpu::MachineNetwork::make(std::make_shared<const Model>(std::move(*model)),
                                               pair.file, {.numerics = "edgetpu"});
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  pair.machine.emplace(std::move(*network));
  const auto graph = load_graph(folder() / (name + ".tflite"));
  ASSERT_TRUE(graph.ok());
  auto session = exec::Session::create(*graph, {.numerics = "edgetpu", .keep_all = true});
  ASSERT_TRUE(session.ok());
  pair.twin.emplace(std::move(*session));
}

// What the machine gives, held against the twin: the result and both states.
Bytes both(Pair& pair, const Bytes& pixels) {
  Tensor in;
  in.name = "in";
  in.dtype = DType::uint8;
  in.shape = Shape{1, 28, 28};
  in.data = pixels;
  std::vector<edgetpu::DeviceOutput> given;
  const auto out = pair.machine->run({in}, &given);
  EXPECT_TRUE(out.ok()) << to_text(out.error());
  EXPECT_TRUE(pair.twin->set_input(0, pixels).ok());
  EXPECT_TRUE(pair.twin->run().ok());
  if (!out.ok()) return {};
  EXPECT_EQ((*out)[0].data, pair.twin->output(0).data);
  size_t states = 0;
  const Graph& g = pair.twin->graph();
  for (const auto& o : given) {
    for (size_t v = 0; v < g.values.size(); ++v) {
      if (!g.values[v].is_variable || g.values[v].name != o.tensor.name) continue;
      EXPECT_EQ(to_bytes(pair.twin->bytes(static_cast<ValueId>(v))), o.tensor.data)
          << o.tensor.name;
      ++states;
    }
  }
  EXPECT_EQ(states, 2U);
  return (*out)[0].data;
}

class EdgetpuLstm : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Compiled, EdgetpuLstm, testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "here" : "by_the_vendor");
});

// The vendor's test of the compiled model on the chip asks for a nine with a score of 0.7.
TEST_P(EdgetpuLstm, TheVendorsNineIsANine) {
  NEED_MODELS();
  Pair pair;
  load(pair, GetParam());
  const auto data = read_file(folder() / "mnist_nine.bmp");
  ASSERT_TRUE(data.ok());
  const auto picture = decode_image(*data, "mnist_nine.bmp");
  ASSERT_TRUE(picture.ok()) << to_text(picture.error());
  Bytes pixels(kPixels);
  const size_t channels = picture->data.size() / kPixels;
  for (size_t k = 0; k < kPixels; ++k) pixels[k] = picture->data[k * channels];
  const Bytes scores = both(pair, pixels);
  ASSERT_EQ(scores.size(), 10U);
  EXPECT_EQ(std::max_element(scores.begin(), scores.end()) - scores.begin(), 9);
  EXPECT_GE(static_cast<int>(scores[9]), 180);  // 0.7 in steps of 1/256
}

// One picture after the other: states stay between them.
TEST_P(EdgetpuLstm, EveryByteEqualsTheTwins) {
  NEED_MODELS();
  Pair pair;
  load(pair, GetParam());
  std::set<Bytes> different;
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    XorShift32 rng(seed);
    Bytes pixels(kPixels);
    // From noise over everything to few bright pixels, as pictures of digits have them.
    for (std::byte& p : pixels) {
      const uint8_t value = rng.byte();
      p = static_cast<std::byte>(rng.byte() % 12 < seed ? value : 0);
    }
    different.insert(both(pair, pixels));
  }
  EXPECT_GT(different.size(), 6U);
}

// The vendor's transfers are not announced: the driver asks the scalar core. The device executes
// the loop.
TEST_P(EdgetpuLstm, TheVirtualDeviceGivesTheBytesOfTheMachine) {
  NEED_MODELS();
  Pair pair;
  load(pair, GetParam());
  auto network = edgetpu::CompiledNetwork::make(pair.model, pair.file);
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  const auto bus = std::make_shared<edgetpu::VirtualBus>();
  ASSERT_TRUE(bus->learn(pair.file, nullptr, kName).ok());
  edgetpu::JumpingClock clock;
  edgetpu::DeviceOptions options;
  options.clock = &clock;
  const auto device = edgetpu::EdgeTpuDevice::open(bus, "", options);
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    XorShift32 rng(seed);
    Tensor in;
    in.name = "in";
    in.dtype = DType::uint8;
    in.shape = Shape{1, 28, 28};
    in.data.resize(kPixels);
    for (std::byte& p : in.data) p = static_cast<std::byte>(rng.byte());
    const auto got = network->run(**device, {in});
    ASSERT_TRUE(bus->verdict().ok()) << to_text(bus->verdict().error());
    ASSERT_TRUE(got.ok()) << to_text(got.error());
    const auto expected = pair.machine->run({in});
    ASSERT_TRUE(expected.ok());
    EXPECT_EQ((*got)[0].data, (*expected)[0].data) << seed;
  }
}

}  // namespace
}  // namespace edgetwin::golden
