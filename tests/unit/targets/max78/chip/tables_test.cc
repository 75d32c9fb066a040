// The closed tables of MAX78000 and MAX78002, and the text forms.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "targets/max78/chip/limits.h"
#include "targets/max78/chip/regs.h"
#include "targets/max78/options/options.h"
#include "targets/max78/program/program.h"
#include "targets/max78/rules/rules.h"

namespace edgetwin::max78 {
namespace {

TEST(Max78Rules, AreSentencesOfOneArea) {
  for (const RuleInfo& r : all_rules()) {
    EXPECT_TRUE(r.id.starts_with("MAX78-")) << r.id;
    EXPECT_TRUE(r.title.ends_with('.')) << r.id;
  }
  EXPECT_EQ(info(Rule::option_needs).id, "MAX78-OPT-01");
}

// The addresses of the specification's table: group 0, layer 0.
TEST(Max78Regs, HaveTheirAddresses) {
  const Limits& small = chip_limits(Device::max78000);
  const Limits& large = chip_limits(Device::max78002);
  EXPECT_EQ(address(small, LayerReg::rcnt, 0, 0), 0x50100010U);
  EXPECT_EQ(address(small, LayerReg::lctl2, 0, 0), 0x50100a10U);
  EXPECT_EQ(address(small, LayerReg::fmax, 0, 0), 0x50100910U);
  EXPECT_EQ(address(small, LayerReg::ena, 3, 5), 0x50d00710U + 20U);
  EXPECT_EQ(address(large, LayerReg::nxtlyr, 0, 0), 0x51100000U);
  EXPECT_EQ(address(large, LayerReg::post, 0, 0), 0x5110004cU);
  EXPECT_EQ(address(large, LayerReg::lctl, 1, 2), 0x52100030U + 0x200U);
  EXPECT_EQ(address(large, LayerReg::stream2, 0, 0), 0x51108020U);
  EXPECT_EQ(address(large, LayerReg::stream2, 0, 3), 0x51108020U + 12U);
  EXPECT_EQ(address(small, GlobalReg::ifrm, 0), 0x50100990U);
  EXPECT_EQ(address(large, GlobalReg::ifrm, 0), 0x51108060U);
  EXPECT_EQ(address(small, GlobalReg::mlat, 0), 0x50101000U);
  EXPECT_EQ(address(large, GlobalReg::snoop, 0), 0x51108080U);
  EXPECT_FALSE(has(small, LayerReg::nxtlyr));
}

TEST(Max78Regs, FieldsDoNotOverlap) {
  for (const bool large : {false, true}) {
    std::map<std::string_view, uint64_t> used;
    for (const FieldInfo& f : reg_fields()) {
      const int bits = large ? f.large : f.small;
      if (bits == 0) continue;
      ASSERT_LE(f.low + bits, 32) << f.reg << "." << f.name;
      const uint64_t mask = ((uint64_t{1} << bits) - 1) << f.low;
      // Reading ahead and depthwise layers share a bit: they exclude each other.
      if (f.name == "broadcast") continue;
      EXPECT_EQ(used[f.reg] & mask, 0U) << f.reg << "." << f.name;
      used[f.reg] |= mask;
    }
  }
}

TEST(Max78Limits, AddressesOfMemories) {
  const Limits& small = chip_limits(Device::max78000);
  const Limits& large = chip_limits(Device::max78002);
  EXPECT_EQ(small.data_address(0), 0x50400000U);
  EXPECT_EQ(small.data_address(5), 0x50808000U);
  EXPECT_EQ(large.data_address(0), 0x51800000U);
  EXPECT_EQ(large.data_address(15), 0x54860000U);
  EXPECT_EQ(small.kernel_address(0, 0), 0x50180000U);
  EXPECT_EQ(large.kernel_address(17, 2), 0x52420020U);
  EXPECT_EQ(small.bias_address(0), 0x50108000U);
  EXPECT_EQ(large.bias_address(1), 0x52180000U);
  EXPECT_EQ(large.columns(16), 5120);
  EXPECT_EQ(large.columns(17), 4096);
  EXPECT_EQ(device_by_name("AI87"), Device::max78002);
  EXPECT_EQ(device_by_name("max78000"), Device::max78000);
  EXPECT_FALSE(device_by_name("max78001"));
}

TEST(Max78Options, AreTheLoaders) {
  const auto o = options_from({"--fast-fifo", "--riscv", "--output-width", "32", "--weight-start",
                               "0x7d0", "--no-pll", "--verbose"});
  ASSERT_TRUE(o.ok());
  EXPECT_TRUE(o->use_fifo());
  EXPECT_TRUE(o->use_fast_fifo());
  EXPECT_EQ(o->output_width, 32);
  EXPECT_EQ(o->weight_start, 2000);
  EXPECT_EQ(o->pll, false);
  EXPECT_FALSE(options_from({"--debug"}).ok());
  EXPECT_FALSE(options_from({"--rtl", "--rtl-preload"}).ok());
  EXPECT_FALSE(options_from({"--timeout", "20"}).ok());  // without --rtl
  const auto rtl = options_from({"--rtl-preload", "--rtl-preload-weights", "--verify-writes"});
  ASSERT_TRUE(rtl.ok());
  EXPECT_TRUE(rtl->rtl.on);
  EXPECT_TRUE(rtl->rtl.verify_kernels);
  EXPECT_FALSE(rtl->rtl.preload_weights);
  EXPECT_EQ(rtl->files.main, "test.c");
  EXPECT_FALSE(options_from({"--no-kat=1"}).ok());
  EXPECT_FALSE(options_from({"--clock-divider", "3"}).ok());
  EXPECT_FALSE(options_from({"--define", "A$(shell)"}).ok());
  EXPECT_FALSE(options_from({"--output-width", "16"}).ok());
  EXPECT_FALSE(options_from({"--output-width"}).ok());
  EXPECT_FALSE(options_from({"--start-layer", "-1"}).ok());
}

TEST(Max78Program, TextForm) {
  Program p;
  p.functions.push_back(
      {"f",
       {{.kind = Access::Kind::write, .address = 0x10, .value = 0xab},
        {.kind = Access::Kind::write_byte, .address = 0x11, .value = 1},
        {.kind = Access::Kind::write, .address = 0x20, .value = 1, .words = {2, 3}},
        {.kind = Access::Kind::write, .address = 0x40, .value = 1, .words = {2, 3, 4}},
        {.kind = Access::Kind::wait, .address = 0x50, .value = 2, .mask = 3},
        {.kind = Access::Kind::keep_bits, .address = 0x60, .value = 0xfffffffeU}}});
  EXPECT_EQ(to_text(p),
            "fn f\nw 00000010 000000ab\nb 00000011 01\nw 00000020 00000001\nw 00000024 00000002\n"
            "w 00000028 00000003\nburst 00000040 4\n  00000001 00000002 00000003 00000004\n"
            "wait 00000050 00000003 00000002\nand 00000060 fffffffe\n");
}

}  // namespace
}  // namespace edgetwin::max78
