#include "targets/edgetpu/virtual_device/stick/rules.h"

#include <gtest/gtest.h>

#include <set>
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::edgetpu {
namespace {

TEST(StickRules, EveryRuleHasTextAndAnIdOfItsArea) {
  for (const RuleInfo& r : all_stick_rules()) {
    EXPECT_TRUE(r.id.starts_with("TPU-USB-"));
    EXPECT_FALSE(r.text.empty()) << r.id;
  }
}

TEST(StickRules, FaultsAreInTheOrderOfTheirTable) {
  size_t row = 0;
  for (const UsbFaultInfo& f : all_usb_faults()) EXPECT_EQ(static_cast<size_t>(f.fault), row++);
  EXPECT_EQ(row, 6U);
}

TEST(StickFindings, AreKeptOnceAndWithinALimit) {
  StickFindings c;
  c.add(StickRule::settings, "a", "b");
  c.add(StickRule::settings, "a", "b");
  EXPECT_EQ(c.all().size(), 1U);
  EXPECT_EQ(c.first_error(), nullptr);
  for (int i = 0; i < 1000; ++i) c.add(StickRule::order, "frame", std::to_string(i));
  EXPECT_EQ(c.all().size(), 200U);
  EXPECT_EQ(c.left_out(), 801U);
  ASSERT_NE(c.first_error(), nullptr);
  EXPECT_EQ(c.first_error()->message, "0");
}

}  // namespace
}  // namespace edgetwin::edgetpu
