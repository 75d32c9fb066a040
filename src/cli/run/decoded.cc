#include "cli/run/decoded.h"

#include <algorithm>
#include <cmath>

#include "decode/bodypix.h"
#include "decode/classify.h"
#include "decode/draw.h"
#include "decode/movenet.h"
#include "decode/posenet.h"
#include "decode/ssd.h"
#include "decode/yolo26.h"
#include "image/image.h"
#include "transform/subgraph.h"

namespace edgetwin::cli {
namespace {

constexpr size_t kBestClasses = 5;
constexpr double kDrawnKeypoints = 0.3;  // those of a lower score are not drawn

// The network's input as a picture again: bytes as they are, real 0..1 becomes 0..255.
Result<Tensor> picture_of_input(const exec::Session& session, const Tensor& input) {
  const Shape& s = session.shape(session.graph().inputs[0]);
  if (s.rank() != 4 || s[0] != 1 || s[3] != 3) {
    return Error(ErrorCode::decode_maps,
                 "the input is " + to_string(s) + ", a picture 1xHxWx3 is needed");
  }
  EDGETWIN_TRY_ASSIGN(Tensor picture, Tensor::zeros(DType::uint8, {s[1], s[2], 3}));
  const bool affine = input.quant.scheme == Quant::Scheme::affine;
  const bool bytes = affine && (input.dtype == DType::uint8 || input.dtype == DType::int8);
  const double scale = bytes ? 1.0 : static_cast<double>(input.quant.scale_of(0) * 255.0F);
  const double shift = bytes && input.dtype == DType::int8 ? 128.0 : 0.0;
  for (size_t i = 0; i < picture.data.size(); ++i) {
    const double q = element_as_double(input.dtype, input.data, static_cast<int64_t>(i));
    const double level = std::round(q * scale + shift);
    picture.as<uint8_t>()[i] = static_cast<uint8_t>(std::clamp(level, 0.0, 255.0));
  }
  return picture;
}

// Grey in three channels, so that it can be drawn on in colour.
Tensor in_colour(const Tensor& picture) {
  if (picture.shape.rank() != 3 || picture.shape[2] != 1) return picture;
  Tensor colour = picture;
  colour.shape[2] = 3;
  colour.data.clear();
  for (const std::byte b : picture.data) colour.data.insert(colour.data.end(), 3, b);
  return colour;
}

// What all decoders are given.
struct Task {
  const RunArguments& a;
  const Graph& graph;
  std::vector<Tensor> outputs;
  Tensor picture;  // without data where there is none
  int64_t input_height = 0, input_width = 0;
  bool input_is_picture = false;
  const Labels& labels;
  const std::optional<PosenetAttrs>& pose_options;

