// Detectors, pose and segmentation networks of the families that people run on the Edge TPU, with
// their real pictures and numbers of classes.
#include "unit/targets/edgetpu/compile/families.h"
#include "unit/targets/edgetpu/compile/read_back.h"

namespace edgetwin::edgetpu::compiler {
namespace {

ValueId enlarged(Mobile& net, ValueId at, ValueId as) {
  const Shape s = net.shape(as);
  return net.resized(OpKind::resize_nearest_neighbor, at, static_cast<int>(s[1]),
                     static_cast<int>(s[2]), false, false);
}

// The levels of 8, 16, 32, 64 and 128 pixels.
std::vector<ValueId> efficientnet_levels(Mobile& net, int side, int wide) {
  ValueId at = net.conv(net.input(side, side, 3), 32, 3, 2);
  at = net.inverted(net.inverted(net.inverted(at, 1, 16, 1), 6, 24, 2), 6, 24, 1);
  const ValueId third = net.inverted(net.inverted(at, 6, 40, 2, 5), 6, 40, 1, 5);
  at = net.inverted(net.inverted(net.inverted(third, 6, 80, 2), 6, 80, 1), 6, 80, 1);
  const ValueId fourth = net.inverted(net.inverted(at, 6, 112, 1, 5), 6, 112, 1, 5);
  at = net.inverted(net.inverted(fourth, 6, 192, 2, 5), 6, 192, 1, 5);
  std::vector<ValueId> map;
  for (const ValueId m : {third, fourth, net.inverted(at, 6, 320, 1)}) {
    map.push_back(net.conv(m, wide, 1, 1, false));
  }
  for (int k = 0; k < 2; ++k) map.push_back(net.greatest_of(map.back(), 3, 2));
  return map;
}

// Down and up through all levels.
void mix(Mobile& net, std::vector<ValueId>& map, int wide) {
  const std::vector<ValueId> in = map;
  for (size_t k = 4; k-- > 0;) {
    map[k] = net.separable(net.sum(in[k], enlarged(net, map[k + 1], map[k])), wide);
  }
  for (size_t k = 1; k < 5; ++k) {
    ValueId s = net.sum(map[k], net.greatest_of(map[k - 1], 3, 2));
    if (k < 4) s = net.sum(s, in[k]);
    map[k] = net.separable(s, wide);
  }
}

// Boxes and scores of 90 classes; `cells`: how often all levels are mixed.
Graph efficientdet(int side, int wide, int cells) {
  constexpr int kClasses = 90, kAnchors = 9;
  Mobile net(Trained::int8);
  std::vector<ValueId> map = efficientnet_levels(net, side, wide);
  for (int cell = 0; cell < cells; ++cell) mix(net, map, wide);
  std::vector<ValueId> boxes, scores;
  for (const ValueId m : map) {
    ValueId box = m, score = m;
    for (int d = 0; d < 3; ++d) {
      box = net.separable(box, wide), score = net.separable(score, wide);
    }
    const int64_t n = net.shape(m)[1] * net.shape(m)[2] * kAnchors;
    boxes.push_back(
        net.reshape(net.conv(net.deep(box, 3, 1, false), 4 * kAnchors, 1, 1, false), {1, n, 4}));
    scores.push_back(
        net.reshape(net.conv(net.deep(score, 3, 1, false), kClasses * kAnchors, 1, 1, false),
                    {1, n, kClasses}));
  }
  return net.ends({net.join_along(1, boxes), net.logistic(net.join_along(1, scores))});
}

// Regression: EfficientDet-Lite0 stood still in its proof. Scores of 90 classes go to their list in
// pieces.
TEST(EdgetpuDetectors, EfficientDetLite0) {
  expect_family(efficientdet(320, 64, 3), Prove::always, 1);
}

// Both lists leave in parts. Regression: of 19 million words that its layers read four were
// remembered, of one layer those of some instructions alone.
TEST(EdgetpuDetectors, EfficientDetLite2ComesBack) {
  if (!kInstrumented) expect_all(efficientdet(448, 112, 5), 286);
}

TEST(EdgetpuDetectors, MobileDet) {
  Mobile net(Trained::uint8);
  ValueId at = net.conv(net.input(320, 320, 3), 32, 3, 2);
  at = net.conv(net.conv(net.conv(at, 8), 12, 3), 16, 1, 1, false);
  at = net.fused(net.fused(net.fused(at, 8, 16, 2), 4, 16, 1), 8, 16, 1);
  at = net.conv(net.conv(at, 128, 5, 2), 40, 1, 1, false);
  at = net.fused(net.fused(at, 4, 40, 1), 4, 40, 1);
  at = net.inverted(net.inverted(at, 8, 72, 2), 8, 72, 1);
  at = net.inverted(net.inverted(net.fused(at, 4, 72, 1), 8, 96, 1, 5), 8, 96, 1);
  std::vector<ValueId> maps = {at};
  at = net.inverted(net.inverted(at, 8, 120, 2, 5), 4, 120, 1, 5);
  at = net.inverted(at, 8, 384, 1, 5);
  maps.push_back(at);
  for (const int wide : {512, 256, 256, 128}) {
    at = net.separable(net.conv(at, wide / 2), wide, 2);
    maps.push_back(at);
  }
  expect_family(net.ends(heads(net, maps, 6, 91)), Prove::asked);
}

// Of the encoder's wide layers the decoder takes those before each stride.
TEST(EdgetpuDetectors, UNetOfMobileNetV2) {
  Mobile net(Trained::int8);
  ValueId at = net.conv(net.quantized(net.input(128, 128, 3)), 32, 3, 2);
  at = net.inverted(at, 1, 16, 1);
  std::vector<ValueId> levels;
  const int n[] = {24, 32, 64, 96, 160, 320}, count[] = {2, 3, 4, 3, 3, 1},
            stride[] = {2, 2, 2, 1, 2, 1};
  for (size_t k = 0; k < 6; ++k) {
    for (int i = 0; i < count[k]; ++i) {
      const int by = i == 0 ? stride[k] : 1, in = static_cast<int>(net.shape(at)[3]);
      const ValueId wide = net.conv(at, 6 * in);
      if (by == 2) levels.push_back(wide);
      const ValueId c = net.conv(net.deep(wide, 3, by), n[k], 1, 1, false);
      at = by == 1 && n[k] == in ? net.sum(at, c) : c;
    }
  }
  int wide = 512;
  for (size_t k = 4; k-- > 0; wide /= 2) {
    at = net.join_along(3, {net.transposed_conv(at, wide, 3, 2), levels[k]}, true);
  }
  expect_family(net.ends({net.transposed_conv(at, 3, 3, 2)}), Prove::asked);
}

// Sums of its blocks keep the place of an operand.
TEST(EdgetpuDetectors, PoseOfResNet50) {
  Residual net(Trained::uint8);
  ValueId at = net.greatest_of(net.conv(net.input(288, 416, 3), 64, 7, 2), 3, 2);
  const int sizes[] = {64, 128, 256, 512}, counts[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    for (int k = 0; k < counts[stage]; ++k) {
      const int stride = k == 0 && (stage == 1 || stage == 2) ? 2 : 1;
      at = net.bottleneck(at, sizes[stage], stride, k == 0);
    }
  }
  const ValueId scores = net.logistic(net.conv(at, 17, 1, 1, false));
  expect_family(net.ends({scores, net.conv(at, 34, 1, 1, false), net.conv(at, 64, 1, 1, false)}),
                Prove::asked, 1);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
