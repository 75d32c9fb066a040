// The whole way of the driver on a fake stick: right answers, when weights are sent, and what
// becomes of every single transfer that fails.
#include "targets/edgetpu/driver/device.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/rng.h"
#include "unit/targets/edgetpu/driver/fake_stick.h"

namespace edgetwin::edgetpu {
namespace {

class DeviceTest : public testing::Test {
 protected:
  DeviceTest() {
    stick.known = {&package, &other};
    options.clock = &clock;
    options.firmware.folders = {"/nonexistent"};
    for (size_t i = 0; i < 300; ++i) input.push_back(static_cast<std::byte>(i * 5));
    model = *DeviceModel::make(package);
  }
  Result<std::unique_ptr<EdgeTpuDevice>> open() {
    return EdgeTpuDevice::open(fake_bus(stick), "", options);
  }
  // The dense outputs that the fake's mixture should give.
  std::vector<Bytes> expected(const darwinn::Package& p, ByteSpan weights) const {
    const darwinn::Executable& main = *p.inference();
    Bytes padded = input;
    padded.resize(304);
    std::vector<Bytes> all;
    for (size_t i = 0; i < main.outputs.size(); ++i) {
      Bytes out = mixed(main, i, padded, weights);
      out.resize(static_cast<size_t>(main.outputs[i].z_dim));
      if (i == 1)
        for (std::byte& b : out) b ^= std::byte{0x80};
      all.push_back(std::move(out));
    }
    return all;
  }
  Result<std::vector<Bytes>> run(EdgeTpuDevice& device,
                                 const std::shared_ptr<const DeviceModel>& m) const {
    const ByteSpan inputs[] = {input};
    return device.run(m, inputs);
  }
  static ByteSpan weights_of(const darwinn::Package& p) {
    return p.find(darwinn::ExecutableType::parameter_caching)->parameters;
  }

  darwinn::Package package = small_package(7, 1), other = small_package(7, 100);
  FakeStick stick;
  JumpingClock clock;
  DeviceOptions options;
  Bytes input;
  std::shared_ptr<const DeviceModel> model;
};

TEST_F(DeviceTest, AnInferenceGivesItsOutputsAndLeavesNothingClaimed) {
  {
    auto device = open();
    ASSERT_TRUE(device.ok()) << to_text(device.error());
    const auto outputs = run(**device, model);
    ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
    EXPECT_EQ(*outputs, expected(package, weights_of(package)));
    EXPECT_EQ(stick.claims, 1);
  }
  EXPECT_EQ(stick.claims, 0);
  EXPECT_EQ(stick.open_connections, 0);
  EXPECT_TRUE(stick.findings.empty()) << stick.findings[0];
  // Asleep.
  EXPECT_EQ(field::scu_ctrl_3_cur_pwr_state.get(stick.registers[info(Reg::scu_ctrl_3).address]),
            2u);
}

TEST_F(DeviceTest, HighSpeedAsksForSmallerChunks) {
  stick.speed = UsbSpeed::high;
  auto device = open();
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  EXPECT_EQ(stick.registers[info(Reg::outfeed_chunk_length).address], 0x20u);
  const auto outputs = run(**device, model);
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
  EXPECT_EQ(*outputs, expected(package, weights_of(package)));
}

TEST_F(DeviceTest, WeightsAreSentOnceAndAgainAfterASwap) {
  auto device = open();
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run(**device, model).ok());
  EXPECT_EQ(stick.parameter_loads, 1);
  Bytes swapped(5000, std::byte{9});
  const auto second = *model->with_parameters(swapped);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(*run(**device, second), expected(package, swapped));
  EXPECT_EQ(stick.parameter_loads, 2);
  EXPECT_EQ(*run(**device, model), expected(package, weights_of(package)));
  EXPECT_EQ(stick.parameter_loads, 3);
  EXPECT_EQ(model->with_parameters(Bytes(4999)).error().code, ErrorCode::device_request);
}

TEST_F(DeviceTest, CoCompiledModelsKeepEachOthersWeightsAndStrangersDriveThemOut) {
  auto device = open();
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  const auto same_token = *DeviceModel::make(other);
  ASSERT_TRUE(run(**device, model).ok());
  EXPECT_EQ(*run(**device, same_token), expected(other, weights_of(other)));
  EXPECT_EQ(*run(**device, model), expected(package, weights_of(package)));
  EXPECT_EQ(stick.parameter_loads, 2);
  darwinn::Package stranger = small_package(8, 50);
  stick.known.push_back(&stranger);
  ASSERT_TRUE(run(**device, *DeviceModel::make(stranger)).ok());
  ASSERT_TRUE(run(**device, model).ok());
  EXPECT_EQ(stick.parameter_loads, 4);
  EXPECT_TRUE(stick.findings.empty());
}

TEST_F(DeviceTest, ManyThreadsShareOneQueue) {
  auto device = open();
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  const auto wanted = expected(package, weights_of(package));
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto outputs = run(**device, model);
        if (outputs.ok() && *outputs == wanted) ++right;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 200);
  (*device)->close();
  EXPECT_EQ(run(**device, model).error().code, ErrorCode::device_lost);
}

