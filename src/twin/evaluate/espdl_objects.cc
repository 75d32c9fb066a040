#include "twin/evaluate/espdl_objects.h"

#include <algorithm>

#include "decode/espdl/decode.h"

namespace edgetwin::twin {
namespace {

using evaluation::FoundObject;
using evaluation::Task;

struct EspdlDecoder {
  std::string_view name;
  Task task;
  bool of_input;  // its boxes are in pixels of the input
};
constexpr EspdlDecoder kDecoders[] = {
    {"espdl-yolo11", Task::detect, false}, {"espdl-seg", Task::detect, false},
    {"espdl-espdet", Task::detect, false}, {"espdl-pico", Task::detect, false},
    {"espdl-msr", Task::detect, false},    {"espdl-yolo26", Task::detect, true},
    {"espdl-pose", Task::keypoints, false}};

// Figures over all recalls want weak objects too; the published models leave out what is below 0.25
// and keep 10. COCO counts 100 of a category.
constexpr double kWeakest = 0.001;
constexpr int kMostObjects = 300;

espdl_decode::Params params_of(const Prepared& p, const Judging& how) {
  espdl_decode::Params params;
  params.source = {static_cast<int>(p.width), static_cast<int>(p.height)};
  params.input = {static_cast<int>(p.input_width), static_cast<int>(p.input_height)};
  params.letterbox = p.letterboxed;
  params.chip = p.chip;
  params.score_threshold = static_cast<float>(how.threshold.value_or(kWeakest));
  params.top_k = kMostObjects;
  return params;
}

FoundObject object_of(const espdl_decode::Detection& d, double scale_x, double scale_y) {
  FoundObject o;
  o.category = d.category;
  o.score = static_cast<double>(d.score);
  double x0 = d.box[0] * scale_x, y0 = d.box[1] * scale_y;
  double x1 = d.box[2] * scale_x, y1 = d.box[3] * scale_y;
  for (size_t i = 0; i + 1 < d.keypoints.size(); i += 2) {
    const double x = d.keypoints[i] * scale_x, y = d.keypoints[i + 1] * scale_y;
    o.keypoints.push_back(x);
    o.keypoints.push_back(y);
    // As pycocotools' loadRes: the box around all key points.
    x0 = i == 0 ? x : std::min(x0, x), x1 = i == 0 ? x : std::max(x1, x);
    y0 = i == 0 ? y : std::min(y0, y), y1 = i == 0 ? y : std::max(y1, y);
  }
  o.box = {x0, y0, x1 - x0, y1 - y0};
  o.area = o.box[2] * o.box[3];
  return o;
}

}  // namespace

std::vector<std::string_view> espdl_decoders(Task task) {
  std::vector<std::string_view> names;
  for (const EspdlDecoder& d : kDecoders) {
    if (d.task == task) names.push_back(d.name);
  }
  return names;
}

bool is_espdl_decoder(Task task, std::string_view name) {
  return std::ranges::count(espdl_decoders(task), name) > 0;
}

Result<std::vector<FoundObject>> espdl_objects(const Prepared& p, const Run& run,
                                               const Judging& how) {
  EDGETWIN_TRY_ASSIGN(const espdl_decode::Decoded decoded,
                      espdl_decode::decode(how.decoder, run.outputs, params_of(p, how)));
  const auto* row = std::ranges::find(kDecoders, how.decoder, &EspdlDecoder::name);
  const bool of_input = row != std::end(kDecoders) && row->of_input;
  const auto ratio = [of_input](int64_t picture, int64_t input) {
    return of_input && input > 0 ? static_cast<double>(picture) / static_cast<double>(input) : 1.0;
  };
  std::vector<FoundObject> objects;
  for (const espdl_decode::Detection& d :
       decoded.detections.value_or(std::vector<espdl_decode::Detection>{})) {
    // Only the key points of poses are judged; faces have five of their own.
    espdl_decode::Detection one = d;
    if (how.task != Task::keypoints) one.keypoints.clear();
    objects.push_back(
        object_of(one, ratio(p.width, p.input_width), ratio(p.height, p.input_height)));
  }
  return objects;
}

}  // namespace edgetwin::twin