  double threshold(double otherwise) const { return a.threshold.value_or(otherwise); }
  int64_t picture_height() const { return picture.data.empty() ? input_height : picture.shape[0]; }
  int64_t picture_width() const { return picture.data.empty() ? input_width : picture.shape[1]; }
  std::vector<decode::Person> in_picture(std::vector<decode::Person> people) const {
    const auto factor = [](int64_t to, int64_t from) {
      return from > 0 ? static_cast<double>(to) / static_cast<double>(from) : 1.0;
    };
    return decode::scaled(std::move(people), factor(picture_width(), input_width),
                          factor(picture_height(), input_height));
  }
};

Status yolo26(const Task& t, Decoded& d) {
  decode::Yolo26Options options;
  options.threshold = t.threshold(options.threshold);
  options.input_height = static_cast<int>(t.input_height);
  options.input_width = static_cast<int>(t.input_width);
  options.picture_height = static_cast<int>(t.picture.shape[0]);
  options.picture_width = static_cast<int>(t.picture.shape[1]);
  options.names = t.labels;
  EDGETWIN_TRY_ASSIGN(d.boxes, decode::decode_yolo26(t.outputs, options));
  return Ok{};
}

Status ssd(const Task& t, Decoded& d) {
  decode::SsdOptions options;
  options.threshold = t.threshold(options.threshold);
  // Parts of the picture where its size is not known.
  options.picture_height = t.input_is_picture || !t.picture.data.empty() ? t.picture_height() : 1;
  options.picture_width = t.input_is_picture || !t.picture.data.empty() ? t.picture_width() : 1;
  options.names = t.labels;
  EDGETWIN_TRY_ASSIGN(d.boxes, decode::ssd_detections(t.outputs, options));
  return Ok{};
}

// The decoder's own outputs where it was computed, else the maps.
Status posenet(const Task& t, Decoded& d) {
  const Op* op = transform::find_op(t.graph, OpKind::posenet_decoder);
  PosenetAttrs options = t.pose_options.value_or(PosenetAttrs{});
  if (op != nullptr && op->outputs == t.graph.outputs) {
    EDGETWIN_TRY_ASSIGN(d.people, decode::people_of_outputs(t.outputs));
  } else {
    if (t.a.threshold) options.score_threshold = static_cast<float>(*t.a.threshold);
    EDGETWIN_TRY_ASSIGN(const auto poses, decode::posenet_poses(t.outputs, options));
    d.people = decode::people_of(poses);
  }
  std::erase_if(d.people, [&t](const decode::Person& p) { return p.score < t.threshold(0.0); });
  d.people = t.in_picture(std::move(d.people));
  return Ok{};
}

Status multipose(const Task& t, Decoded& d) {
  decode::MultiposeOptions options;
  options.threshold = t.threshold(options.threshold);
  EDGETWIN_TRY_ASSIGN(d.people, decode::decode_multipose(t.outputs, options));
  d.people = t.in_picture(std::move(d.people));
  return Ok{};
}

Status movenet(const Task& t, Decoded& d) {
  if (t.outputs.size() != 1) {
    return Error(ErrorCode::decode_maps,
                 "the model has " + std::to_string(t.outputs.size()) + " outputs, MoveNet has one");
  }
  EDGETWIN_TRY_ASSIGN(d.people, decode::decode_movenet(t.outputs[0], t.picture_width(),
                                                       t.picture_height(), t.threshold(0.0)));
  return Ok{};
}

Status deeplab(const Task& t, Decoded& d) {
  if (t.outputs.size() != 1) {
    return Error(ErrorCode::decode_maps, "the model has " + std::to_string(t.outputs.size()) +
                                             " outputs, a map of classes is one");
  }
  EDGETWIN_TRY_ASSIGN(decode::ClassMap map, decode::class_map(t.outputs[0]));
  std::vector<std::string> names = t.labels;
  if (names.empty()) names.assign(decode::kPascalNames.begin(), decode::kPascalNames.end());
  d.segments = Segments{std::move(map), std::move(names)};
  return Ok{};
}

Status bodypix(const Task& t, Decoded& d) {
  EDGETWIN_TRY_ASSIGN(decode::ClassMap map, decode::decode_bodypix(t.outputs, t.threshold(0.5)));
  std::vector<std::string> names = {"no person"};
  names.insert(names.end(), decode::kBodyParts.begin(), decode::kBodyParts.end());
  d.segments = Segments{std::move(map), std::move(names)};
  if (!t.pose_options) return Ok{};
  EDGETWIN_TRY_ASSIGN(const auto poses, decode::posenet_poses(t.outputs, *t.pose_options));
  d.people = t.in_picture(decode::people_of(poses));
  return Ok{};
}

Status classify(const Task& t, Decoded& d) {
  const auto found = std::find_if(t.outputs.begin(), t.outputs.end(), decode::is_classification);
  if (found == t.outputs.end()) {
    return Error(ErrorCode::decode_maps, "no output is a list of classes");
  }
  d.classes = best_classes(*found, t.labels, kBestClasses);
  std::erase_if(d.classes, [&t](const Ranked& r) {
    return t.a.threshold.has_value() && r.score < *t.a.threshold;
  });
  return Ok{};
}

struct Decoder {
  const char* name;
  DecodedKind kind;
  Resize resize;
  Status (*run)(const Task& task, Decoded& decoded);
};

constexpr std::array kDecoders = {
#define DECODER(name, result, resize, meaning) \
  Decoder{#name, DecodedKind::result, Resize::resize, name},
#include "decode/decoders.def"
#undef DECODER
};

Result<Tensor> drawn(const Task& t, const Decoded& d) {
  Tensor picture = t.picture;
  if (d.segments) {
    EDGETWIN_TRY_ASSIGN(picture, decode::draw_classes(picture, d.segments->map));
  }
  if (!d.people.empty()) {
    EDGETWIN_TRY_ASSIGN(picture, decode::draw_people(picture, d.people, kDrawnKeypoints));
  }
  if (d.kind == DecodedKind::classes) return decode::draw_lines(picture, class_lines(d));
  return decode::draw_detections(picture, d.boxes);
}

}  // namespace

std::string decoder_names() {
  std::string names;
  for (const Decoder& d : kDecoders) names += (names.empty() ? "" : ", ") + std::string(d.name);
  return names;
}

Resize resize_for(const std::string& decoder) {
  for (const Decoder& d : kDecoders) {
    if (decoder == d.name) return d.resize;
  }
  return Resize::nearest;
}

twin::LoadedModel with_maps(const twin::LoadedModel& loaded, const std::string& decoder,
                            std::optional<PosenetAttrs>& options) {
  const Graph& graph = loaded.model->main();
  const Op* op = transform::find_op(graph, OpKind::posenet_decoder);
  if (op == nullptr || (decoder != "posenet" && decoder != "bodypix")) return loaded;
  options = op->as<PosenetAttrs>();
  if (decoder == "posenet" && op->inputs.size() == 3) return loaded;
  std::vector<ValueId> outputs = op->inputs;
  for (const ValueId id : graph.outputs) {
    const bool of_decoder =
        std::find(op->outputs.begin(), op->outputs.end(), id) != op->outputs.end();
    if (!of_decoder && std::find(outputs.begin(), outputs.end(), id) == outputs.end()) {
      outputs.push_back(id);
    }
  }
  std::erase(outputs, kAbsent);
  Model model = *loaded.model;
  model.graphs.front() = transform::part_for(graph, std::move(outputs));
  twin::LoadedModel changed = loaded;
  changed.model = std::make_shared<const Model>(std::move(model));
  return changed;
}

Result<Decoded> decode_outputs(const RunArguments& a, const exec::Session& session,
                               const twin::LoadedInputs& inputs, const Labels& labels,
                               const std::optional<PosenetAttrs>& pose_options) {
  const auto decoder = std::find_if(kDecoders.begin(), kDecoders.end(),
                                    [&a](const Decoder& d) { return a.decode == d.name; });
  if (decoder == kDecoders.end()) {
    return Error(ErrorCode::usage, "there is no decoder '" + a.decode + "'")
        .with_hint("Known are " + decoder_names() + ".");
  }
  Task task{a, session.graph(), {}, {}, 0, 0, false, labels, pose_options};
  for (size_t i = 0; i < session.graph().outputs.size(); ++i) {
    task.outputs.push_back(session.output(i));
  }
  const bool maps_only = decoder->kind != DecodedKind::boxes && a.image.empty();
  if (inputs.picture) {
    task.picture = in_colour(*inputs.picture);
  } else if (!inputs.tensors.empty() && !maps_only && a.decode != "ssd") {
    EDGETWIN_TRY_ASSIGN(task.picture,
                        picture_of_input(session, session.tensor(session.graph().inputs[0])));
  }
  const Shape& in = session.shape(session.graph().inputs[0]);
  if (in.rank() == 4) task.input_height = in[1], task.input_width = in[2];
  task.input_is_picture = in.rank() == 4 && (in[3] == 1 || in[3] == 3);
  Decoded decoded;
  decoded.kind = decoder->kind;
  EDGETWIN_TRY(decoder->run(task, decoded));
  if (a.image.empty()) return decoded;
  decoded.png = a.image.path;
  EDGETWIN_TRY_ASSIGN(const Tensor picture, drawn(task, decoded));
  EDGETWIN_TRY_ASSIGN(decoded.picture, encode_png(picture));
  return decoded;
}

}  // namespace edgetwin::cli
