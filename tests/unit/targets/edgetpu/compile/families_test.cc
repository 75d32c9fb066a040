// Networks of the families that the vendor's compiler is used for: what of them is on the chip.
#include "unit/targets/edgetpu/compile/families.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using Filter = FamilyNetwork::Filter;

class Inception1 : public FamilyNetwork {
 public:
  using FamilyNetwork::FamilyNetwork;
  ValueId mixed(ValueId at, const std::array<int, 6>& n) {
    const ValueId a = conv(at, n[0]);
    const ValueId b = conv(conv(at, n[1]), n[2], 3);
    const ValueId c = conv(conv(at, n[3]), n[4], 3);
    const ValueId d = conv(greatest_of(at, 3, 1), n[5]);
    return join_along(3, {a, b, c, d}, true);
  }
};

Graph inception_v1(Trained trained) {
  Inception1 net(trained);
  ValueId at = net.greatest_of(net.conv(net.input(224, 224, 3), 64, 7, 2), 3, 2);
  at = net.greatest_of(net.conv(net.conv(at, 64), 192, 3), 3, 2);
  at = net.mixed(at, {64, 96, 128, 16, 32, 32});
  at = net.mixed(at, {128, 128, 192, 32, 96, 64});
  at = net.greatest_of(at, 3, 2);
  at = net.mixed(at, {192, 96, 208, 16, 48, 64});
  at = net.mixed(at, {160, 112, 224, 24, 64, 64});
  at = net.mixed(at, {128, 128, 256, 24, 64, 64});
  at = net.mixed(at, {112, 144, 288, 32, 64, 64});
  at = net.mixed(at, {256, 160, 320, 32, 128, 128});
  at = net.greatest_of(at, 2, 2);
  at = net.mixed(at, {256, 160, 320, 32, 128, 128});
  at = net.mixed(at, {384, 192, 384, 48, 128, 128});
  at = net.conv(net.average_of(at, 7, 1, false), 1001, 1, 1, false);
  return net.ends({net.softmax(net.reshape(at, {1, 1001}))});
}

TEST(EdgetpuFamilies, InceptionV1) {
  expect_family(inception_v1(Trained::uint8), Prove::asked);
  expect_family(inception_v1(Trained::int8), Prove::asked);
}

class Inception3 : public FamilyNetwork {
 public:
  using FamilyNetwork::FamilyNetwork;
  ValueId rows(ValueId at, int n, int k) { return conv(at, n, Filter{1, k}); }
  ValueId columns(ValueId at, int n, int k) { return conv(at, n, Filter{k, 1}); }
  ValueId valid(ValueId at, int n, int k, int stride) {
    return conv(at, n, Filter{k, k, stride, false});
  }
  ValueId mixed5(ValueId at, int n) {
    const ValueId a = conv(at, 64), b = conv(conv(at, 48), 64, 5);
    const ValueId c = conv(conv(conv(at, 64), 96, 3), 96, 3);
    return join_along(3, {a, b, c, conv(average_of(at, 3, 1), n)}, true);
  }
  ValueId mixed6(ValueId at, int n) {
    const ValueId a = conv(at, 192);
    const ValueId b = columns(rows(conv(at, n), n, 7), 192, 7);
    const ValueId c = rows(columns(rows(columns(conv(at, n), n, 7), n, 7), n, 7), 192, 7);
    return join_along(3, {a, b, c, conv(average_of(at, 3, 1), 192)}, true);
  }
  ValueId mixed7(ValueId at) {
    const ValueId a = conv(at, 320), b = conv(at, 384);
    const ValueId c = join_along(3, {rows(b, 384, 3), columns(b, 384, 3)}, true);
    const ValueId d = conv(conv(at, 448), 384, 3);
    const ValueId e = join_along(3, {rows(d, 384, 3), columns(d, 384, 3)}, true);
    return join_along(3, {a, c, e, conv(average_of(at, 3, 1), 192)}, true);
  }
};

