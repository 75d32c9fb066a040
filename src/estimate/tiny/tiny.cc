// Source: the descriptions of MLPerf Tiny (Banbury et al., 2021): ResNet-8 on CIFAR-10, DS-CNN on
// speech commands, MobileNetV1 0.25 on visual wake words, the dense autoencoder on ToyADMOS. Batch
// norm is folded into the convolutions.
#include "estimate/tiny/tiny.h"

#include "estimate/tiny/maker.h"

namespace edgetwin::estimates {
namespace {

constexpr Kernel kThree = {};
constexpr Kernel kThreeStride = {3, 3, 2, 0, 0, 1, 1};  // "same" of an even size
constexpr Kernel kOne = {1, 1, 1, 0, 0, 0, 0};
constexpr Kernel kOneStride = {1, 1, 2, 0, 0, 0, 0};

std::string residual(TinyMaker& m, const std::string& from, int64_t channels, bool half) {
  const std::string a = m.relu(m.conv(from, channels, half ? kThreeStride : kThree));
  const std::string b = m.conv(a, channels, kThree);
  const std::string shortcut = half ? m.conv(from, channels, kOneStride) : from;
  return m.relu(m.add(b, shortcut));
}

Result<TinyNetwork> resnet8(uint32_t seed) {
  TinyMaker m("ic_resnet8", {1, 3, 32, 32}, seed);
  std::string x = m.relu(m.conv("input", 16, kThree));
  x = residual(m, x, 16, false);
  x = residual(m, x, 32, true);
  x = residual(m, x, 64, true);
  x = m.dense(m.flatten(m.average(x, 8, 8)), 10);
  return std::move(m).finish(m.softmax(x), "image classification, ResNet-8, 3x32x32");
}

Result<TinyNetwork> ds_cnn(uint32_t seed) {
  TinyMaker m("kws_dscnn", {1, 1, 49, 10}, seed);
  std::string x = m.relu(m.conv("input", 64, {10, 4, 2, 4, 1, 5, 1}));
  for (int i = 0; i < 4; ++i) {
    x = m.relu(m.conv(x, 64, kThree, true));
    x = m.relu(m.conv(x, 64, kOne));
  }
  x = m.dense(m.flatten(m.average(x, 25, 5)), 12);
  return std::move(m).finish(m.softmax(x), "key words, DS-CNN, 1x49x10");
}

Result<TinyNetwork> mobilenet(uint32_t seed) {
  TinyMaker m("vww_mobilenet", {1, 3, 96, 96}, seed);
  std::string x = m.relu(m.conv("input", 8, kThreeStride));
  constexpr std::pair<int, bool> kBlocks[] = {
      {16, false},  {32, true},   {32, false},  {64, true},   {64, false},
      {128, true},  {128, false}, {128, false}, {128, false}, {128, false},
      {128, false}, {256, true},  {256, false}};
  int64_t channels = 8;
  for (const auto& [outputs, half] : kBlocks) {
    x = m.relu(m.conv(x, channels, half ? kThreeStride : kThree, true));
    x = m.relu(m.conv(x, outputs, kOne));
    channels = outputs;
  }
  x = m.dense(m.flatten(m.average(x, 3, 3)), 2);
  return std::move(m).finish(m.softmax(x), "visual wake words, MobileNetV1 0.25, 3x96x96");
}

Result<TinyNetwork> autoencoder(uint32_t seed) {
  TinyMaker m("ad_autoencoder", {1, 640}, seed);
  std::string x = "input";
  for (const int64_t outputs : {128, 128, 128, 128, 8, 128, 128, 128, 128}) {
    x = m.relu(m.dense(x, outputs));
  }
  x = m.dense(x, 640);
  return std::move(m).finish(x, "anomaly detection, dense autoencoder, 640");
}

}  // namespace

Result<std::vector<TinyNetwork>> tiny_networks(uint32_t seed) {
  std::vector<TinyNetwork> all;
  for (const auto make : {resnet8, ds_cnn, mobilenet, autoencoder}) {
    EDGETWIN_TRY_ASSIGN(TinyNetwork network, make(seed));
    all.push_back(std::move(network));
  }
  return all;
}

}  // namespace edgetwin::estimates
