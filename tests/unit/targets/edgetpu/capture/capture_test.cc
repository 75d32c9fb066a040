#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/edgetpu/capture/capture_transport.h"
#include "targets/edgetpu/capture/decode.h"
#include "targets/edgetpu/capture/replay.h"
#include "targets/edgetpu/device/register_port.h"
#include "targets/edgetpu/device/register_words.h"
#include "targets/edgetpu/virtual_device/fault_words.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::edgetpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A register written and read, and a frame of eight bytes, on a virtual stick.
std::vector<UsbPacket> recorded() {
  auto capture = std::make_shared<CaptureTransport>(std::make_shared<VirtualBus>());
  const auto listed = capture->list();
  auto opened = capture->open((*listed)[0]);
  EXPECT_EQ(opened.connection->claim(0), UsbStatus::ok);
  JumpingClock clock;
  RegisterPort port(*opened.connection, clock);
  EXPECT_TRUE(port.write(Reg::omc0_d4, 0x80000001).ok());
  EXPECT_EQ(*port.read(Reg::omc0_d4), 0x80000001U);
  return capture->log().packets();
}

UsbCapture read_again(const Bytes& file) {
  const auto capture = read_capture(file, "f.pcap");
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : to_text(capture.error()));
  return capture.ok() ? *capture : UsbCapture{};
}

std::vector<std::string> texts(const std::vector<UsbAction>& actions) {
  std::vector<std::string> lines;
  for (const DriverLine& l : driver_lines(actions)) lines.push_back(l.text);
  return lines;
}

TEST(Capture, IsWrittenAndReadAgain) {
  const std::vector<UsbPacket> packets = recorded();
  const Bytes file = write_capture(packets);
  const UsbCapture capture = read_again(file);
  ASSERT_THAT(capture.packets, SizeIs(packets.size()));
  EXPECT_EQ(capture.cut, 0U);
  EXPECT_EQ(write_capture(capture.packets), file);
  const auto devices = captured_devices(capture);
  ASSERT_THAT(devices, SizeIs(1));
  EXPECT_TRUE(devices[0].looks_like_edgetpu);
  EXPECT_THAT(texts(actions_of(capture, devices[0])),
              ElementsAre("write omc0_d4 = 0x80000001", "read  omc0_d4 = 0x80000001"));
}

TEST(Capture, ReplayGivesTheSameAnswersAndNamesOthers) {
  UsbCapture capture = read_again(write_capture(recorded()));
  const CapturedDevice device = captured_devices(capture)[0];
  VirtualBus bus;
  const auto same = replay(actions_of(capture, device), bus);
  ASSERT_TRUE(same.ok());
  EXPECT_THAT(same->differences, SizeIs(0));
  EXPECT_EQ(same->done, 2U);
  capture.packets.back().data[0] ^= std::byte{1};
  VirtualBus other;
  const auto different = replay(actions_of(capture, device), other);
  ASSERT_THAT(different->differences, SizeIs(1));
  EXPECT_THAT(different->differences[0].text, HasSubstr("omc0_d4: 0x80000000 in the capture"));
}

TEST(Capture, FramesOverSeveralTransfersAreOneLine) {
  UsbAction a;
  a.endpoint = 0x01;
  a.status = 0;
  std::vector<UsbAction> actions;
  for (const std::initializer_list<int> part : {std::initializer_list<int>{6, 0, 0},
                                                {0, 1, 0, 0, 0, 9, 9},
                                                {9, 9, 9, 9, 3, 0, 0, 0, 2, 0, 0, 0, 7}}) {
    a.data.clear();
    for (const int v : part) a.data.push_back(static_cast<std::byte>(v));
    a.packet = actions.size();
    actions.push_back(a);
  }
  EXPECT_THAT(texts(actions), ElementsAre("send input, 6 bytes",
                                          "frame of parameters, 3 bytes; 2 bytes of it are not in "
                                          "the capture"));
}

