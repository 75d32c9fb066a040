#include "twin/vision/chain.h"

#include <algorithm>

#include "decode/espdl/core/nms.h"
#include "decode/espdl/decode.h"
#include "exec/input.h"
#include "image/espdl/preprocess.h"
#include "image/espdl/real.h"
#include "twin/values.h"

namespace edgetwin::twin {
namespace {

using espdl_decode::Decoded;
using espdl_decode::Detection;

// Of MNP, where P.json says nothing: docs/espdl-decode.md.
constexpr float kFaceOverlap = 0.5F;
constexpr int kMostFaces = 10;
constexpr size_t kFacePoints = 10;

// What the first network gives and the second takes.
bool follows(const std::string& second, const std::string& first) {
  if (second == "espdl-ocr-rec") return first == "espdl-ocr-det";
  if (second == "espdl-mnp") return first == "espdl-msr";
  const bool of_boxes =
      second == "espdl-imagenet" || second == "espdl-gesture" || second == "espdl-feature";
  const bool boxes = first == "espdl-yolo11" || first == "espdl-yolo" || first == "espdl-pose" ||
                     first == "espdl-seg" || first == "espdl-espdet" || first == "espdl-pico" ||
                     first == "espdl-msr" || first == "espdl-mnp";
  return of_boxes && boxes;
}

Error does_not_fit(const Tensor& made, const Port& port) {
  return Error(ErrorCode::input_shape,
               "the pipeline gives " + to_string(made.shape) + " " + std::string(name(made.dtype)) +
                   ", the input is " + to_string(port.shape) + " " + std::string(name(port.dtype)));
}

// For networks that were not made for the chip: the numbers that its table is made of.
Result<espdl_image::Preprocessed> real_input(const Tensor& pixels, const Port& port,
                                             const PictureInput& input,
                                             const espdl_image::Params& params) {
  espdl_image::Preprocessed made;
  EDGETWIN_TRY_ASSIGN(Tensor real, espdl_image::real_picture(pixels, params, input.rows,
                                                             input.columns, input.channels));
  EDGETWIN_TRY_ASSIGN(Tensor ordered, Tensor::zeros(DType::float32, port.shape));
  const auto from = real.as<float>();
  const auto channels = static_cast<size_t>(input.channels);
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t turned = i % channels * (from.size() / channels) + i / channels;
    ordered.as<float>()[input.channels_first ? turned : i] = from[i];
  }
  EDGETWIN_TRY_ASSIGN(made.tensor, exec::convert_input(ordered, value_of(port), port.shape));
  return made;
}

// The input as the network takes it.
Result<espdl_image::Preprocessed> input_tensor(const Tensor& pixels, const Port& port,
                                               const espdl_image::Params& params) {
  EDGETWIN_TRY_ASSIGN(const PictureInput input, picture_input_of(port));
  espdl_image::Preprocessed made;
  if (input.of_chip) {
    EDGETWIN_TRY_ASSIGN(made, espdl_image::preprocess(pixels, params));
  } else {
    EDGETWIN_TRY_ASSIGN(made, real_input(pixels, port, input, params));
  }
  if (made.tensor.dtype != port.dtype || made.tensor.shape.elements() != port.shape.elements()) {
    return does_not_fit(made.tensor, port);
  }
  made.tensor.name = port.name;
  made.tensor.shape = port.shape;
  made.tensor.quant = port.quant;
  return made;
}

class Chain {
 public:
  Chain(std::vector<Stage>& stages, const Tensor& pixels) : stages_(stages), pixels_(pixels) {}

  Result<Seen> run() {
    EDGETWIN_TRY_ASSIGN(seen_.decoded, compute(0, Json::object(), "the picture"));
    for (size_t i = 1; i < stages_.size(); ++i) EDGETWIN_TRY(follow(i));
    return std::move(seen_);
  }

 private:
  int width() const { return static_cast<int>(pixels_.shape[1]); }
  int height() const { return static_cast<int>(pixels_.shape[0]); }

