#include "formats/ai8x/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/ai8x/read_yaml.h"

namespace edgetwin::ai8x {
namespace {

Network network(const std::string& layers) {
  const auto read =
      read_network("arch: test\ndataset: noise\nlayers:\n" + layers, "net.yaml", Device::max78000);
  EXPECT_TRUE(read.ok()) << to_text(read.error());
  return read.ok() ? *read : Network();
}

const std::string kFirst =
    "  - name: a\n    processors: 0x1\n    data_format: CHW\n    op: conv2d\n";

TEST(CompareNetworks, ADefaultThatIsStatedIsNoDifference) {
  EXPECT_TRUE(compare_networks(network(kFirst), network(kFirst + "    pad: 1\n")).empty());
}

TEST(CompareNetworks, NamesLayerKeyAndBothValues) {
  const auto lines = compare_networks(network(kFirst), network(kFirst + "    pad: 0\n"));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], "layer 0 'a': pad 1x1 and 0x0");
}

TEST(CompareNetworks, NamesLayersOfOne) {
  const auto lines =
      compare_networks(network(kFirst), network(kFirst + "  - name: b\n    processors: 0x1\n"));
  EXPECT_NE(std::find(lines.begin(), lines.end(), "layer 1 'b': only in B"), lines.end());
}

}  // namespace
}  // namespace edgetwin::ai8x
