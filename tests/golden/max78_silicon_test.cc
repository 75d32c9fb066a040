// What boards of the MAX78000 printed: every sum from the register program and from the
// description, every percentage.
#include <gtest/gtest.h>

#include "golden/golden.h"
#include "targets/max78/recordings/recordings.h"

namespace edgetwin::golden {
namespace {

TEST(Max78Silicon, EverySumAndPercentageIsEqual) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const std::string folder = (shared_data() / "max7800x" / "silicon").string();
  EXPECT_TRUE(max78::is_max78_recordings(folder));
  const auto report = max78::verify_silicon(folder, nullptr);
  ASSERT_TRUE(report.ok()) << to_text(report.error());
  EXPECT_EQ(report->cases.size(), 8U);
  EXPECT_EQ(report->sums(), 166U);
  size_t machine = 0, network = 0, percent = 0;
  for (const max78::SiliconCase& c : report->cases) {
    EXPECT_TRUE(c.equal()) << c.name << ": " << c.first;
    machine += c.machine.value_or(0);
    network += c.network.value_or(0);
    percent += c.percent.value_or(0);
  }
  EXPECT_EQ(machine, 166U);
  EXPECT_EQ(network, 66U);
  EXPECT_EQ(percent, 166U);
}

}  // namespace
}  // namespace edgetwin::golden
