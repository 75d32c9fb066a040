// The driver over the system's libusb, against the software stick behind umockdev.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/rng.h"
#include "targets/edgetpu/driver/session.h"
#include "targets/edgetpu/libusb/usb_transport.h"
#include "targets/edgetpu/virtual_device/reference/reference.h"
#include "unit/targets/edgetpu/virtual_device/pair.h"
#include "usb/mock_bus.h"

namespace edgetwin::usb_test {
namespace {

using namespace edgetpu;

Bytes input_bytes(uint32_t seed) {
  XorShift32 rng(seed);
  Bytes b(30);
  for (std::byte& x : b) x = static_cast<std::byte>(rng.byte());
  return b;
}

struct UsbTest : ::testing::Test {
  std::shared_ptr<Library> library = std::make_shared<Library>();
  std::unique_ptr<MockBus> bus;
  std::shared_ptr<Transport> transport;
  std::unique_ptr<DeviceSession> session;
  std::shared_ptr<const Graph> graph = std::make_shared<const Graph>(pair_graph());
  std::filesystem::path firmware;

  void SetUp() override {
    // The mocked world must stand before anyone looks at it.
    start({});
    if (!MockBus::works()) GTEST_SKIP() << "run it under umockdev-wrapper";
  }
  void TearDown() override {
    session.reset();
    transport.reset();
    bus.reset();
    if (!firmware.empty()) std::filesystem::remove(firmware);
  }

  void start(const StickOptions& options) {
    session.reset();
    transport.reset();
    bus.reset();
    library = std::make_shared<Library>();
    ASSERT_TRUE(library->learn(pair_file(), graph, "pair").ok());
    bus = std::make_unique<MockBus>(options, std::make_shared<ReferenceCompute>(library));
    auto made = usb_transport();
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    transport = *made;
  }

  Status open() {
    DeviceOptions options;
    options.times.settle_ms = 10;
    options.times.reboot_ms = 10;
    options.times.retry_ms = 50;
    options.transfer_timeout_ms = 2000;
    options.restarts = 0;
    if (!firmware.empty()) {
      options.firmware.file = firmware;
      options.firmware.any = true;
    }
    EDGETWIN_TRY_ASSIGN(session, DeviceSession::open(*transport, "1-1", options));
    return Ok{};
  }

  static std::shared_ptr<const DeviceModel> model(int seed) {
    return std::move(DeviceModel::make(pair_file(seed))).value();
  }

  Result<Bytes> run(const std::shared_ptr<const DeviceModel>& m, const Bytes& input) {
    DeviceJob job;
    job.model = m;
    EDGETWIN_TRY_ASSIGN(Bytes device, m->to_device(0, input));
    job.inputs.push_back(std::move(device));
    for (const LayerPort& p : m->outputs()) job.outputs.emplace_back(p.buffer_bytes);
    EDGETWIN_TRY(session->run(job));
    return m->to_host(0, job.outputs[0]);
  }

  // What the twin gives with these weights.
  static Bytes twin(int seed, const Bytes& input) {
    exec::Options options;
    options.numerics = "edgetpu";
    auto s = exec::Session::create(std::make_shared<const Graph>(pair_graph(seed)), options);
    EXPECT_TRUE(s.ok() && s->set_input(0, input).ok() && s->run().ok());
    return s->output(0).data;
  }
};

TEST_F(UsbTest, LibusbSeesTheStickAtItsPort) {
  const auto devices = transport->list();
  ASSERT_TRUE(devices.ok());
  const auto found = std::find_if(devices->begin(), devices->end(), [](const UsbDevice& d) {
    return d.vendor == kRuntimeVendor && d.product == kRuntimeProduct;
  });
  ASSERT_NE(found, devices->end());
  EXPECT_EQ(found->path(), "1-1");
  EXPECT_EQ(found->speed, UsbSpeed::super);
}

TEST_F(UsbTest, InferencesAndWeightSwaps) {
  const Status opened = open();
  ASSERT_TRUE(opened.ok()) << to_text(opened.error());
  for (const int seed : {0, 3, 0}) {
    const Bytes input = input_bytes(static_cast<uint32_t>(seed) + 1);
    const auto output = run(model(seed), input);
    ASSERT_TRUE(output.ok()) << to_text(output.error());
    EXPECT_EQ(*output, twin(seed, input));
  }
  EXPECT_TRUE(bus->stick().verdict().ok());
  session.reset();
  EXPECT_EQ(bus->on_the_way(), 0U);
}

TEST_F(UsbTest, HighSpeedToo) {
  StickOptions options;
  options.speed = StickSpeed::high;
  start(options);
  const Status opened = open();
  ASSERT_TRUE(opened.ok()) << to_text(opened.error());
  const auto output = run(model(0), input_bytes(5));
  ASSERT_TRUE(output.ok()) << to_text(output.error());
  EXPECT_EQ(*output, twin(0, input_bytes(5)));
}

TEST_F(UsbTest, FromTheBootLoader) {
  StickOptions options;
  options.mode = StickMode::boot;
  start(options);
  firmware =
      std::filesystem::temp_directory_path() / ("edgetwin_firmware_" + std::to_string(::getpid()));
  std::ofstream(firmware) << std::string(1000, 'f');
  const Status opened = open();
  ASSERT_TRUE(opened.ok()) << to_text(opened.error());
  EXPECT_EQ(bus->stick().mode(), StickMode::runtime);
  const auto output = run(model(0), input_bytes(8));
  ASSERT_TRUE(output.ok()) << to_text(output.error());
  EXPECT_EQ(*output, twin(0, input_bytes(8)));
}

TEST_F(UsbTest, UnpluggedWhileIdleIsSaidAndSurvived) {
  ASSERT_TRUE(open().ok());
  ASSERT_TRUE(run(model(0), input_bytes(1)).ok());
  bus->unplug();
  const auto lost = run(model(0), input_bytes(2));
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(info(lost.error().code).exit_code, 4) << to_text(lost.error());
  session.reset();
  bus->plug();
  const Status again = open();
  ASSERT_TRUE(again.ok()) << to_text(again.error());
  const auto output = run(model(0), input_bytes(2));
  ASSERT_TRUE(output.ok()) << to_text(output.error());
  EXPECT_EQ(*output, twin(0, input_bytes(2)));
}

// EDGETWIN_SOAK=10000 for the long run.
TEST_F(UsbTest, Soak) {
  const char* wanted = std::getenv("EDGETWIN_SOAK");
  const int runs = wanted == nullptr ? 100 : std::atoi(wanted);
  ASSERT_TRUE(open().ok());
  std::vector<std::shared_ptr<const DeviceModel>> models;
  for (int seed = 0; seed < 4; ++seed) models.push_back(model(seed));
  XorShift32 rng(99);
  int at = 0;
  for (int i = 0; i < runs; ++i) {
    if (rng.next() % 8 == 0) at = static_cast<int>(rng.next() % 4);
    const Bytes input = input_bytes(rng.next() | 1U);
    const auto output = run(models[static_cast<size_t>(at)], input);
    ASSERT_TRUE(output.ok()) << i << ": " << to_text(output.error());
    ASSERT_EQ(*output, twin(at, input)) << i;
  }
  session.reset();
  EXPECT_EQ(bus->on_the_way(), 0U);
}

}  // namespace
}  // namespace edgetwin::usb_test