TEST(EdgetpuFamilies, InceptionV3) {
  for (const Trained trained : {Trained::uint8, Trained::int8}) {
    Inception3 net(trained);
    ValueId at = net.valid(net.input(299, 299, 3), 32, 3, 2);
    at = net.conv(net.valid(at, 32, 3, 1), 64, 3);
    at = net.greatest_of(at, 3, 2, false);
    at = net.greatest_of(net.valid(net.conv(at, 80), 192, 3, 1), 3, 2, false);
    at = net.mixed5(net.mixed5(at, 32), 64);
    at = net.join_along(
        3, {net.valid(at, 384, 3, 2), net.valid(net.conv(net.conv(at, 64), 96, 3), 96, 3, 2),
            net.greatest_of(at, 3, 2, false)});
    at = net.mixed6(net.mixed6(at, 128), 160);
    at = net.join_along(
        3, {net.valid(net.conv(at, 192), 320, 3, 2),
            net.valid(net.columns(net.rows(net.conv(at, 192), 192, 7), 192, 7), 192, 3, 2),
            net.greatest_of(at, 3, 2, false)});
    at = net.mixed7(at);
    at = net.conv(net.average_of(at, 8, 1, false), 1001, 1, 1, false);
    expect_family(net.ends({net.softmax(net.reshape(at, {1, 1001}))}), Prove::asked, 1);
  }
}

TEST(EdgetpuFamilies, InceptionV4Stem) {
  Inception3 net(Trained::uint8);
  ValueId at = net.conv(net.valid(net.valid(net.input(299, 299, 3), 32, 3, 2), 32, 3, 1), 64, 3);
  at = net.join_along(3, {net.greatest_of(at, 3, 2, false), net.valid(at, 96, 3, 2)});
  const ValueId a = net.valid(net.conv(at, 64), 96, 3, 1);
  const ValueId b = net.valid(net.columns(net.rows(net.conv(at, 64), 64, 7), 64, 7), 96, 3, 1);
  at = net.join_along(3, {a, b}, true);
  at = net.join_along(3, {net.valid(at, 192, 3, 2), net.greatest_of(at, 3, 2, false)});
  at = net.conv(at, 96);
  expect_family(net.ends({at}), Prove::asked);
}

Graph resnet50(int side, Trained trained) {
  Residual net(trained);
  ValueId at = net.pad(net.quantized(net.input(side, side, 3)), {3, 3, 3, 3, 0, 0});
  at = net.pad(net.conv(at, 64, Filter{7, 7, 2, false}), {1, 1, 1, 1, 0, 0});
  at = net.greatest_of(at, 3, 2, false);
  const int sizes[] = {64, 128, 256, 512}, counts[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    for (int k = 0; k < counts[stage]; ++k) {
      at = net.bottleneck(at, sizes[stage], k == 0 && stage > 0 ? 2 : 1, k == 0);
    }
  }
  return net.ends({net.softmax(net.dense(net.mean(at, {1, 2}), 1000))});
}

TEST(EdgetpuFamilies, ResNet50) { expect_family(resnet50(224, Trained::int8), Prove::asked); }

Graph mobilenet_v2(int side, Trained trained) {
  Mobile net(trained);
  ValueId at = net.conv(net.quantized(net.input(side, side, 3)), 32, 3, 2);
  at = net.inverted(at, 1, 16, 1);
  const int n[] = {24, 32, 64, 96, 160, 320}, count[] = {2, 3, 4, 3, 3, 1},
            stride[] = {2, 2, 2, 1, 2, 1};
  for (size_t k = 0; k < 6; ++k) {
    for (int i = 0; i < count[k]; ++i) at = net.inverted(at, 6, n[k], i == 0 ? stride[k] : 1);
  }
  at = net.conv(at, 1280);
  return net.ends({net.quantized(net.softmax(net.dense(net.mean(at, {1, 2}), 1000)))});
}