TEST_F(DeviceTest, BootStateTakesFirmwareThatIsNamedOrKnown) {
  stick.boot = true;
  EXPECT_EQ(open().error().code, ErrorCode::device_firmware);
  const auto path = std::filesystem::path(testing::TempDir()) / "edgetwin_firmware.bin";
  const Bytes image(1000, std::byte{0x42});
  ASSERT_TRUE(write_file(path, image, Overwrite::yes).ok());
  options.firmware.file = path;
  const auto unknown = open();
  EXPECT_EQ(unknown.error().code, ErrorCode::device_firmware);
  EXPECT_NE(to_text(unknown.error()).find("SHA-256"), std::string::npos);
  options.firmware.any = true;
  auto device = open();
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  EXPECT_EQ(stick.firmware, image);
  EXPECT_EQ(*run(**device, model), expected(package, weights_of(package)));
  std::filesystem::remove(path);
}

TEST_F(DeviceTest, EnvironmentFaultsAreTold) {
  stick.permitted = false;
  auto device = open();
  EXPECT_EQ(device.error().code, ErrorCode::device_permission);
  EXPECT_NE(to_text(device.error()).find("udev"), std::string::npos);
  stick.permitted = true;
  stick.claimed_elsewhere = true;
  EXPECT_EQ(open().error().code, ErrorCode::device_busy);
  EXPECT_EQ(stick.resets, 0) << "a reset would hit the other program";
  stick.claimed_elsewhere = false;
  stick.sleeps_forever = true;
  EXPECT_EQ(open().error().code, ErrorCode::device_timeout);
  stick.sleeps_forever = false;
  stick.never_comes_back = true;
  EXPECT_EQ(open().error().code, ErrorCode::device_enumeration);
  stick.plugged = false;
  EXPECT_EQ(open().error().code, ErrorCode::device_none);
  EXPECT_EQ(stick.claims, 0);
  EXPECT_EQ(stick.open_connections, 0);
}

TEST_F(DeviceTest, UnpluggedWhileIdleAndPluggedInAgain) {
  auto device = open();
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  ASSERT_TRUE(run(**device, model).ok());
  stick.plugged = false;
  EXPECT_EQ(run(**device, model).error().code, ErrorCode::device_lost);
  EXPECT_EQ(stick.claims, 0);
  stick.plugged = true;
  stick.power_on();
  const auto outputs = run(**device, model);
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
  EXPECT_EQ(*outputs, expected(package, weights_of(package)));
}

TEST_F(DeviceTest, AFatalInterruptComesWithTheErrorRegisters) {
  auto device = open();
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  stick.interrupt_next = interrupt::kFatal;
  stick.registers[info(Reg::hib_error_status).address] = 1 << 13;
  const auto outputs = run(**device, model);
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().code, ErrorCode::device_fatal);
  EXPECT_NE(to_text(outputs.error()).find("zero_length_dma"), std::string::npos);
}

TEST_F(DeviceTest, AThermalWarningIsNoted) {
  auto device = open();
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  stick.registers[info(Reg::omc0_dc).address] = 0x80000000 | 600 << 16;
  stick.interrupt_next = interrupt::kThermalWarning;
  ASSERT_TRUE(run(**device, model).ok());
  const auto findings = (*device)->take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("600"), std::string::npos);
  EXPECT_EQ((*device)->temperature()->raw, 600);
}

