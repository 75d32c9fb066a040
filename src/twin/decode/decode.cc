#include "edgetwin/decode.h"

#include <algorithm>
#include <cmath>

#include "decode/bodypix.h"
#include "decode/draw.h"
#include "decode/movenet.h"
#include "decode/part.h"
#include "decode/posenet.h"
#include "decode/ssd.h"
#include "decode/yolo26.h"
#include "image/image.h"
#include "transform/subgraph.h"
#include "twin/decode/decode_tensors.h"
#include "twin/decode/decode_text.h"
#include "twin/values.h"

namespace edgetwin {
namespace {

constexpr size_t kBestClasses = 5;
constexpr double kDrawnKeypoints = 0.3;  // those of a lower score are not drawn

// The network's input as a picture again: bytes as they are, real 0..1 becomes 0..255.
Result<Tensor> picture_of_input(const Port& port, const Tensor& given) {
  const bool planes = twin::is_planes(port);
  const Tensor input = planes ? twin::channels_last(given, twin::ChannelPlace::planes) : given;
  const Shape& s = planes ? input.shape : port.shape;
  if ((s.rank() != 4 || s[0] != 1 || s[3] != 3) && !(planes && s.back(0) == 3)) {
    return Error(ErrorCode::decode_maps,
                 "the input is " + to_string(s) + ", a picture 1xHxWx3 is needed");
  }
  EDGETWIN_TRY_ASSIGN(Tensor picture, Tensor::zeros(DType::uint8, {s.back(2), s.back(1), 3}));
  const bool affine = port.quant.scheme == Quant::Scheme::affine;
  const bool bytes =
      planes || (affine && (port.dtype == DType::uint8 || port.dtype == DType::int8));
  const double scale = bytes ? 1.0 : static_cast<double>(port.quant.scale_of(0) * 255.0F);
  const double shift = bytes && port.dtype == DType::int8 ? 128.0 : 0.0;
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
  const DecodeOptions& a;
  const Graph* graph;  // null: the outputs are those of no graph
  std::vector<Tensor> outputs;
  Tensor picture;  // without data where there is none
  int64_t input_height = 0, input_width = 0;
  bool input_is_picture = false;
  const Labels& labels;
  std::optional<PosenetAttrs> pose_options;

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
  const Op* op =
      t.graph != nullptr ? transform::find_op(*t.graph, OpKind::posenet_decoder) : nullptr;
  PosenetAttrs options = t.pose_options.value_or(PosenetAttrs{});
  if (op != nullptr && op->outputs == t.graph->outputs) {
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
  const auto found = std::find_if(t.outputs.begin(), t.outputs.end(), is_classification);
  if (found == t.outputs.end()) {
    return Error(ErrorCode::decode_maps, "no output is a list of classes");
  }
  d.classes = best_classes(*found, t.labels, kBestClasses);
  std::erase_if(d.classes, [&t](const RankedClass& r) {
    return t.a.threshold.has_value() && r.score < *t.a.threshold;
  });
  return Ok{};
}

constexpr std::array kDecoders = {
#define DECODER(name, result, resize, meaning) \
  DecoderInfo{#name, Meaning::result, PictureOptions::Resize::resize, meaning},
#include "decode/decoders.def"
#undef DECODER
};

using Decode = Status (*)(const Task& task, Decoded& decoded);
constexpr std::array kFunctions = {
#define DECODER(name, result, resize, meaning) Decode{name},
#include "decode/decoders.def"
#undef DECODER
};

std::string decoder_names() {
  std::string names;
  for (const DecoderInfo& d : kDecoders) {
    names += (names.empty() ? "" : ", ") + std::string(d.name);
  }
  return names;
}

Result<Tensor> drawn(const Task& t, const Decoded& d) {
  Tensor picture = t.picture;
  if (d.segments) {
    EDGETWIN_TRY_ASSIGN(picture, decode::draw_classes(picture, d.segments->map));
  }
  if (!d.people.empty()) {
    EDGETWIN_TRY_ASSIGN(picture, decode::draw_people(picture, d.people, kDrawnKeypoints));
  }
  if (d.meaning == Meaning::classes) {
    return decode::draw_lines(picture, twin::class_lines(d));
  };
  return decode::draw_detections(picture, d.boxes);
}

}  // namespace

std::span<const DecoderInfo> all_decoders() { return kDecoders; }

const DecoderInfo* find_decoder(std::string_view name) {
  const auto found = std::ranges::find(kDecoders, name, &DecoderInfo::name);
  return found == kDecoders.end() ? nullptr : &*found;
}

Result<Decoded> decode_outputs(const Run& run, const Runner& runner, const Inputs& inputs,
                               const DecodeOptions& options) {
  const auto* ported = dynamic_cast<const twin::PortedRunner*>(&runner);
  const twin::DecoderView view = ported != nullptr ? ported->decoder_view() : twin::DecoderView{};
  return twin::decode_tensors(run.outputs, runner.inputs(), view, inputs, options);
}

Result<Decoded> twin::decode_tensors(const std::vector<Tensor>& outputs,
                                     std::span<const Port> ports, const DecoderView& view,
                                     const Inputs& inputs, const DecodeOptions& options) {
  const DecoderInfo* decoder = find_decoder(options.decoder);
  if (decoder == nullptr) {
    return Error(ErrorCode::usage, "there is no decoder '" + options.decoder + "'")
        .with_hint("Known are " + decoder_names() + ".");
  }
  Task task{options, view.graph, outputs, {}, 0, 0, false, options.labels, view.pose_options};
  const bool planes = !ports.empty() && twin::is_planes(ports[0]);
  for (Tensor& t : task.outputs) {
    if (planes) t = twin::channels_last(t, twin::ChannelPlace::planes);
  }
  const bool maps_only = decoder->meaning != Meaning::boxes && !options.draw;
  if (inputs.picture) {
    task.picture = in_colour(*inputs.picture);
  } else if (!inputs.tensors.empty() && !maps_only && options.decoder != "ssd") {
    EDGETWIN_TRY_ASSIGN(task.picture, picture_of_input(ports[0], inputs.tensors[0]));
  }
  const Shape in = ports.empty() ? Shape{} : ports[0].shape;
  if (in.rank() == 4) task.input_height = in[1], task.input_width = in[2];
  if (planes) task.input_height = in[1], task.input_width = in[2];
  const int64_t channels = planes ? in[0] : in.rank() == 4 ? in[3] : 0;
  task.input_is_picture = channels == 1 || channels == 3;
  Decoded decoded;
  decoded.meaning = decoder->meaning;
  EDGETWIN_TRY(kFunctions[static_cast<size_t>(decoder - kDecoders.data())](task, decoded));
  if (!options.draw) return decoded;
  EDGETWIN_TRY_ASSIGN(const Tensor picture, drawn(task, decoded));
  EDGETWIN_TRY_ASSIGN(decoded.png, encode_png(picture));
  return decoded;
}

}  // namespace edgetwin
