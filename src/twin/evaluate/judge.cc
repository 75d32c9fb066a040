#include "twin/evaluate/judge.h"
#include "evaluate/rules/rules.h"

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "decode/segmentation.h"
#include "image/image.h"
#include "twin/evaluate/espdl_objects.h"
#include "twin/values.h"

namespace edgetwin::twin {
namespace {

using evaluation::FoundObject;
using evaluation::Sample;
using evaluation::Task;

constexpr double kShareTolerance = 0.05;

Error not_of_task(const Judging& how, const std::string& what) {
  return Error(ErrorCode::decode_maps,
               what + ", which is not what " + std::string(evaluation::name(how.task)) + " judges");
}

// Outputs that are probabilities: none negative, together about 1.
bool are_shares(const std::vector<double>& scores) {
  double sum = 0.0;
  for (const double s : scores) {
    if (s < 0.0) return false;
    sum += s;
  }
  return std::abs(sum - 1.0) < kShareTolerance;
}

Result<Judged> judge_classes(const Sample& sample, const Run& run, const Runner& runner,
                             const Judging& how) {
  const bool planes = !runner.inputs().empty() && is_planes(runner.inputs()[0]);
  for (const Tensor& t : run.outputs) {
    std::optional<Tensor> moved;
    if (planes) moved = channels_last(t, ChannelPlace::planes);
    const Tensor& output = moved ? *moved : t;
    if (!is_classification(output)) continue;
    const std::vector<double> scores = reals(output);
    if (static_cast<size_t>(sample.truth.label) >= scores.size()) {
      return evaluation::broken(evaluation::Rule::set_label,
                                "class " + std::to_string(sample.truth.label) + " of '" +
                                    sample.name + "' is beyond the " +
                                    std::to_string(scores.size()) + " outputs");
    }
    Judged j;
    j.row = evaluation::classify_row(sample.truth.label, scores, are_shares(scores));
    return j;
  }
  return not_of_task(how, "no output is a list of classes");
}

std::vector<FoundObject> objects_of(const Decoded& decoded, const Prepared& p) {
  std::vector<FoundObject> all;
  const auto x_of = [&p](double x) { return (x - p.left) * p.scale_x; };
  const auto y_of = [&p](double y) { return (y - p.top) * p.scale_y; };
  for (const decode::Detection& d : decoded.boxes) {
    FoundObject o;
    o.category = d.class_index;
    o.score = d.score;
    const double x = x_of(d.x0), y = y_of(d.y0);
    o.box = {x, y, x_of(d.x1) - x, y_of(d.y1) - y};
    o.area = o.box[2] * o.box[3];
    all.push_back(std::move(o));
  }
  for (const decode::Person& person : decoded.people) {
    FoundObject o;
    o.score = person.score;
    double x0 = 1e300, y0 = 1e300, x1 = -1e300, y1 = -1e300;
    for (const decode::Keypoint& k : person.points) {
      const double x = x_of(k.x), y = y_of(k.y);
      o.keypoints.push_back(x);
      o.keypoints.push_back(y);
      x0 = std::min(x0, x), x1 = std::max(x1, x), y0 = std::min(y0, y), y1 = std::max(y1, y);
    }
    // As pycocotools' loadRes: the box around all key points.
    o.box = {x0, y0, x1 - x0, y1 - y0};
    o.area = o.box[2] * o.box[3];
    all.push_back(std::move(o));
  }
  return all;
}

Result<Decoded> decoded_of(const Prepared& p, const Run& run, const Runner& runner,
                           const Judging& how) {
  DecodeOptions options;
  options.decoder = how.decoder;
  options.threshold = how.threshold.value_or(0.0);
  return decode_outputs(run, runner, p.inputs, options);
}

Result<Judged> judge_objects(const Sample& sample, const Prepared& p, const Run& run,
                             const Runner& runner, const Judging& how) {
  const bool keypoints = how.task == Task::keypoints;
  if (is_espdl_decoder(how.task, how.decoder)) {
    Judged found;
    EDGETWIN_TRY_ASSIGN(found.objects, espdl_objects(p, run, how));
    found.row = evaluation::detect_row(sample.truth.objects, found.objects, keypoints);
    return found;
  }
  EDGETWIN_TRY_ASSIGN(const Decoded decoded, decoded_of(p, run, runner, how));
  if (decoded.meaning != (keypoints ? Meaning::people : Meaning::boxes)) {
    return not_of_task(how, "the decoder gives something else");
  }
  Judged j;
  j.objects = objects_of(decoded, p);
  j.row = evaluation::detect_row(sample.truth.objects, j.objects, keypoints);
  return j;
}

// A class of the mask that no output stands for. Maps of the classes themselves do not tell.
Status check_mask(const decode::ClassMap& truth, const Run& run) {
  const int64_t classes = run.outputs.empty() ? 0 : run.outputs[0].shape.back(0);
  if (classes < 2) return Ok{};
  for (const uint8_t c : truth.classes) {
    if (c < classes || c == decode::kNotJudged) continue;
    return evaluation::broken(evaluation::Rule::set_broken,
                              "its mask has class " + std::to_string(c) +
                                  ", the network has classes 0 to " + std::to_string(classes - 1));
  }
  return Ok{};
}

Result<Judged> judge_pixels(const Sample& sample, const Prepared& p, const Run& run,
                            const Runner& runner, const Judging& how) {
  EDGETWIN_TRY_ASSIGN(const Decoded decoded, decoded_of(p, run, runner, how));
  if (!decoded.segments) return not_of_task(how, "the decoder gives no classes of pixels");
  EDGETWIN_TRY_ASSIGN(const Bytes file, read_file(sample.truth.mask));
  EDGETWIN_TRY_ASSIGN(const Tensor picture, decode_image(file, sample.truth.mask));
  EDGETWIN_TRY_ASSIGN(const decode::ClassMap truth, decode::class_map_of_mask(picture));
  EDGETWIN_TRY(check_mask(truth, run));
  decode::ClassMap found = decode::resized(decoded.segments->map, truth.height, truth.width);
  Judged j;
  j.row = evaluation::segment_row(found.classes, truth.classes);
  j.classes = std::move(found.classes);
  return j;
}

std::vector<double> all_numbers(const Run& run) {
  std::vector<double> all;
  for (const Tensor& t : run.outputs) {
    const std::vector<double> some = reals(t);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Result<Judged> judge_numbers(const Sample& sample, const Run& run) {
  const std::vector<double> found = all_numbers(run);
  if (found.size() != sample.truth.numbers.size()) {
    return evaluation::broken(
        evaluation::Rule::set_truth,
        "'" + sample.name + "' has " + std::to_string(sample.truth.numbers.size()) +
            " true values, the network " + std::to_string(found.size()) + " outputs");
  }
  if (!std::ranges::all_of(found, [](double v) { return std::isfinite(v); })) {
    return evaluation::broken(evaluation::Rule::set_broken, "an output is not finite");
  }
  Judged j;
  j.row = evaluation::regress_row(found, sample.truth.numbers);
  return j;
}

// One output is the score; as many outputs as inputs are the input again, and the score is the mean
// of the squared differences.
Result<Judged> judge_anomaly(const Sample& sample, const Prepared& p, const Run& run,
                             const Judging& how) {
  const std::vector<double> found = all_numbers(run);
  double score = found.empty() ? 0.0 : found[0];
  if (found.size() != 1) {
    const std::vector<double> given = reals(p.inputs.tensors[0]);
    if (given.size() != found.size()) {
      return not_of_task(how, std::to_string(found.size()) + " outputs for " +
                                  std::to_string(given.size()) + " inputs");
    }
    score = 0.0;
    for (size_t i = 0; i < found.size(); ++i) {
      score += (found[i] - given[i]) * (found[i] - given[i]);
    }
    score /= static_cast<double>(found.size());
  }
  if (!std::isfinite(score))
    return evaluation::broken(evaluation::Rule::set_broken, "the score is not finite");
  Judged j;
  j.row = evaluation::anomaly_row(sample.truth.label, score);
  return j;
}

}  // namespace

std::vector<double> reals(const Tensor& t) {
  std::vector<double> all;
  const int64_t elements = t.shape.elements();
  all.reserve(static_cast<size_t>(elements));
  const bool bytes = t.dtype == DType::int8 || t.dtype == DType::uint8;
  if (bytes && t.quant.present() && !t.quant.per_channel()) {
    const auto zero = static_cast<double>(t.quant.zero_point_of(0));
    const auto scale = static_cast<double>(t.quant.scale_of(0));
    const bool is_signed = t.dtype == DType::int8;
    for (const std::byte b : t.data) {
      const int q = is_signed ? static_cast<int>(static_cast<int8_t>(b)) : std::to_integer<int>(b);
      all.push_back((static_cast<double>(q) - zero) * scale);
    }
    return all;
  }
  for (int64_t i = 0; i < elements; ++i) {
    const double raw = element_as_double(t.dtype, t.data, i);
    const auto channel = static_cast<size_t>(t.quant.per_channel() ? i : 0);
    const bool quantized = t.quant.present() && t.dtype != DType::float32;
    all.push_back(quantized ? (raw - static_cast<double>(t.quant.zero_point_of(channel))) *
                                  static_cast<double>(t.quant.scale_of(channel))
                            : raw);
  }
  return all;
}

Result<Judged> judge(const Sample& sample, const Prepared& prepared, const Run& run,
                     const Runner& runner, const Judging& how) {
  switch (how.task) {
    case Task::classify:
      return judge_classes(sample, run, runner, how);
    case Task::detect:
    case Task::keypoints:
      return judge_objects(sample, prepared, run, runner, how);
    case Task::segment:
      return judge_pixels(sample, prepared, run, runner, how);
    case Task::regress:
      return judge_numbers(sample, run);
    case Task::anomaly:
      return judge_anomaly(sample, prepared, run, how);
  }
  return Error(ErrorCode::internal, "a task without a judge");
}

evaluation::Agreed agreed(const Judged& a, const Judged& b) {
  if (!a.classes.empty()) {
    evaluation::Agreed pixels{0, static_cast<int64_t>(a.classes.size())};
    for (size_t i = 0; i < a.classes.size() && i < b.classes.size(); ++i) {
      pixels.same += a.classes[i] == b.classes[i];
    }
    return pixels;
  }
  return evaluation::agreed_boxes(a.objects, b.objects);
}

}  // namespace edgetwin::twin