TEST(EdgetpuFamilies, MobileNetV2) {
  for (const int side : {224, 512, 640})
    expect_family(mobilenet_v2(side, Trained::int8), Prove::asked);
  expect_family(mobilenet_v2(224, Trained::uint8), Prove::asked);
}

TEST(EdgetpuFamilies, MobileNetV3) {
  Mobile net(Trained::int8);
  ValueId at = net.hard_swish(net.conv(net.input(224, 224, 3), 16, 3, 2, false));
  at = net.inverted(net.inverted(net.inverted(at, 1, 16, 1), 4, 24, 2), 3, 24, 1);
  at = net.conv(net.squeezed(net.deep(net.conv(at, 72), 5, 2)), 40, 1, 1, false);
  const ValueId wide = net.hard_swish(net.conv(at, 240, 1, 1, false));
  at = net.conv(net.hard_swish(net.deep(wide, 3, 2, false)), 80, 1, 1, false);
  at = net.conv(net.squeezed(net.hard_swish(net.deep(net.conv(at, 480), 3, 1))), 112, 1, 1, false);
  at = net.hard_swish(net.conv(net.mean(net.conv(at, 960), {1, 2}, true), 1280, 1, 1, false));
  expect_family(net.ends({net.softmax(net.reshape(net.conv(at, 1001, 1, 1, false), {1, 1001}))}),
                Prove::always);
}

TEST(EdgetpuFamilies, EfficientNetEdgeTpu) {
  for (const int side : {224, 300}) {
    Mobile net(side == 300 ? Trained::int8 : Trained::uint8);
    ValueId at = net.conv(net.input(side, side, 3), 32, 3, 2);
    at = net.fused(net.fused(at, 4, 24, 1), 8, 24, 1);
    at = net.fused(net.fused(net.fused(at, 8, 32, 2), 8, 32, 1), 8, 32, 1);
    at = net.fused(net.fused(at, 8, 48, 2), 8, 48, 1);
    at = net.inverted(net.inverted(at, 8, 96, 2), 8, 96, 1);
    at = net.inverted(net.inverted(at, 8, 144, 1, 5), 8, 144, 1, 5);
    at = net.inverted(net.inverted(at, 8, 160, 2, 5), 8, 160, 1, 5);
    at = net.conv(net.inverted(at, 8, 192, 1, 5), 1280);
    expect_family(net.ends({net.softmax(net.dense(net.mean(at, {1, 2}), 1001))}), Prove::asked);
  }
}

TEST(EdgetpuFamilies, SsdMobileNetV1) {
  Mobile net(Trained::uint8);
  ValueId at = net.conv(net.input(300, 300, 3), 32, 3, 2);
  const int n[] = {64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 1024, 1024};
  std::vector<ValueId> maps;
  for (size_t k = 0; k < 12; ++k) {
    at = net.separable(at, n[k], k == 1 || k == 3 || k == 5 || k == 10 ? 2 : 1);
    if (k == 9) maps.push_back(at);
  }
  maps.push_back(at);
  for (const int wide : {512, 256, 256, 128}) {
    at = net.conv(net.conv(at, wide / 2), wide, 3, 2);
    maps.push_back(at);
  }
  expect_family(net.ends(heads(net, maps, 6, 91)), Prove::asked);
}

