#include "targets/edgetpu/device/registers.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace edgetwin::edgetpu {
namespace {

TEST(Registers, AddressesAscendAndTheirBlockTellsTheWidth) {
  uint32_t before = 0;
  for (const RegisterInfo& reg : all_registers()) {
    EXPECT_GT(reg.address, before) << reg.name;
    before = reg.address;
    EXPECT_EQ(reg.width, reg.address >> 16 == 1 ? 32 : 64) << reg.name;
    EXPECT_EQ(reg.address % static_cast<uint32_t>(reg.width / 8), 0u) << reg.name;
    EXPECT_EQ(find_register(reg.address), &reg);
    if (reg.width == 32) {
      EXPECT_EQ(reg.reset >> 32, 0u) << reg.name;
    }
  }
  EXPECT_EQ(find_register(0x1a319), nullptr);
  EXPECT_EQ(find_register(0xffffffff), nullptr);
}

TEST(Registers, FieldsLieInTheirRegistersAndDoNotOverlap) {
  std::set<std::string> names;
  std::vector<uint64_t> used(all_registers().size(), 0);
  for (const RegisterField& field : all_register_fields()) {
    EXPECT_TRUE(
        names.insert(std::string(info(field.reg).name) + "." + std::string(field.name)).second);
    EXPECT_LE(field.low + field.bits, info(field.reg).width) << field.name;
    const uint64_t mask = BitField{field.reg, field.low, field.bits}.mask();
    EXPECT_EQ(used[static_cast<size_t>(field.reg)] & mask, 0u) << field.name;
    used[static_cast<size_t>(field.reg)] |= mask;
  }
}

TEST(Registers, FieldsAreReadAndWrittenAlone) {
  // A captured bring-up wrote this value: high performance, quitting sleep.
  constexpr uint64_t kCaptured = 0x5085025c;
  EXPECT_EQ(field::scu_ctrl_3_force_sleep.get(kCaptured), 2u);
  EXPECT_EQ(field::scu_ctrl_3_gcb_clkdiv.get(kCaptured), 1u);
  EXPECT_EQ(field::scu_ctrl_3_axi_clk_125m.get(kCaptured), 1u);
  EXPECT_EQ(field::scu_ctrl_3_clk_8051_250m.get(kCaptured), 0u);
  EXPECT_EQ(field::scu_ctrl_3_force_sleep.set(kCaptured, 3), 0x50c5025cu);
}

}  // namespace
}  // namespace edgetwin::edgetpu
