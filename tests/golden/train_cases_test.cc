// Every recorded case of training: layers in all phases, losses, steps, quantizers, two networks.
#include <gtest/gtest.h>

#include "golden/golden.h"
#include "train/cases/compare.h"
#include "train/cases/entry.h"

namespace edgetwin::golden {
namespace {

// Without those whose files are not there a smaller number would be a step back.
constexpr size_t kTrainCases = 243;

TEST(TrainCases, AllAreEqualWithinTheirTolerances) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path folder = shared_data() / "training";
  const auto entries = train::read_index(folder / "cases.json");
  ASSERT_TRUE(entries.ok()) << to_text(entries.error());
  EXPECT_EQ(entries->size(), kTrainCases);
  ThreadPool pool(2);
  size_t arrays_compared = 0;
  for (const train::CaseEntry& entry : *entries) {
    SCOPED_TRACE(entry.id);
    const auto arrays = train::CaseArrays::read(folder / entry.file);
    ASSERT_TRUE(arrays.ok()) << to_text(arrays.error());
    const auto results = train::compute_case(entry, *arrays, folder, pool);
    ASSERT_TRUE(results.ok()) << to_text(results.error());
    for (const train::ArrayComparison& row : train::compare_case(entry, *arrays, *results)) {
      EXPECT_TRUE(row.equal) << row.name << " " << row.remark << " " << row.distance << " above "
                             << row.tolerance;
      if (row.compared) ++arrays_compared;
    }
  }
  EXPECT_GT(arrays_compared, 1000U);
}

}  // namespace
}  // namespace edgetwin::golden