  // One inference of a stage; `own` are members that say what part of the picture it sees.
  Result<Decoded> compute(size_t index, const Json& own, const std::string& what) {
    Stage& stage = stages_[index];
    const Port& port = stage.runner->inputs()[0];
    EDGETWIN_TRY_ASSIGN(
        const espdl_image::Params params,
        picture_params(stage.how->decoder, port, stage.runner->numerics(), stage.params, own));
    auto made = input_tensor(pixels_, port, params);
    if (!made.ok()) return std::move(made).error().in_file(stage.how->file);
    if (what == "the picture") add(made->findings);
    VisionRun run{index, what, std::move(made->tensor), {}};
    EDGETWIN_TRY(stage.runner->reset());
    EDGETWIN_TRY_ASSIGN(Run outputs, stage.runner->run(std::span(&run.input, 1)));
    run.outputs = std::move(outputs.outputs);
    EDGETWIN_TRY_ASSIGN(const espdl_decode::Params how,
                        decoder_params(stage.params, port, pixels_, params));
    auto decoded = espdl_decode::decode(stage.how->decoder, run.outputs, how, stage.how->names);
    if (!decoded.ok()) return std::move(decoded).error().in_file(stage.how->file);
    seen_.runs.push_back(std::move(run));
    seen_.details.push_back({params, how, *decoded});
    return decoded;
  }

  void add(const std::vector<Finding>& findings) {
    seen_.findings.insert(seen_.findings.end(), findings.begin(), findings.end());
  }

  Status follow(size_t index) {
    const std::string& decoder = stages_[index].how->decoder;
    if (decoder == "espdl-mnp") return faces_again(index);
    if (decoder == "espdl-ocr-rec") return read_texts(index);
    if (decoder == "espdl-feature") {
      return is_face_input(stages_[index].runner->inputs()[0]) ? face_feature(index)
                                                               : box_features(index);
    }
    return box_classes(index);
  }

  // A square around the middle of each, limited so that the last row and column are never read.
  Status faces_again(size_t index) {
    std::vector<Detection> faces;
    size_t number = 0;
    const std::vector<Detection> before = *seen_.decoded.detections;
    for (const Detection& d : before) {
      const int side = std::max(d.box[2] - d.box[0], d.box[3] - d.box[1]);
      const int x = ((d.box[0] + d.box[2]) >> 1) - (side >> 1);
      const int y = ((d.box[1] + d.box[3]) >> 1) - (side >> 1);
      const std::array<int, 4> crop = {
          std::clamp(x, 0, width() - 1), std::clamp(y, 0, height() - 1),
          std::clamp(x + side, 0, width() - 1), std::clamp(y + side, 0, height() - 1)};
      if (crop[0] >= crop[2] || crop[1] >= crop[3]) continue;
      EDGETWIN_TRY_ASSIGN(const Decoded one, compute(index, crop_of(crop), box_name(++number)));
      faces.insert(faces.end(), one.detections->begin(), one.detections->end());
    }
    // Once over all crops.
    EDGETWIN_TRY_ASSIGN(
        const espdl_decode::Params how,
        espdl_decode::read_params(stages_[index].params.decoder.text(), "--params"));
    espdl_decode::sort_by_score(faces);
    espdl_decode::suppress(faces, how.nms_threshold.value_or(kFaceOverlap),
                           how.top_k.value_or(kMostFaces));
    espdl_decode::limit_to_picture(faces, {width(), height()});
    if (number > 0) seen_.details.back().found.detections = faces;
    seen_.decoded.detections = std::move(faces);
    return Ok{};
  }

  Status box_classes(size_t index) {
    size_t number = 0;
    for (Detection& d : *seen_.decoded.detections) {
      ++number;
      if (d.box[0] >= d.box[2] || d.box[1] >= d.box[3]) continue;
      EDGETWIN_TRY_ASSIGN(const Decoded one, compute(index, crop_of(d.box), box_name(number)));
      d.classes = *one.classes;
      seen_.decoded.second_names = one.names;
    }
    return Ok{};
  }

  Status box_features(size_t index) {
    for (size_t i = 0; i < seen_.decoded.detections->size(); ++i) {
      const Detection& d = (*seen_.decoded.detections)[i];
      if (d.box[0] >= d.box[2] || d.box[1] >= d.box[3]) continue;
      EDGETWIN_TRY_ASSIGN(Decoded one, compute(index, crop_of(d.box), box_name(i + 1)));
      one.arrays[0].name = "feature_" + std::to_string(i);
      seen_.decoded.arrays.push_back(std::move(one.arrays[0]));
    }
    return Ok{};
  }

