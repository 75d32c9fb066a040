// The bus: what a driver sees of it, and that weights which are sent are the weights that compute.
#include "targets/edgetpu/virtual_device/virtual_bus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "targets/edgetpu/driver/session.h"
#include "targets/edgetpu/virtual_device/reference/uploaded.h"
#include "unit/targets/edgetpu/virtual_device/pair.h"

namespace edgetwin::edgetpu {
namespace {

Bytes input_bytes(int seed) {
  Bytes b(30);
  for (size_t i = 0; i < b.size(); ++i) {
    b[i] = static_cast<std::byte>(static_cast<int>(i) * 31 + seed * 17);
  }
  return b;
}

// The pair's layer by its formula.
Bytes dense(int seed, const Bytes& input) {
  const BlockContent c = pair_content(seed);
  Bytes out;
  for (size_t o = 0; o < 13; ++o) {
    int sum = c.bias[o];
    for (size_t i = 0; i < 30; ++i) {
      const int x = std::to_integer<int8_t>(input[i]) - 3;
      sum += x * (std::to_integer<int>(c.weights[o * 30 + i]) - 128);
    }
    const float f = static_cast<float>(sum) * c.scales[o];
    const int y = static_cast<int>(std::nearbyint(std::clamp(f, -123.0F, 132.0F))) - 5;
    out.push_back(static_cast<std::byte>(std::clamp(y, -128, 127)));
  }
  return out;
}

struct VirtualBusTest : ::testing::Test {
  JumpingClock clock;
  std::unique_ptr<VirtualBus> bus;
  std::unique_ptr<DeviceSession> session;

  void plug_in(VirtualBusOptions options = {}) { bus = std::make_unique<VirtualBus>(options); }
  Status open() {
    DeviceOptions options;
    options.clock = &clock;
    EDGETWIN_TRY_ASSIGN(session, DeviceSession::open(*bus, "1-1", options));
    return Ok{};
  }
  static std::shared_ptr<const DeviceModel> model_of(const darwinn::File& file) {
    return std::move(DeviceModel::make(file)).value();
  }
  Result<Bytes> run(const std::shared_ptr<const DeviceModel>& model, const Bytes& input) {
    DeviceJob job;
    job.model = model;
    EDGETWIN_TRY_ASSIGN(Bytes device, model->to_device(0, input));
    job.inputs.push_back(std::move(device));
    for (const LayerPort& p : model->outputs()) job.outputs.emplace_back(p.buffer_bytes);
    EDGETWIN_TRY(session->run(job));
    return model->to_host(0, job.outputs[0]);
  }
};

TEST_F(VirtualBusTest, TheWeightsThatAreSentCompute) {
  plug_in();
  const auto graph = std::make_shared<const Graph>(pair_graph());
  ASSERT_TRUE(bus->learn(pair_file(), graph, "pair").ok());
  ASSERT_TRUE(open().ok());
  for (const int seed : {0, 1, 2, 1}) {
    const auto model = model_of(pair_file(seed));
    const auto output = run(model, input_bytes(seed));
    ASSERT_TRUE(output.ok()) << to_text(output.error());
    EXPECT_EQ(*output, dense(seed, input_bytes(seed))) << seed;
  }
  EXPECT_TRUE(bus->verdict().ok());
  EXPECT_TRUE(bus->stick().findings().empty());
}

// The compiled file has other weights than the reference beside it.
TEST_F(VirtualBusTest, APatchedFileIsUnderstoodByTheReferenceItCameFrom) {
  plug_in();
  const auto graph = std::make_shared<const Graph>(pair_graph());
  ASSERT_TRUE(bus->learn(pair_file(4), graph, "patched").ok());
  ASSERT_TRUE(open().ok());
  const auto output = run(model_of(pair_file(4)), input_bytes(9));
  ASSERT_TRUE(output.ok()) << to_text(output.error());
  EXPECT_EQ(*output, dense(4, input_bytes(9)));
}

TEST_F(VirtualBusTest, WithoutAReferenceItSaysSo) {
  plug_in();
  ASSERT_TRUE(bus->learn(pair_file(), nullptr, "pair").ok());
  ASSERT_TRUE(open().ok());
  EXPECT_FALSE(run(model_of(pair_file()), input_bytes(0)).ok());
  const Status verdict = bus->verdict();
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().code, ErrorCode::stick_layer);
}

TEST_F(VirtualBusTest, AReferenceThatDoesNotFitIsRefused) {
  plug_in();
  Graph other = pair_graph();
  other.value(3).name = "something else";
  const Status status =
      bus->learn(pair_file(), std::make_shared<const Graph>(std::move(other)), "pair");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::stick_layer);
}

