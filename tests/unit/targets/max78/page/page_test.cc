// Who overlaps whom in data memory, and the page that shows it.
#include "targets/max78/page/page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/ai8x/read_yaml.h"
#include "image/image.h"
#include "targets/max78/analysis/memory_map.h"
#include "targets/max78/page/memory_drawing.h"
#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {
namespace {

struct Chain {
  ai8x::Network network;
  ai8x::Parameters parameters;
  Planning plan;
};

// Three 1x1 layers of one channel; the last one adds the outputs of the first two.
std::unique_ptr<Chain> chain(const std::string& second_offset, const std::string& third,
                             const std::vector<std::string>& words = {}) {
  const std::string conv =
      "  - op: conv2d\n    kernel_size: 1x1\n    pad: 0\n    activate: none\n"
      "    processors: 0x1\n";
  auto c = std::make_unique<Chain>();
  c->network =
      ai8x::read_network("arch: test\ndataset: x\nlayers:\n" + conv +
                             "    out_offset: 0x1000\n    write_gap: 1\n" + conv +
                             "    out_offset: " + second_offset + "\n    write_gap: 1\n" + third,
                         "x.yaml", ai8x::Device::max78000)
          .value();
  c->parameters.layers.resize(c->network.layers.size());
  for (size_t i = 0; i < 2; ++i) {
    ai8x::LayerParameters& l = c->parameters.layers[i];
    l.weights = {static_cast<int8_t>(i + 1)};
    l.out = l.in = l.in_channels = l.out_channels = 1;
    l.output_shift = 0;
  }
  c->plan = make_plan(c->network, c->parameters, {1, 8, 8}, *options_from(words));
  return c;
}

const char* kAdd =
    "  - op: add\n    in_sequences: [0, 1]\n    processors: 0x1\n    in_offset: 0x1000\n"
    "    out_offset: 0x3000\n";

std::vector<Overlap> harmful(const Planning& plan) {
  std::vector<Overlap> found;
  for (const Overlap& o : overlaps(data_regions(plan))) {
    if (o.harmful) found.push_back(o);
  }
  return found;
}

TEST(Max78MemoryMap, OperandsLieBetweenEachOther) {
  const auto c = chain("0x1004", kAdd);
  EXPECT_TRUE(harmful(c->plan).empty());
  const auto regions = data_regions(c->plan);
  ASSERT_EQ(regions.size(), 4U);
  EXPECT_EQ(regions[1].step, 8);
  EXPECT_EQ(regions[1].read, 2);
  EXPECT_EQ(regions[1].instances(), 1U);
}

TEST(Max78MemoryMap, FindsLostData) {
  const auto c = chain("0x1000", kAdd, {"--overlap-data"});
  const auto found = harmful(c->plan);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].in_place);
  EXPECT_EQ(overlap_text(c->plan, data_regions(c->plan), found[0]),
            "bytes 01000-011fb of data memory 0: layer 1 over layer 0, which layer 2 reads");
  const std::string map = memory_map(c->plan);
  EXPECT_NE(map.find("layer 1 over layer 0"), std::string::npos) << map;
}

TEST(Max78MemoryMap, KnowsWhatIsInPlace) {
  const auto c = chain("0x1000", "", {"--overlap-data"});
  const auto found = harmful(c->plan);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].in_place);
}

TEST(Max78MemoryMap, NamesInstances) {
  EXPECT_EQ(instances_text(0x10f), "0-3, 8");
  EXPECT_EQ(instances_text(0), "");
}

TEST(Max78Page, ShowsTheMemories) {
  const auto c = chain("0x1000", kAdd, {"--overlap-data"});
  NetworkPage page;
  page.title = "<x>.yaml";
  page.verdict = "max78000: the network fits";
  page.yes = true;
  page.plan = &c->plan;
  const std::string html = html_page(page);
  EXPECT_NE(html.find("&lt;x&gt;.yaml"), std::string::npos);
  EXPECT_NE(html.find("Written over before its last reader"), std::string::npos);
  EXPECT_NE(html.find("stroke:#c82c34"), std::string::npos);  // the red frame
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html, html_page(page));
}

TEST(Max78Page, AFrameOnlyWhereDataIsLost) {
  const auto c = chain("0x1004", kAdd);
  EXPECT_EQ(to_svg(memory_drawing(c->plan)).find("stroke:#c82c34"), std::string::npos);
}

// A layer that writes over what it reads, without --overlap-data: frame and text both say lost.
TEST(Max78Page, TextAndFrameAgree) {
  const auto c = chain("0x1000", "");
  ASSERT_TRUE(has_errors(c->plan.findings));
  NetworkPage page;
  page.plan = &c->plan;
  page.findings = c->plan.findings;
  const std::string html = html_page(page);
  EXPECT_NE(html.find("stroke:#c82c34"), std::string::npos);
  EXPECT_EQ(html.find("No data is written over"), std::string::npos);
  EXPECT_NE(html.find("Written over before its last reader"), std::string::npos);
  EXPECT_EQ(html.find("which is right as long"), std::string::npos);
}

TEST(Max78Page, AxesShowWhatIsUsedInHexadecimal) {
  const auto c = chain("0x1004", kAdd);
  const plot::Drawing drawing = memory_drawing(c->plan);
  std::vector<std::string> texts;
  for (const plot::DrawingText& t : drawing.texts) texts.push_back(t.text);
  const auto has = [&](const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  };
  EXPECT_TRUE(has("data memory 0, bytes 0x0000 to 0x30ff of 0x8000"));
  EXPECT_TRUE(has("0x1000") && has("0x4000"));
  EXPECT_FALSE(has("0x8000") || has("8192"));
  // Thin rectangles have their names beside them.
  for (const char* name : {"in", "L0", "L1", "L2"}) {
    const bool inside = std::any_of(
        drawing.rects.begin(), drawing.rects.end(),
        [&](const plot::DrawingRect& r) { return r.label == name && r.at.height() > 12; });
    EXPECT_TRUE(inside || has(name)) << name;
  }
}

TEST(Max78Page, PictureHasTheScenesSize) {
  const auto c = chain("0x1004", kAdd);
  const plot::Drawing drawing = memory_drawing(c->plan);
  const auto png = to_png(drawing, 1.0);
  ASSERT_TRUE(png.ok());
  const auto picture = decode_image(*png, "drawing");
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->shape[1], 960);
  EXPECT_EQ(picture->shape[0], static_cast<int64_t>(drawing.height));
}

}  // namespace
}  // namespace edgetwin::max78