  // Of the largest face, the first of equal ones, turned upright by its five points.
  Status face_feature(size_t index) {
    const Detection* best = nullptr;
    const auto area = [](const Detection& d) {
      return int64_t{d.box[2] - d.box[0]} * (d.box[3] - d.box[1]);
    };
    for (const Detection& d : *seen_.decoded.detections) {
      if (best == nullptr || area(d) > area(*best)) best = &d;
    }
    if (best == nullptr) {
      seen_.decoded.remarks.push_back("no face was found: there is no feature");
      return Ok{};
    }
    if (best->keypoints.size() != kFacePoints) {
      return Error(ErrorCode::usage, "features of faces need five points of a face")
          .with_hint("Put the second network of faces (espdl-mnp) before it.");
    }
    Json own = Json::object();
    own.set("landmarks", Json::list(best->keypoints));
    EDGETWIN_TRY_ASSIGN(const Decoded one, compute(index, own, "the largest face"));
    seen_.decoded.arrays = one.arrays;
    return Ok{};
  }

  Status read_texts(size_t index) {
    std::vector<espdl_decode::TextBox> kept;
    size_t number = 0, dropped = 0;
    const std::vector<espdl_decode::TextBox> before = *seen_.decoded.boxes;
    for (const espdl_decode::TextBox& b : before) {
      Json own = Json::object();
      own.set("box", Json::list(b.points));
      EDGETWIN_TRY_ASSIGN(const Decoded one,
                          compute(index, own, "text " + std::to_string(++number)));
      seen_.decoded.second_names = one.names;
      if (one.text->kept) {
        kept.push_back(b);
        seen_.decoded.texts.push_back(*one.text);
      } else {
        ++dropped;
      }
    }
    if (dropped > 0) {
      seen_.decoded.remarks.push_back(std::to_string(dropped) +
                                      " texts with a score below 0.5 are dropped, as on the chip");
    }
    seen_.decoded.boxes = std::move(kept);
    return Ok{};
  }

  static std::string box_name(size_t number) { return "box " + std::to_string(number); }
  static Json crop_of(const std::array<int, 4>& box) {
    Json own = Json::object();
    return own.set("crop", Json::list(box));
  }

  std::vector<Stage>& stages_;
  const Tensor& pixels_;
  Seen seen_;
};

}  // namespace

Result<std::vector<Stage>> open_stages(const VisionOptions& options) {
  EDGETWIN_TRY_ASSIGN(std::vector<StageParams> params,
                      split_params(options.params, options.stages.size()));
  std::vector<Stage> stages;
  for (size_t i = 0; i < options.stages.size(); ++i) {
    const VisionStage& how = options.stages[i];
    if (!espdl_decode::is_decoder(how.decoder) || espdl_decode::takes_files(how.decoder)) {
      return Error(ErrorCode::usage, "'" + how.decoder + "' is not a decoder of pictures");
    }
    if (i > 0 && !follows(how.decoder, options.stages[i - 1].decoder)) {
      return Error(ErrorCode::usage, how.decoder + " does not look at what " +
                                         options.stages[i - 1].decoder + " finds")
          .with_hint(
              "After boxes come espdl-imagenet, espdl-gesture and espdl-feature, after espdl-msr "
              "also espdl-mnp, after espdl-ocr-det espdl-ocr-rec.");
    }
    EDGETWIN_TRY_ASSIGN(const Network network, Network::open(how.file, how.open));
    Stage stage{&how, std::move(params[i]), nullptr};
    EDGETWIN_TRY_ASSIGN(stage.runner, network.runner(how.run));
    if (stage.runner->inputs().size() != 1 || stage.runner->inputs()[0].shape.rank() != 4) {
      return Error(ErrorCode::usage,
                   "a network of pictures has one input of rows, columns and "
                   "channels")
          .in_file(how.file);
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

Result<Seen> run_stages(std::vector<Stage>& stages, const Tensor& pixels) {
  return Chain(stages, pixels).run();
}

}  // namespace edgetwin::twin
