// Maps with any numbers in any small shape through every decoder: a result within its limits, or an
// error.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "decode/bodypix.h"
#include "decode/movenet.h"
#include "decode/posenet.h"
#include "decode/ssd.h"

namespace {

using namespace edgetwin;

struct Input {
  const uint8_t* data;
  size_t size;

  uint8_t byte() {
    if (size == 0) return 0;
    --size;
    return *data++;
  }
};

// Floats and bytes whose values start with what is left of the input.
Tensor map(const char* name, Shape shape, Input& in) {
  const bool real = in.byte() % 2 == 0;
  Tensor t = *Tensor::zeros(real ? DType::float32 : DType::uint8, shape);
  t.name = name;
  if (!real) t.quant = Quant::affine(static_cast<float>(in.byte()) / 16.0F, in.byte());
  const size_t bytes = std::min(in.size, t.data.size());
  std::memcpy(t.data.data(), in.data, bytes);
  in.data += bytes / 2, in.size -= bytes / 2;
  return t;
}

void check(bool ok) {
  if (!ok) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input in{data, size};
  const int64_t h = in.byte() % 5 + 1, w = in.byte() % 5 + 1;
  PosenetAttrs options;
  options.max_detections = in.byte() % 8;
  options.score_threshold = static_cast<float>(in.byte()) / 200.0F;
  options.stride = in.byte() % 33;
  const std::array maps = {
      map("heatmap", {1, h, w, 17}, in), map("short_offset", {1, h, w, 34}, in),
      map("mid", {1, h, w, 64}, in),     map("fwd", {1, h, w, 32}, in),
      map("bwd", {1, h, w, 32}, in),     map("segment", {1, h, w, 1}, in),
      map("part", {1, h, w, 24}, in)};
  const auto poses = decode::posenet_poses(maps, options);
  if (poses.ok()) check(poses->size() <= static_cast<size_t>(options.max_detections));
  decode::MultiposeOptions multi;
  multi.most = options.max_detections;
  multi.stride = options.stride;
  const auto people = decode::decode_multipose(maps, multi);
  if (people.ok()) check(people->size() <= static_cast<size_t>(multi.most));
  const auto parts = decode::decode_bodypix(maps, 0.5);
  check(parts.ok() && parts->classes.size() == static_cast<size_t>(h * w));
  (void)decode::decode_movenet(map("out", {1, h, 56}, in), 100, 100, 0.1);
  decode::SsdOptions ssd;
  ssd.attributes.max_detections = in.byte() % 9;
  ssd.attributes.max_classes_per_detection = in.byte() % 3;
  ssd.attributes.num_classes = in.byte() % 5;
  ssd.attributes.use_regular_nms = in.byte() % 2 == 0;
  ssd.attributes.y_scale = ssd.attributes.x_scale = 10.0F;
  ssd.attributes.h_scale = ssd.attributes.w_scale = 5.0F;
  ssd.attributes.nms_iou_threshold = 0.6F;
  ssd.picture_width = 64, ssd.picture_height = 32;
  const auto boxes = decode::decode_ssd(map("boxes", {1, h, 4}, in), map("scores", {1, h, w}, in),
                                        map("anchors", {h, 4}, in), ssd);
  if (!boxes.ok()) return 0;
  for (const auto& b : *boxes) check(b.x0 >= 0.0 && b.x1 <= 64.0 && b.y0 >= 0.0 && b.y1 <= 32.0);
  return 0;
}