TEST(Capture, DamagedFilesAreRefused) {
  const Bytes file = write_capture(recorded());
  EXPECT_EQ(read_capture(as_byte_span("nonsense and more"), "f").error().code,
            ErrorCode::file_kind);
  for (size_t size = 24; size < file.size(); size += 7) {
    const auto read = read_capture(ByteSpan(file).first(size), "f");
    if (read.ok()) continue;
    EXPECT_EQ(read.error().code, ErrorCode::truncated) << size;
  }
}

// The same packets in blocks of .pcapng.
TEST(Capture, PcapngIsReadToo) {
  const Bytes pcap = write_capture(recorded());
  ByteWriter w;
  const auto block = [&w](uint32_t type, ByteSpan body) {
    const auto size = static_cast<uint32_t>(12 + (body.size() + 3) / 4 * 4);
    w.write(type, "type");
    w.write(size, "size");
    w.append(body, "body");
    w.align(4, "padding");
    w.write(size, "size");
  };
  ByteWriter section;
  section.write(uint32_t{0x1a2b3c4d}, "order");
  section.write(uint64_t{1}, "version");
  section.write(~uint32_t{0}, "length");
  block(0x0a0d0d0a, section.bytes());
  ByteWriter interface;
  interface.write(uint32_t{220}, "link");
  interface.write(uint32_t{0}, "snap");
  block(1, interface.bytes());
  for (size_t at = 24; at < pcap.size();) {
    uint32_t size = 0;
    std::memcpy(&size, pcap.data() + at + 8, 4);
    ByteWriter packet;
    packet.write(uint32_t{0}, "interface");
    packet.write(uint64_t{0}, "time");
    packet.write(size, "captured");
    packet.write(size, "original");
    packet.append(ByteSpan(pcap).subspan(at + 16, size), "packet");
    block(6, packet.bytes());
    at += 16 + size;
  }
  EXPECT_EQ(read_again(w.bytes()).packets.size(), read_again(pcap).packets.size());
}

TEST(RegisterWords, NamesFieldsAndAddresses) {
  EXPECT_EQ(parse_register("scu_ctrl_3")->field.reg, Reg::scu_ctrl_3);
  EXPECT_EQ(parse_register("0x1a318")->field.reg, Reg::scu_ctrl_3);
  const auto field = parse_register("scu_ctrl_3.gcb_clkdiv=2");
  ASSERT_TRUE(field.ok());
  EXPECT_TRUE(field->writes && !field->whole);
  EXPECT_EQ(field->value, 2U);
  EXPECT_FALSE(parse_register("scu_ctrl_3.gcb_clkdiv=4").ok());
  EXPECT_FALSE(parse_register("scu_ctrl_3.nothing").ok());
  EXPECT_FALSE(parse_register("nothing").ok());
  EXPECT_TRUE(parse_register("currentPc=0xffffffffffffffff").ok());
}

TEST(FaultWords, OneTransferGoesWrong) {
  for (const UsbFaultInfo& f : all_usb_faults()) {
    const auto at = parse_fault(std::string(f.name) + "@3");
    ASSERT_TRUE(at.ok()) << f.name;
    EXPECT_EQ((*at)({.number = 3}), f.fault);
    EXPECT_EQ((*at)({.number = 4}), std::nullopt);
  }
  const auto second = parse_fault("stall@output:1");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)({.number = 0, .endpoint = endpoint::kOutput}), std::nullopt);
  EXPECT_EQ((*second)({.number = 1, .endpoint = endpoint::kOut}), std::nullopt);
  EXPECT_EQ((*second)({.number = 2, .endpoint = endpoint::kOutput}), UsbFault::stall);
  EXPECT_EQ((*second)({.number = 3, .endpoint = endpoint::kOutput}), std::nullopt);
  for (const char* wrong : {"stall", "nothing@1", "stall@nowhere", "stall@out:x", "stall@"}) {
    EXPECT_FALSE(parse_fault(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu
