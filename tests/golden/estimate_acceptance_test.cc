// How far estimates may be from published numbers: the bars of the specification of estimates, part
// 4, on the public rows whose network is at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "golden/golden.h"
#include "twin/estimate/residuals.h"

namespace edgetwin::golden {
namespace {

struct Bar {
  const char* model;
  const char* what;  // inference, loading
  const char* unit;
  double median, largest;  // percent
};

// The bar of S3 tree is 35 % for the networks that were kept back; msr is a public miss of 40 % in
// the fit of the specification itself. Energy of loading: 4 %, and a row of 2 uJ 15 %.
constexpr Bar kBars[] = {
    {"max78000", "inference", "ms", 0.1, 0.2}, {"max78002", "inference", "ms", 2, 5},
    {"max78002", "loading", "ms", 3, 8},       {"max78002", "inference", "uJ", 20, 25},
    {"max78002", "loading", "uJ", 4, 15},      {"S3 current", "inference", "ms", 11, 15},
    {"P4 current", "inference", "ms", 11, 15}, {"S3 tree", "inference", "ms", 9, 40},
    {"P4 tree", "inference", "ms", 12, 70},    {"Edge TPU", "inference", "ms", 13, 20},
};

// Half of the last digit that was published: 0.4 stands for 0.35 to 0.45.
double half_digit(double published) {
  double unit = 1.0;
  while (unit > 1e-6 && std::abs(std::round(published / unit) * unit - published) > 1e-9) {
    unit /= 10.0;
  }
  return unit / 2.0;
}

double percent_off(const twin::Residual& r) {
  if (std::abs(r.range.mid - r.published) <= half_digit(r.published)) return 0.0;
  return 100.0 * std::abs(r.off());
}

// Times of loading alone and with the inference after it have the bar of loading; energies with the
// inference that of the inference, which is most of them.
bool is_of(const twin::Residual& r, const Bar& bar) {
  const bool loads = r.what.find("loading") != std::string::npos &&
                     (r.unit == "ms" || !r.what.ends_with("inference"));
  return r.model == bar.model && r.unit == bar.unit &&
         loads == (std::string(bar.what) == "loading");
}

class EstimateAcceptance : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
    auto read = twin::residuals(shared_data().string());
    ASSERT_TRUE(read.ok()) << to_text(read.error());
    rows = std::move(*read);
  }
  std::vector<twin::Residual> rows;
};

TEST_F(EstimateAcceptance, MediansAndLargestResidualsAreWithinTheBars) {
  for (const Bar& bar : kBars) {
    SCOPED_TRACE(std::string(bar.model) + ", " + bar.what + ", " + bar.unit);
    std::vector<double> off;
    for (const twin::Residual& r : rows) {
      if (!is_of(r, bar)) continue;
      off.push_back(percent_off(r));
      EXPECT_LE(off.back(), bar.largest)
          << r.name << ", " << r.what << ": " << r.range.mid << " for " << r.published;
    }
    ASSERT_FALSE(off.empty());
    std::ranges::sort(off);
    EXPECT_LE(off[off.size() / 2], bar.median);
  }
}

TEST_F(EstimateAcceptance, EveryRowHasABar) {
  for (const twin::Residual& r : rows) {
    EXPECT_TRUE(std::ranges::any_of(kBars, [&](const Bar& bar) { return is_of(r, bar); }))
        << r.model << ", " << r.what << ", " << r.unit;
  }
}

TEST_F(EstimateAcceptance, NineOfTenPublishedTimesAreInTheirRange) {
  size_t inside = 0, all = 0;
  for (const twin::Residual& r : rows) {
    if (r.what != "inference" || r.unit != "ms") continue;
    ++all;
    inside += r.inside() ? 1 : 0;
  }
  EXPECT_GE(all, 30U);
  EXPECT_GE(10 * inside, 9 * all) << inside << " of " << all;
}

}  // namespace
}  // namespace edgetwin::golden
