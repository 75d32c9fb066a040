#include "targets/edgetpu/virtual_device/stick/rules.h"

#include <gtest/gtest.h>

#include <set>

#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::edgetpu {
namespace {

TEST(StickRules, EveryRowHasItsPlaceAndItsOwnId) {
  std::set<std::string_view> ids;
  size_t row = 0;
  for (const StickRuleInfo& r : all_stick_rules()) {
    EXPECT_EQ(static_cast<size_t>(r.rule), row++);
    EXPECT_TRUE(r.id.starts_with("TPU-USB-"));
    EXPECT_TRUE(ids.insert(r.id).second) << r.id;
    EXPECT_FALSE(r.title.empty() || r.text.empty());
    EXPECT_EQ(find_stick_rule(r.id), &r);
  }
  EXPECT_EQ(find_stick_rule("TPU-USB-99"), nullptr);
}

TEST(StickRules, FaultsAreInTheOrderOfTheirTable) {
  size_t row = 0;
  for (const UsbFaultInfo& f : all_usb_faults()) EXPECT_EQ(static_cast<size_t>(f.fault), row++);
  EXPECT_EQ(row, 6U);
}

TEST(Complaints, AreKeptOnceAndWithinALimit) {
  Complaints c;
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
