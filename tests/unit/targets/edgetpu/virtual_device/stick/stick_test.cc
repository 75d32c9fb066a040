// The stick at the level of transfers: what it gives, and every complaint that it has.
#include <algorithm>
#include <functional>

#include "targets/edgetpu/virtual_device/stick/stick.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/targets/edgetpu/virtual_device/host.h"
#include "unit/targets/edgetpu/virtual_device/pair.h"

namespace edgetwin::edgetpu {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Gives the input back, upside down.
class Mirror : public Compute {
 public:
  std::string_view name() const override { return "mirror"; }
  std::optional<std::string> check_chunk(const Request& request) override {
    if (request.chunks.size() <= max_chunks) return std::nullopt;
    return "one too many";
  }
  Result<Bytes> output(const Request& request, const Descriptor& wanted) override {
    if (refuses) return Error(ErrorCode::stick_refused, "no parameters");
    if (unable) return Error(ErrorCode::stick_layer, "who knows");
    Bytes all(request.input.rbegin(), request.input.rend());
    return Bytes(all.begin(), all.begin() + wanted.length);
  }
  void finished(const Request& request) override { last = request; }
  void reset() override { ++resets; }
  std::optional<int64_t> macs(const Request&) override { return 1000; }
  std::vector<std::string> take_remarks() override { return std::exchange(remarks, {}); }

