// Pools over pictures that do not fit beside what gathers them: in the vendor's style the picture
// goes to the scratch memory of the host and comes back, as in DeepLab slim.
#include "targets/edgetpu/compile/layout/scratch_pool.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Map picture(int64_t rows, int64_t columns, int64_t channels) {
  Map m;
  m.y = Axis(rows), m.x = Axis(columns);
  m.channels = channels;
  return m;
}

TEST(EdgetpuVendorScratch, AsFewPiecesAsFitBesideThePicture) {
  const auto pieces = channel_pieces(picture(33, 33, 1280));
  ASSERT_TRUE(pieces);
  EXPECT_EQ(pieces->count(), 6);
  EXPECT_EQ(pieces->words, 54);
  EXPECT_EQ(pieces->size(5), 50);
  EXPECT_TRUE(needs_scratch(picture(33, 33, 1280)));
  EXPECT_FALSE(needs_scratch(picture(33, 33, 320)));
}

Model head(int channels, bool scaled) {
  FamilyNetwork net(Trained::uint8);
  const ValueId at = net.conv(net.input(33, 33, 16), channels);
  const ValueId mean = net.average_of(at, 33, 33, false);
  const ValueId beside = net.conv(at, 64);
  ValueId spread = net.tile(net.conv(mean, scaled ? 128 : 64), 33, 33);
  if (scaled) spread = net.quantized(spread);
  Model model;
  model.format = "tflite";
  model.graphs.push_back(net.ends({net.conv(net.join_along(3, {spread, beside}, scaled), 8)}));
  return model;
}

CompiledModel like_vendor(const Model& model) {
  auto made = compile_model(model, darwinn::kCurrentRuntimeVersion, Style::vendor);
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  return std::move(*made);
}

TEST(EdgetpuVendorScratch, ThePictureLeavesOnceAndComesBackForEachPieceAndReader) {
  const Model model = head(1280, true);
  const CompiledModel made = like_vendor(model);
  ASSERT_EQ(made.partition.groups.size(), 1u);
  const CompiledSegment& compiled = made.partition.groups[0].compiled;
  ASSERT_EQ(compiled.scratch.size(), 7u);
  for (size_t k = 0; k < 7; ++k) EXPECT_EQ(compiled.scratch[k].returns, k != 0);
  EXPECT_EQ(compiled.scratch_bytes, 33 * 33 * 1280);
  const darwinn::Executable* run = made.partition.groups[0].package.inference();
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->scratch_size, 33 * 33 * 1280);
  const auto fences =
      std::ranges::count(run->dma_hints->hints, darwinn::HintKind::fence, &darwinn::DmaHint::kind);
  EXPECT_EQ(fences, 6);
  expect_proven(model, made, 1, true);
}

// Another size and a mean; and a result that leaves: its picture stays, since
// the host wants its pieces in other tiles.
TEST(EdgetpuVendorScratch, OtherPictures) {
  struct Case {
    int rows, columns, channels, outputs;
    bool mean, scratch;
  };
  for (const Case& c : {Case{29, 37, 1324, 100, true, true}, Case{33, 33, 1280, 0, false, false}}) {
    SCOPED_TRACE(c.channels);
    FamilyNetwork net(Trained::uint8);
    const ValueId at = net.conv(net.input(c.rows, c.columns, 8), c.channels);
    ValueId to = c.mean ? net.mean(at, {1, 2}, true)
                        : net.pool(OpKind::average_pool_2d, at, {c.rows, c.columns, 1, false});
    if (c.outputs != 0) to = net.tile(net.conv(to, c.outputs), c.rows, c.columns);
    Model model;
    model.format = "tflite";
    model.graphs.push_back(net.ends({to, net.conv(at, 8)}));
    const CompiledModel made = like_vendor(model);
    ASSERT_EQ(made.partition.groups.size(), 1u);
    EXPECT_EQ(!made.partition.groups[0].compiled.scratch.empty(), c.scratch);
    expect_proven(model, made, 1, true);
  }
}

// One that fits stays on the chip; what is repeated has the join's numbers or not.
TEST(EdgetpuVendorScratch, APictureThatFitsStays) {
  for (const bool scaled : {false, true}) {
    const Model model = head(320, scaled);
    const CompiledModel made = like_vendor(model);
    ASSERT_EQ(made.partition.groups.size(), 1u);
    EXPECT_TRUE(made.partition.groups[0].compiled.scratch.empty());
    expect_proven(model, made, 1, true);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