TEST_F(VirtualBusTest, FirmwareBringsTheOtherFaceAtTheSamePort) {
  VirtualBusOptions options;
  options.ports[0].stick.mode = StickMode::boot;
  plug_in(options);
  const auto before = bus->list();
  ASSERT_TRUE(before.ok());
  ASSERT_EQ(before->size(), 1U);
  EXPECT_EQ((*before)[0].vendor, kBootVendor);
  auto opened = bus->open((*before)[0]);
  ASSERT_EQ(opened.status, UsbStatus::ok);
  UsbConnection& c = *opened.connection;
  Bytes image(100);
  EXPECT_TRUE(c.control(kDfuWrite, 1, 0, 0, image, 100).ok());
  Bytes status(6);
  EXPECT_TRUE(c.control(kDfuRead, 3, 0, 0, status, 100).ok());
  EXPECT_TRUE(c.control(kDfuWrite, 1, 1, 0, {}, 100).ok());
  EXPECT_TRUE(c.control(kDfuRead, 3, 0, 0, status, 100).ok());
  EXPECT_EQ(c.reset(), UsbStatus::no_device);
  EXPECT_TRUE(bus->list()->empty());  // not back yet
  const auto after = bus->list();
  ASSERT_EQ(after->size(), 1U);
  EXPECT_EQ((*after)[0].product, kRuntimeProduct);
  EXPECT_EQ((*after)[0].path(), (*before)[0].path());
  EXPECT_NE((*after)[0].address, (*before)[0].address);
  EXPECT_EQ(c.claim(0), UsbStatus::no_device);
}

TEST_F(VirtualBusTest, OneOwnerAtATime) {
  plug_in();
  const UsbDevice device = (*bus->list())[0];
  auto first = bus->open(device);
  auto second = bus->open(device);
  EXPECT_EQ(first.connection->claim(0), UsbStatus::ok);
  EXPECT_EQ(second.connection->claim(0), UsbStatus::busy);
  first.connection.reset();
  EXPECT_EQ(second.connection->claim(0), UsbStatus::ok);
  bus->unplug();
  EXPECT_EQ(second.connection->release(0), UsbStatus::no_device);
  EXPECT_TRUE(bus->list()->empty());
  bus->plug();
  EXPECT_EQ(bus->list()->size(), 1U);
  EXPECT_EQ(bus->open(device).status, UsbStatus::no_device);  // another address now
}

TEST_F(VirtualBusTest, NotPermittedOrInUse) {
  VirtualBusOptions options;
  options.ports[0].permitted = false;
  plug_in(options);
  EXPECT_EQ(bus->open((*bus->list())[0]).status, UsbStatus::access);
  options.ports[0].permitted = true;
  options.ports[0].in_use = true;
  plug_in(options);
  auto opened = bus->open((*bus->list())[0]);
  EXPECT_EQ(opened.connection->claim(0), UsbStatus::busy);
}

TEST_F(VirtualBusTest, ReadsWaitInOrderAndCanBeCancelled) {
  plug_in();
  auto opened = bus->open((*bus->list())[0]);
  UsbConnection& c = *opened.connection;
  ASSERT_EQ(c.claim(0), UsbStatus::ok);
  Bytes a(64);
  Bytes b(64);
  const auto first = c.submit(endpoint::kEvent, a, 0);
  const auto second = c.submit(endpoint::kEvent, b, 0);
  EXPECT_FALSE(c.wait(first.id, 0).ended);
  c.cancel(first.id);
  EXPECT_EQ(c.wait(first.id, 0).result.status, UsbStatus::cancelled);
  EXPECT_EQ(c.wait(first.id, 0).result.status, UsbStatus::invalid);
  EXPECT_FALSE(c.wait(second.id, 100).ended);
  bus->unplug();
  EXPECT_EQ(c.wait(second.id, 0).result.status, UsbStatus::no_device);
  EXPECT_EQ(c.submit(endpoint::kEvent, a, 0).status, UsbStatus::no_device);
}

// A fault of each kind at each transfer of a session: the right bytes, or an error; never others.
TEST_F(VirtualBusTest, EveryFaultAtEveryTransfer) {
  const auto graph = std::make_shared<const Graph>(pair_graph());
  const auto model = model_of(pair_file());
  const Bytes expected = dense(0, input_bytes(5));
  const auto attempt = [&](const FaultAt& fault) -> Result<Bytes> {
    VirtualBusOptions options;
    options.fault = fault;
    plug_in(options);
    EDGETWIN_TRY(bus->learn(pair_file(), graph, "pair"));
    EDGETWIN_TRY(open());
    auto output = run(model, input_bytes(5));
    session.reset();
    return output;
  };
  const auto clean = attempt({});
  ASSERT_TRUE(clean.ok());
  EXPECT_EQ(*clean, expected);
  const uint64_t transfers = bus->transfers();
  ASSERT_GT(transfers, 50U);
  size_t right = 0;
  size_t errors = 0;
  for (const UsbFaultInfo& f : all_usb_faults()) {
    for (uint64_t n = 0; n < transfers; ++n) {
      const auto result = attempt([&](const AboutToMove& t) {
        return t.number == n ? std::optional(f.fault) : std::nullopt;
      });
      if (!result.ok()) {
        ++errors;
        continue;
      }
      ++right;
      ASSERT_EQ(*result, expected) << f.name << " at " << n;
    }
  }
  // A driver that tries again gets through most of them.
  EXPECT_GT(right, errors);
}

TEST(WeightScale, ManyMultipliersHaveOne) {
  EXPECT_EQ(weight_scale_for((0.5F * 0.25F) * (1.0F / 3.0F), 0.5F, 3.0F), 0.25F);
  EXPECT_FALSE(weight_scale_for(-1.0F, 0.5F, 3.0F).has_value());
  EXPECT_FALSE(weight_scale_for(NAN, 0.5F, 3.0F).has_value());
  EXPECT_FALSE(weight_scale_for(1.0F, 0.0F, 3.0F).has_value());
}

}  // namespace
}  // namespace edgetwin::edgetpu