TEST_F(DeviceTest, WhatTheModelDoesNotHaveIsRefused) {
  const ByteSpan none[] = {ByteSpan(input).first(299)};
  auto device = open();
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->run(model, none).error().code, ErrorCode::device_request);
  EXPECT_EQ((*device)->run(model, {}).error().code, ErrorCode::device_request);
  darwinn::Package bad = package;
  bad.min_runtime_version = 15;
  EXPECT_EQ(DeviceModel::make(bad).error().code, ErrorCode::device_request);
  bad = package;
  // Its transfers are then read off the program, and these bytes are none.
  bad.executables[0].dma_hints->fully_deterministic = false;
  EXPECT_FALSE(DeviceModel::make(bad).ok());
  bad = package;
  bad.executables[0].dma_hints->hints[3].size = 100000;
  EXPECT_EQ(DeviceModel::make(bad).error().code, ErrorCode::device_request);
  bad = package;
  bad.executables[0].dma_hints->hints.pop_back();
  bad.executables[0].dma_hints->hints.pop_back();
  EXPECT_EQ(DeviceModel::make(bad).error().code, ErrorCode::device_request) << "an unread output";
}

// Every transfer of a session with firmware, fails once in every way.
TEST_F(DeviceTest, EveryTransferMayFailInEveryWay) {
  const auto path = std::filesystem::path(testing::TempDir()) / "edgetwin_firmware_faults.bin";
  ASSERT_TRUE(write_file(path, Bytes(700, std::byte{0x42}), Overwrite::yes).ok());
  options.firmware.file = path;
  options.firmware.any = true;
  const auto wanted = expected(package, weights_of(package));
  int cured = 0, told = 0;
  for (int kind = 0; kind <= static_cast<int>(FaultKind::garbage); ++kind) {
    for (int at = 0;; ++at) {
      SCOPED_TRACE("fault " + std::to_string(kind) + " at transfer " + std::to_string(at));
      stick.boot = true;
      stick.plugged = true;
      stick.power_on();
      stick.faults = {at, static_cast<FaultKind>(kind), 0};
      {
        auto device = open();
        const auto outputs = device.ok() ? run(**device, model) : device.error();
        if (outputs.ok()) {
          // Garbage in the middle of an output cannot be told from an output.
          if (static_cast<FaultKind>(kind) != FaultKind::garbage) {
            EXPECT_EQ(*outputs, wanted);
          }
          ++cured;
        } else {
          EXPECT_EQ(info(outputs.error().code).exit_code, 4) << to_text(outputs.error());
          EXPECT_NE(outputs.error().message.find(':'), std::string::npos)
              << "no phase: " << outputs.error().message;
          ++told;
        }
      }
      EXPECT_EQ(stick.claims, 0);
      EXPECT_EQ(stick.open_connections, 0);
      if (stick.faults.seen <= at || HasFailure()) break;
    }
  }
  std::filesystem::remove(path);
  EXPECT_GT(cured, 500);
  EXPECT_LT(told, 50);
  RecordProperty("cured", cured);
  RecordProperty("told", told);
}

// How many inferences a soak has: EDGETWIN_SOAK=100000 for the long one.
int soak_runs() {
  const char* wanted = std::getenv("EDGETWIN_SOAK");
  return wanted == nullptr ? 2000 : std::atoi(wanted);
}

TEST_F(DeviceTest, RandomSwapsNeverGiveAStaleAnswer) {
  auto device = open();
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  XorShift32 random(3);
  const auto second = *DeviceModel::make(other);
  std::shared_ptr<const DeviceModel> now[] = {model, second};
  Bytes weights[] = {to_bytes(weights_of(package)), to_bytes(weights_of(other))};
  const int runs = soak_runs();
  for (int i = 0; i < runs; ++i) {
    const size_t which = random.next() % 2;
    if (random.next() % 4 == 0) {
      for (int k = 0; k < 8; ++k) weights[which][random.next() % 5000] = std::byte{random.byte()};
      now[which] = *now[which]->with_parameters(weights[which]);
    }
    for (std::byte& b : input) b = std::byte{random.byte()};
    const auto outputs = run(**device, now[which]);
    ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
    ASSERT_EQ(*outputs, expected(which == 0 ? package : other, weights[which])) << i;
  }
  EXPECT_TRUE(stick.findings.empty());
}

}  // namespace
}  // namespace edgetwin::edgetpu
