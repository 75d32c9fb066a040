// `demo simple_invoker`: any model of pictures, its outputs as numbers or as what they mean.
#include <algorithm>
#include <numeric>

#include "base/file.h"
#include "cli/demo/demo.h"
#include "decode/draw.h"
#include "decode/pose.h"
#include "decode/segmentation.h"
#include "edgetwin/decode.h"
#include "edgetwin/network.h"
#include "report/format.h"
#include "twin/decode/decode_text.h"
#include "twin/device.h"
#include "twin/load.h"
#include "twin/runners.h"
#include "twin/values.h"

namespace edgetwin::cli {
namespace {

using report::Json;

constexpr double kDrawnScore = 0.3;  // of a key point
constexpr size_t kMostNamed = 5;     // on a line

Result<std::unique_ptr<Runner>> runner_of(const DemoArguments& a) {
  if (a.device.device.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
    const FileKind kind = file_kind(data);
    OpenOptions open;
    // The arithmetic of the other formats follows from the format.
    const bool has_choice = kind == FileKind::tflite || kind == FileKind::edgetpu;
    if (has_choice || a.numerics != DemoArguments().numerics) open.numerics = a.numerics;
    EDGETWIN_TRY_ASSIGN(const Network network, Network::open(ByteSpan(data), a.model, open));
    RunnerOptions options;
    options.decoder = a.decode;
    return network.runner(options);
  }
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(a.model));
  twin::ComputeOptions compute;
  compute.numerics = a.numerics;
  EDGETWIN_TRY_ASSIGN(twin::DeviceRun run,
                      twin::open_on_device(ByteSpan(data), loaded, compute, a.device));
  const Where where = twin::is_virtual(a.device) ? Where::virtual_device : Where::device;
  return twin::device_runner(std::move(run), where, std::move(data));
}

// What was found, the most certain first, on one line.
std::string line_of(const Decoded& d) {
  std::vector<std::string> parts;
  if (d.segments) {
    const std::vector<int64_t> counts = decode::pixel_counts(d.segments->map);
    std::vector<size_t> order(counts.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return counts[a] > counts[b]; });
    const auto all = static_cast<double>(d.segments->map.height * d.segments->map.width);
    for (const size_t k : order) {
      if (counts[k] == 0) break;
      const Labels& names = d.segments->names;
      const std::string name = k < names.size() && !names[k].empty() ? names[k] : std::to_string(k);
      parts.push_back(name + " " + decimal(100.0 * static_cast<double>(counts[k]) / all, 1) + " %");
    }
  } else if (d.meaning == Meaning::boxes) {
    for (const decode::Detection& b : d.boxes) parts.push_back(b.name + " " + decimal(b.score));
  } else if (d.meaning == Meaning::people) {
    for (const decode::Person& p : d.people) parts.push_back("person " + decimal(p.score));
  } else {
    for (const RankedClass& c : d.classes) {
      parts.push_back((c.label.empty() ? std::to_string(c.index) : c.label) + " " +
                      decimal(c.score));
    }
  }
  std::string text;
  for (size_t k = 0; k < std::min(parts.size(), kMostNamed); ++k) {
    text += (k == 0 ? "" : "  ") + parts[k];
  }
  if (parts.size() > kMostNamed) text += "  and " + std::to_string(parts.size() - kMostNamed);
  return text.empty() ? "nothing" : text;
}

Status draw(Tensor& picture, const Decoded& d) {
  if (d.segments) {
    EDGETWIN_TRY_ASSIGN(picture, decode::draw_classes(picture, d.segments->map));
  }
  if (!d.people.empty()) {
    EDGETWIN_TRY_ASSIGN(picture, decode::draw_people(picture, d.people, kDrawnScore));
  }
  if (!d.boxes.empty()) {
    EDGETWIN_TRY_ASSIGN(picture, decode::draw_detections(picture, d.boxes));
  }
  return Ok{};
}

class InvokerDemo final : public Demo {
 public:
  InvokerDemo(const DemoArguments& a, std::unique_ptr<Runner> runner, Labels labels)
      : a_(a), runner_(std::move(runner)), labels_(std::move(labels)) {}

  Status open() override {
    const auto ports = runner_->inputs();
    if (ports.size() == 1) return Ok{};
    return Error(ErrorCode::module_model,
                 "the model has " + std::to_string(ports.size()) + " inputs; a picture fills one")
        .in_file(a_.model);
  }

  Result<std::string> observe(Tensor& picture, Json& row) override {
    Inputs inputs;
    inputs.picture = picture;
    const DecoderInfo* decoder = find_decoder(a_.decode);
    const Resize resize =
        decoder == nullptr ? Resize::nearest : static_cast<Resize>(decoder->resize);
    EDGETWIN_TRY_ASSIGN(Tensor input, twin::picture_for(runner_->inputs()[0], picture, {}, resize,
                                                        twin::rounding_of(runner_->numerics())));
    inputs.tensors.push_back(std::move(input));
    EDGETWIN_TRY_ASSIGN(const Run run, runner_->run(inputs.tensors));
    if (a_.decode.empty()) return largest(run.outputs.front(), row);
    DecodeOptions options;
    options.decoder = a_.decode;
    options.threshold = a_.score;
    options.labels = labels_;
    EDGETWIN_TRY_ASSIGN(const Decoded decoded, decode_outputs(run, *runner_, inputs, options));
    row.set(twin::member_of(decoded), twin::to_json(decoded));
    EDGETWIN_TRY(draw(picture, decoded));
    return line_of(decoded);
  }

 private:
  // The largest numbers of an output of whatever type.
  Result<std::string> largest(const Tensor& output, Json& row) const {
    const Tensor reals = twin::reals_of(output);
    const auto values = reals.as<float>();
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const size_t shown = std::min(kMostNamed, order.size());
    const auto larger = [&](size_t a, size_t b) {
      return values[a] != values[b] ? values[a] > values[b] : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<int64_t>(shown), order.end(),
                      larger);
    std::string text;
    Json best = Json::array();
    for (size_t i = 0; i < shown; ++i) {
      const size_t k = order[i];
      const bool named = k < labels_.size() && !labels_[k].empty();
      const auto value = static_cast<double>(values[k]);
      text += (i > 0 ? "  " : "") + std::to_string(k) + (named ? " " + labels_[k] : "") + ": " +
              decimal(value);
      Json one = Json::object();
      one.set("index", k).set("value", value);
      if (named) one.set("label", labels_[k]);
      best.push(std::move(one));
    }
    row.set("largest", std::move(best));
    return text;
  }

  DemoArguments a_;
  std::unique_ptr<Runner> runner_;
  Labels labels_;
};

}  // namespace

MadeDemo invoker_demo(const DemoArguments& a) {
  Labels labels;
  if (!a.labels.empty()) {
    EDGETWIN_TRY_ASSIGN(labels, read_labels(a.labels));
  }
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<Runner> runner, runner_of(a));
  return std::unique_ptr<Demo>(
      std::make_unique<InvokerDemo>(a, std::move(runner), std::move(labels)));
}

}  // namespace edgetwin::cli
