// The section of a page: what is drawn is what the estimate says.
#include <gtest/gtest.h>

#include "estimate/output.h"

namespace edgetwin::estimates {
namespace {

size_t count_of(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

Estimate example() {
  Estimate e;
  e.headline = "a <chip> at 100 MHz";
  e.latency_ms = EstimateRange{8, 10, 20};
  e.phases = {{"load_weights", true, EstimateRange{1, 2, 3}, {}, ""},
              {"unload", false, {}, {}, "not known"}};
  EstimateLayer layer;
  layer.op = "conv2d";
  layer.output = "4x8x8";
  layer.ms = 5;
  layer.share = 0.5;
  layer.bound = "compute";
  e.layers.assign(45, layer);
  e.energy_reason = "no figures";
  e.memory.verdict = "fits";
  return e;
}

TEST(EstimateSection, DrawsEachKnownTimeWithItsRange) {
  const std::string html = section_html(example());
  // Latency, the phase that has a time, the forty longest layers.
  EXPECT_EQ(count_of(html, "<rect"), 42u);
  EXPECT_EQ(count_of(html, "class=\"whisker\""), 42u);
  EXPECT_NE(html.find("The 40 longest of 45."), std::string::npos);
  EXPECT_NE(html.find("10 ms (8 to 20)"), std::string::npos);
  EXPECT_NE(html.find("a &lt;chip&gt; at 100 MHz"), std::string::npos);
  EXPECT_NE(html.find("not known: no figures"), std::string::npos);
}

TEST(EstimateSection, SaysThatThereIsNoTime) {
  Estimate e = example();
  e.latency_ms.reset();
  e.latency_reason = "no rows";
  e.phases.clear();
  e.layers.clear();
  const std::string html = section_html(e);
  EXPECT_EQ(count_of(html, "<rect"), 0u);
  EXPECT_NE(html.find("not known: no rows"), std::string::npos);
}

}  // namespace
}  // namespace edgetwin::estimates