TEST(EdgetpuFamilies, EfficientDet) {
  Mobile net(Trained::int8);
  ValueId at = net.conv(net.input(320, 320, 3), 32, 3, 2);
  at = net.inverted(at, 1, 16, 1);
  at = net.inverted(at, 6, 24, 2);
  const ValueId third = net.inverted(at, 6, 40, 2, 5), fourth = net.inverted(third, 6, 112, 2, 5);
  const ValueId fifth = net.inverted(fourth, 6, 320, 2, 5);
  std::vector<ValueId> map = {net.conv(third, 64, 1, 1, false), net.conv(fourth, 64, 1, 1, false),
                              net.conv(fifth, 64, 1, 1, false)};
  map.push_back(net.greatest_of(map[2], 3, 2));
  map.push_back(net.greatest_of(map[3], 3, 2));
  const auto side = [&](ValueId v) { return static_cast<int>(net.shape(v)[1]); };
  for (size_t k = 4; k-- > 0;) {
    const ValueId up = net.resized(OpKind::resize_nearest_neighbor, map[k + 1], side(map[k]),
                                   side(map[k]), false, false);
    map[k] = net.separable(net.sum(map[k], up), 64);
  }
  for (size_t k = 1; k < 5; ++k) {
    map[k] = net.separable(net.sum(map[k], net.greatest_of(map[k - 1], 3, 2)), 64);
  }
  for (ValueId& m : map) m = net.separable(m, 64);
  // The scores of 90 classes and their join do not fit beside each other.
  expect_family(net.ends(heads(net, map, 9, 20)), Prove::asked);
}

TEST(EdgetpuFamilies, UNetOfKeras) {
  for (const bool transposed : {true, false}) {
    FamilyNetwork net(Trained::int8);
    ValueId at = net.quantized(net.input(128, 128, 3));
    std::vector<ValueId> levels;
    int n = 16;
    for (int k = 0; k < 4; ++k, n *= 2) {
      levels.push_back(net.conv(net.conv(at, n, 3), n, 3));
      at = net.greatest_of(levels.back(), 2, 2, false);
    }
    at = net.conv(net.conv(at, n, 3), n, 3);
    for (size_t k = 4; k-- > 0;) {
      n /= 2;
      at = transposed ? net.transposed_conv(at, n, 2, 2) : net.conv(net.nearest(at, 2, 2), n, 3);
      at = net.conv(net.conv(net.join_along(3, {at, levels[k]}, true), n, 3), n, 3);
    }
    at = net.conv(at, 3, 1, 1, false);
    expect_family(net.ends({transposed ? net.softmax(at) : net.logistic(at)}), Prove::asked, 1,
                  {OpKind::softmax});
  }
}

TEST(EdgetpuFamilies, KeyWords) {
  FamilyNetwork tiny(Trained::uint8);
  const ValueId picture = tiny.reshape(tiny.input_of({1, 1960}), {1, 49, 40, 1});
  const ValueId wide = tiny.multiplied_deep(picture, 8, Filter{10, 8, 2});
  expect_family(tiny.ends({tiny.softmax(tiny.dense(wide, 4))}), Prove::always);
  FamilyNetwork ds(Trained::int8);
  ValueId at = ds.conv(ds.input(49, 10, 1), 64, Filter{10, 4, 2});
  for (int k = 0; k < 4; ++k) at = ds.conv(ds.deep(at, 3, 1), 64);
  expect_family(ds.ends({ds.softmax(ds.dense(ds.average(at), 12))}), Prove::always);
  Mobile yamnet(Trained::int8);
  at = yamnet.conv(yamnet.reshape(yamnet.input_of({1, 96, 64}), {1, 96, 64, 1}), 32, 3, 2);
  for (const int n : {64, 128, 128, 256, 256, 512, 512, 1024, 1024}) {
    at = yamnet.separable(at, n, n > yamnet.shape(at)[3] && n > 64 ? 2 : 1);
  }
  const ValueId embedding = yamnet.mean(at, {1, 2});
  expect_family(yamnet.ends({yamnet.logistic(yamnet.dense(embedding, 521)), embedding}),
                Prove::always);
  FamilyNetwork audio(Trained::int8);
  at = audio.greatest_of(audio.conv(audio.input(98, 50, 1), 32, 3, 1), 2, 2);
  at = audio.mean(audio.conv(at, 64, 3, 1), {1});
  expect_family(audio.ends({audio.softmax(audio.dense(audio.mean(audio.rows(at, 32), {1}), 10))}),
                Prove::always);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
