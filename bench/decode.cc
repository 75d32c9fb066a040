// How fast outputs become boxes, people and classes, on maps of the sizes that real networks have.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/rng.h"
#include "decode/posenet.h"
#include "decode/segmentation.h"
#include "decode/ssd.h"

namespace {

using namespace edgetwin;

template <class Work>
void measure(const char* what, const Work& work) {
  double best = 1e9;
  for (int i = 0; i < 100; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const size_t found = work();
    asm volatile("" : : "r"(found) : "memory");
    const std::chrono::duration<double, std::micro> t = std::chrono::steady_clock::now() - begin;
    best = std::min(best, t.count());
  }
  std::printf("%-44s %9.1f us, %zu found\n", what, best, work());
}

Tensor bytes(const char* name, const Shape& shape, float scale, int zero_point, uint32_t seed) {
  Tensor t = *Tensor::zeros(DType::uint8, shape);
  t.name = name;
  t.quant = Quant::affine(scale, zero_point);
  XorShift32 random(seed);
  for (std::byte& b : t.data) b = static_cast<std::byte>(random.byte());
  return t;
}

}  // namespace

int main() {
  std::vector<Tensor> pose = {bytes("heatmaps", {1, 31, 41, 17}, 0.09F, 200, 1),
                              bytes("short_offsets", {1, 31, 41, 34}, 0.4F, 128, 2),
                              bytes("mid_offsets", {1, 31, 41, 64}, 0.8F, 128, 3)};
  // A picture with few people: in most blocks nothing is near.
  for (size_t i = 0; i < pose[0].data.size(); ++i) {
    if (i / 17 % 97 != 0) pose[0].data[i] = pose[0].data[i] >> 1;
  }
  PosenetAttrs options;
  options.max_detections = 20;
  options.score_threshold = 0.2F;
  measure("PoseNet 481 x 641, 31 x 41 blocks",
          [&] { return decode::posenet_poses(pose, options)->size(); });
  const std::vector<Tensor> multi = {bytes("heatmap", {1, 17, 17, 17}, 0.09F, 220, 4),
                                     bytes("offset_2", {1, 17, 17, 34}, 0.2F, 128, 5),
                                     bytes("displacement_fwd_2", {1, 17, 17, 32}, 0.5F, 128, 6),
                                     bytes("displacement_bwd_2", {1, 17, 17, 32}, 0.5F, 128, 7)};
  measure("MultiPose 257 x 257, 17 x 17 blocks",
          [&] { return decode::decode_multipose(multi, {})->size(); });
  decode::SsdOptions ssd;
  ssd.attributes.max_detections = 20, ssd.attributes.max_classes_per_detection = 1;
  ssd.attributes.num_classes = 90;
  ssd.attributes.nms_score_threshold = 0.3F, ssd.attributes.nms_iou_threshold = 0.6F;
  ssd.attributes.y_scale = ssd.attributes.x_scale = 10.0F;
  ssd.attributes.h_scale = ssd.attributes.w_scale = 5.0F;
  ssd.picture_width = ssd.picture_height = 300;
  const Tensor boxes = bytes("boxes", {1, 1917, 4}, 0.08F, 128, 8);
  Tensor scores = bytes("scores", {1, 1917, 91}, 1.0F / 256, 0, 9);
  // Few anchors see something.
  for (size_t i = 0; i < scores.data.size(); ++i) {
    if (i / 91 % 50 != 0) scores.data[i] = scores.data[i] >> 4;
  }
  Tensor anchors = bytes("anchors", {1917, 4}, 1.0F / 256, 0, 10);
  for (std::byte& b : anchors.data) b |= std::byte{1};
  measure("SSD 300 x 300, 1917 anchors, 91 classes",
          [&] { return decode::decode_ssd(boxes, scores, anchors, ssd)->size(); });
  ssd.attributes.use_regular_nms = true;
  ssd.attributes.detections_per_class = 100;
  measure("the same, suppression per class",
          [&] { return decode::decode_ssd(boxes, scores, anchors, ssd)->size(); });
  const Tensor logits = bytes("logits", {1, 513, 513, 21}, 0.1F, 128, 11);
  measure("DeepLab 513 x 513, 21 classes",
          [&] { return decode::class_map(logits)->classes.size(); });
}