  size_t max_chunks = 10;
  bool refuses = false, unable = false;
  std::vector<std::string> remarks;
  Request last;
  int resets = 0;
};

Bytes count(size_t n) {
  Bytes b(n);
  for (size_t i = 0; i < n; ++i) b[i] = static_cast<std::byte>(i + 1);
  return b;
}

struct StickTest : ::testing::Test {
  std::shared_ptr<Mirror> mirror = std::make_shared<Mirror>();
  Stick stick{{}, mirror};
  Host host{stick};
  Bytes program = echo().bitstreams[0].data;  // 32 bytes in, 16 out
  Bytes caching = caching_program(64).bitstreams[0].data;
};

TEST_F(StickTest, AProgramRunsFromInstructionsToItsEvent) {
  host.bring_up();
  EXPECT_EQ(host.instructions(program).reply, Reply::done);
  EXPECT_EQ(host.send(Tag::input, count(32)).reply, Reply::done);
  // The event waits until the output is read.
  EXPECT_TRUE(host.in(endpoint::kEvent, kEventBytes).empty());
  const Bytes output = host.in(endpoint::kOutput, 1024);
  ASSERT_EQ(output.size(), 16U);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(output[i], static_cast<std::byte>(32 - i));
  const Bytes event = host.in(endpoint::kEvent, kEventBytes);
  Bytes expected(kEventBytes);
  expected[12] = std::byte{4};
  EXPECT_EQ(event, expected);
  EXPECT_EQ(host.read(Reg::sc_host_int_count), 1U);
  EXPECT_EQ(mirror->last.input, count(32));
  EXPECT_EQ(stick.inferences(), 1U);
  EXPECT_GT(stick.time().total(), 0);
  EXPECT_THAT(host.rules(), IsEmpty());
  EXPECT_TRUE(stick.verdict().ok());
}

TEST_F(StickTest, TransfersMayBeCutAnywhere) {
  host.bring_up();
  Bytes wire;
  const auto frame = [&](uint8_t tag, const Bytes& data) {
    const auto size = static_cast<uint32_t>(data.size());
    Bytes header(kFrameHeaderBytes);
    std::memcpy(header.data(), &size, sizeof size);
    header[4] = std::byte{tag};
    wire.insert(wire.end(), header.begin(), header.end());
    wire.insert(wire.end(), data.begin(), data.end());
  };
  frame(0, program);
  frame(1, count(32));
  for (size_t at = 0; at < wire.size(); at += 7) {
    host.out(ByteSpan(wire).subspan(at, std::min<size_t>(7, wire.size() - at)));
  }
  EXPECT_EQ(host.in(endpoint::kOutput, 16).size(), 16U);
  EXPECT_THAT(host.rules(), IsEmpty());
}

TEST_F(StickTest, DescriptorsComeAsEventsWhereTheyAreAskedFor) {
  host.bring_up();
  host.write(Reg::descr_ep, 0xff);
  host.instructions(program);
  const Bytes event = host.in(endpoint::kEvent, kEventBytes);
  ASSERT_EQ(event.size(), kEventBytes);
  EXPECT_EQ(event[8], std::byte{32});
  EXPECT_EQ(event[12], std::byte{1});
}

TEST_F(StickTest, OutputsComeInChunks) {
  host.bring_up();
  host.write(Reg::outfeed_chunk_length, 1);
  host.instructions(program);
  host.send(Tag::input, count(32));
  Bytes buffer(1024);
  // A short packet ends the transfer.
  EXPECT_EQ(stick.in(endpoint::kOutput, buffer).size, 8U);
  EXPECT_EQ(stick.in(endpoint::kOutput, buffer).size, 8U);
  EXPECT_EQ(stick.in(endpoint::kOutput, buffer).reply, Reply::nak);
}

TEST_F(StickTest, SleepAndWakeAsADriverPolls) {
  EXPECT_EQ(host.read(Reg::scu_ctrl_3), 0x80050410U);
  host.bring_up();
  host.write(Reg::scu_ctrl_3, 0x50c5005cU);
  EXPECT_EQ(field::scu_ctrl_3_cur_pwr_state.get(*host.read(Reg::scu_ctrl_3)), 0U);
  EXPECT_EQ(host.read(Reg::scu_ctrl_3), 0x50c5025cU);  // as it was captured
  EXPECT_FALSE(host.read(Reg::scalarCoreRunControl).has_value());
  EXPECT_THAT(host.rules(), ElementsAre("asleep"));
  EXPECT_EQ(host.out(count(8)).reply, Reply::nak);
  host.write(Reg::scu_ctrl_3, 0x5085025cU);
  host.read(Reg::scu_ctrl_3);
  EXPECT_EQ(host.read(Reg::scu_ctrl_3), 0x5085005cU);
  EXPECT_EQ(host.read(Reg::scalarCoreRunControl), 0U);  // all is lost
  EXPECT_EQ(host.read(Reg::descr_ep), 0U);
  EXPECT_GT(mirror->resets, 0);
}

TEST_F(StickTest, InterruptsOnlyWhereTheyAreOn) {
  stick.raise_fatal(8);
  EXPECT_TRUE(host.in(endpoint::kInterrupt, 4).empty());
  EXPECT_EQ(host.read(Reg::hib_error_status), 8U);
  host.bring_up();
  stick.raise_fatal(1);
  const Bytes packet = host.in(endpoint::kInterrupt, 4);
  ASSERT_EQ(packet.size(), 4U);
  EXPECT_EQ(packet[0], std::byte{1});
  EXPECT_EQ(host.read(Reg::hib_error_status), 9U);
  EXPECT_EQ(host.read(Reg::hib_first_error_status), 8U);
  host.write(Reg::hib_error_status, 0);
  EXPECT_EQ(host.read(Reg::hib_error_status), 0U);
  stick.raise_top_level(3);
  EXPECT_EQ(host.in(endpoint::kInterrupt, 4)[0], std::byte{16});
  EXPECT_EQ(field::omc0_dc_warning.get(*host.read(Reg::omc0_dc)), 1U);
  host.write(Reg::omc0_dc, field::omc0_dc_warning_clear.mask());
  EXPECT_EQ(field::omc0_dc_warning.get(*host.read(Reg::omc0_dc)), 0U);
}

// A zero-length transfer is a fault that the chip reports.
TEST_F(StickTest, AProgramThatAsksForNothing) {
  host.bring_up();
  ProgramBuilder b;
  for (unsigned r = 1; r <= 2; ++r) b.op(ScalarOp::mov, r, 0, 0);
  host.instructions(b.transfer(1, 2, 0, 1).finish());
  EXPECT_THAT(host.rules(), ElementsAre("program"));
  EXPECT_EQ(host.read(Reg::hib_error_status), field::hib_error_status_zero_length_dma.mask());
  EXPECT_EQ(host.in(endpoint::kInterrupt, 4).size(), 4U);
}

// Breaks one rule each.
const std::map<std::string, std::function<void(StickTest&)>>& sins() {
  static const std::map<std::string, std::function<void(StickTest&)>> all = {
      {"transfer", [](StickTest& t) { t.host.header(4, 9); }},
      {"order", [](StickTest& t) { t.host.send(Tag::input, count(32)); }},
      {"length",
       [](StickTest& t) {
         t.host.instructions(t.program);
         t.host.send(Tag::input, count(33));
       }},
      {"chunk",
       [](StickTest& t) {
         t.mirror->max_chunks = 0;
         t.host.instructions(t.program);
       }},
      {"parameters",
       [](StickTest& t) {
         t.mirror->refuses = true;
         t.host.instructions(t.program);
         t.host.send(Tag::input, count(32));
       }},
      {"registers",
       [](StickTest& t) {
         t.host.write(Reg::infeedRunControl, kRunHalt);
         t.host.instructions(t.program);
       }},
      {"settings",
       [](StickTest& t) {
         t.host.write(Reg::deepSleep, 0);
         t.host.instructions(t.program);
       }},
      {"asleep",
       [](StickTest& t) {
         t.host.write(Reg::scu_ctrl_3, 0x50c5025cU);
         t.host.instructions(t.program);
       }},
      {"unknown_register",
       [](StickTest& t) {
         Bytes four(4);
         t.stick.control({kVendorRead, kRegister32, 0x4018, 4}, four);
       }},
      {"deadlock",
       [](StickTest& t) {
         t.host.instructions(t.program);
         t.host.send(Tag::input, count(32));
         t.host.instructions(t.program);
       }},
      {"waiting",
       [](StickTest& t) {
         t.host.instructions(t.program);
         t.stick.gave_up(endpoint::kOutput);
       }},
      {"read_size",
       [](StickTest& t) {
         t.host.instructions(t.program);
         t.host.send(Tag::input, count(32));
         Bytes small(15);
         EXPECT_EQ(t.stick.in(endpoint::kOutput, small).reply, Reply::overflow);
       }},
      {"program", [](StickTest& t) { t.host.instructions(count(48)); }},
      {"firmware",
       [](StickTest& t) {
         t.stick.control({kDfuWrite, static_cast<uint8_t>(DfuRequest::detach), 100, 0}, {});
         EXPECT_TRUE(t.stick.port_reset());
         t.stick.control({kDfuWrite, static_cast<uint8_t>(DfuRequest::download), 0, 0}, {});
       }},
      {"compute",
       [](StickTest& t) {
         t.mirror->unable = true;
         t.host.instructions(t.program);
         t.host.send(Tag::input, count(32));
       }},
      {"weights",
       [](StickTest& t) {
         t.mirror->remarks = {"64 bytes are new"};
         t.host.instructions(t.program);
         t.host.send(Tag::input, count(32));
       }},
  };
  return all;
}

TEST(StickRules, EachIsBrokenByOneSin) {
  for (const RuleInfo& r : all_stick_rules()) {
    SCOPED_TRACE(r.name);
    const auto sin = sins().find(std::string(r.name));
    ASSERT_NE(sin, sins().end());
    struct Body : StickTest {
      void TestBody() override {}
    } test;
    test.host.bring_up();
    sin->second(test);
    EXPECT_THAT(test.host.rules(), ElementsAre(std::string(r.name)));
    const Status verdict = test.stick.verdict();
    EXPECT_EQ(verdict.ok(), r.severity != Severity::error);
    if (verdict.ok()) continue;
    EXPECT_EQ(verdict.error().id(), r.id);
    EXPECT_EQ(verdict.error().code,
              &r == &info(StickRule::compute) ? ErrorCode::stick_layer : ErrorCode::stick_refused);
  }
}

TEST_F(StickTest, AStuckStickTakesNothingUntilItIsReset) {
  host.bring_up();
  host.send(Tag::input, count(32));
  EXPECT_TRUE(stick.stuck());
  EXPECT_EQ(host.instructions(program).reply, Reply::nak);
  EXPECT_FALSE(stick.port_reset());
  EXPECT_FALSE(stick.stuck());
  host.bring_up();
  host.instructions(program);
  host.send(Tag::input, count(32));
  EXPECT_EQ(host.in(endpoint::kOutput, 16).size(), 16U);
}

TEST_F(StickTest, PartsOfATransferMustBeFollowedByTheRest) {
  host.bring_up();
  host.instructions(program);
  host.send(Tag::input, count(20));
  host.send(Tag::parameters, count(12));
  EXPECT_THAT(host.rules(), ElementsAre("length"));
}

TEST_F(StickTest, ParametersAreTakenAsTheyCome) {
  host.bring_up();
  host.instructions(caching);
  host.send(Tag::parameters, count(40));
  EXPECT_TRUE(host.in(endpoint::kEvent, kEventBytes).empty());
  host.send(Tag::parameters, count(24));
  EXPECT_EQ(host.in(endpoint::kEvent, kEventBytes).size(), kEventBytes);
  EXPECT_EQ(mirror->last.parameters.size(), 64U);
  EXPECT_THAT(host.rules(), IsEmpty());
}

TEST_F(StickTest, WithoutTheFirmwareThereIsNothingToDrive) {
  StickOptions options;
  options.mode = StickMode::boot;
  Stick boot(options, nullptr);
  Host other{boot};
  EXPECT_FALSE(other.read(Reg::scu_ctrl_3).has_value());
  EXPECT_EQ(other.out(count(8)).reply, Reply::stall);
  Bytes buffer(64);
  EXPECT_EQ(boot.in(endpoint::kOutput, buffer).reply, Reply::stall);
}

}  // namespace
}  // namespace edgetwin::edgetpu
