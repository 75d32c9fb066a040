// A program stepped on the virtual device beside the scalar core, and a device that lies.
#include "targets/edgetpu/driver/held_run.h"

#include <gtest/gtest.h>

#include "targets/edgetpu/virtual_device/virtual_bus.h"
#include "unit/targets/edgetpu/virtual_device/pair.h"

namespace edgetwin::edgetpu {
namespace {

// Hands everything on, but changes the content of one register.
class LyingConnection final : public UsbConnection {
 public:
  LyingConnection(std::unique_ptr<UsbConnection> to, Reg reg, int after)
      : to_(std::move(to)), address_(info(reg).address), after_(after) {}
  UsbStatus claim(int interface) override { return to_->claim(interface); }
  UsbStatus release(int interface) override { return to_->release(interface); }
  UsbStatus reset() override { return to_->reset(); }
  Result<Bytes> device_descriptor() override { return to_->device_descriptor(); }
  Result<Bytes> configuration_descriptor() override { return to_->configuration_descriptor(); }
  Transferred control(uint8_t type, uint8_t request, uint16_t value, uint16_t index,
                      std::span<std::byte> data, int timeout_ms) override {
    const Transferred done = to_->control(type, request, value, index, data, timeout_ms);
    const uint32_t address = (uint32_t{index} << 16U) | value;
    if (type == kVendorRead && address == address_ && --after_ < 0) data[0] ^= std::byte{1};
    return done;
  }
  Submitted submit(uint8_t endpoint, std::span<std::byte> data, int timeout_ms) override {
    return to_->submit(endpoint, data, timeout_ms);
  }
  Waited wait(TransferId id, int timeout_ms) override { return to_->wait(id, timeout_ms); }
  void cancel(TransferId id) override { to_->cancel(id); }
  void cancel_all() override { to_->cancel_all(); }

 private:
  std::unique_ptr<UsbConnection> to_;
  uint32_t address_;
  int after_;
};

class LyingTransport final : public Transport {
 public:
  LyingTransport(Transport& to, Reg reg, int after) : to_(to), reg_(reg), after_(after) {}
  std::string_view name() const override { return to_.name(); }
  Result<std::vector<UsbDevice>> list() override { return to_.list(); }
  Opened open(const UsbDevice& device) override {
    Opened opened = to_.open(device);
    if (opened.status != UsbStatus::ok) return opened;
    opened.connection =
        std::make_unique<LyingConnection>(std::move(opened.connection), reg_, after_);
    return opened;
  }

 private:
  Transport& to_;
  Reg reg_;
  int after_;
};

Bytes held_input() {
  Bytes b(30);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::byte>(i * 31 + 51);
  return b;
}

struct HeldRunTest : ::testing::Test {
  JumpingClock clock;
  VirtualBus bus{VirtualBusOptions{}};

  void SetUp() override {
    const auto graph = std::make_shared<const Graph>(pair_graph());
    ASSERT_TRUE(bus.learn(pair_file(), graph, "pair").ok());
  }
  HeldRun::Wanted wanted() {
    HeldRun::Wanted w;
    w.options.clock = &clock;
    w.model = std::move(DeviceModel::make(pair_file())).value();
    w.inputs = {held_input()};
    return w;
  }
};

TEST_F(HeldRunTest, StepsToTheEndAndGivesTheOutput) {
  auto run = HeldRun::start(bus, wanted());
  ASSERT_TRUE(run.ok()) << to_text(run.error());
  EXPECT_FALSE((*run)->finished());
  EXPECT_EQ((*run)->pc(), 0U);
  for (int n = 0; n < 1000 && !(*run)->finished(); ++n) {
    const auto differs = (*run)->step();
    ASSERT_TRUE(differs.ok()) << to_text(differs.error());
    EXPECT_EQ(*differs, "");
  }
  ASSERT_TRUE((*run)->finished());
  EXPECT_GT((*run)->steps(), 5U);
  EXPECT_TRUE(bus.verdict().ok());
  const HeldRun::Wanted w = wanted();
  const Bytes stepped = w.model->to_host(0, (*run)->received());
  run->reset();
  DeviceOptions options;
  options.clock = &clock;
  auto session = DeviceSession::open(bus, "", options);
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  DeviceJob job;
  job.model = w.model;
  job.inputs = {std::move(w.model->to_device(0, held_input())).value()};
  job.outputs = {Bytes(w.model->outputs()[0].buffer_bytes)};
  ASSERT_TRUE((*session)->run(job).ok());
  EXPECT_EQ(w.model->to_host(0, job.outputs[0]), stepped);
}

TEST_F(HeldRunTest, AnotherRegisterIsSaid) {
  for (const Reg reg : {Reg::currentPc, Reg::scalarRegisterFile_1, Reg::predicateRegisterFile_2}) {
    LyingTransport liar(bus, reg, 4);
    auto run = HeldRun::start(liar, wanted());
    ASSERT_TRUE(run.ok()) << to_text(run.error());
    std::string said;
    for (int n = 0; n < 20 && said.empty() && !(*run)->finished(); ++n) {
      const auto differs = (*run)->step();
      ASSERT_TRUE(differs.ok()) << to_text(differs.error());
      said = *differs;
    }
    EXPECT_NE(said.find("on the device"), std::string::npos) << info(reg).name;
  }
}

TEST_F(HeldRunTest, InputsAreChecked) {
  HeldRun::Wanted w = wanted();
  w.inputs.clear();
  EXPECT_EQ(HeldRun::start(bus, w).error().code, ErrorCode::device_request);
  w.inputs = {Bytes(1)};
  EXPECT_EQ(HeldRun::start(bus, w).error().code, ErrorCode::device_request);
}

}  // namespace
}  // namespace edgetwin::edgetpu
