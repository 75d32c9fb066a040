#include "twin/vision/presets.h"

#include <algorithm>
#include <array>

#include "image/espdl/model_input.h"

namespace edgetwin::twin {
namespace {

constexpr int kLetterboxGround = 114;
constexpr int64_t kFaceSide = 112;  // of the published networks for features of faces

struct Preset {
  std::string_view decoder, order;
  std::vector<double> mean, std;
  bool letterbox = false;
};

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
#define VISION_UNPACK(...) __VA_ARGS__
#define VISION_PRESET(decoder, order, mean, std, letterbox) \
  Preset{decoder, order, VISION_UNPACK mean, VISION_UNPACK std, letterbox},
#include "twin/vision/presets.def"
#undef VISION_PRESET
#undef VISION_UNPACK
  };
  return all;
}

// Members of decoders that are not of the picture too.
constexpr std::array kOfDecoders = {"score_threshold", "nms_threshold", "top_k",        "softmax",
                                    "threshold",       "box_threshold", "unclip_ratio", "min_size"};

Error form_error(const std::string& what) {
  return Error(ErrorCode::bad_value, what)
      .in_field("--params")
      .with_hint(
          "Give an object with members of docs/espdl-image.md and docs/espdl-decode.md, or "
          "{\"stages\": [object, …]}.");
}

Result<StageParams> split_one(const Json& document) {
  if (!document.is_object()) return form_error("the parameters of a stage are not an object");
  StageParams split;
  for (const std::string& key : document.keys()) {
    const bool of_decoder =
        std::find(kOfDecoders.begin(), kOfDecoders.end(), key) != kOfDecoders.end();
    (of_decoder ? split.decoder : split.picture).set(key, *document.get(key));
  }
  return split;
}

espdl_image::Chip chip_of(const std::string& numerics) {
  if (numerics.find("s3") != std::string::npos) return espdl_image::Chip::esp32s3;
  if (numerics.find("p4") != std::string::npos) return espdl_image::Chip::esp32p4;
  return espdl_image::Chip::c;
}

Json preset_of(const std::string& decoder, const Port& port) {
  Json j = Json::object();
  const auto row = std::ranges::find(presets(), decoder, &Preset::decoder);
  if (decoder == "espdl-ocr-det") return j.set("pipeline", "ocr_det");
  if (decoder == "espdl-ocr-rec") {
    return j.set("pipeline", "ocr_rec").set("bits", port.dtype == DType::int16 ? 16 : 8);
  }
  if (row == presets().end()) return j;
  const bool face = decoder == "espdl-feature" && is_face_input(port);
  const auto input = picture_input_of(port);
  const bool grey = input.ok() && input->channels == 1;
  const std::string order = grey ? "gray" : std::string(face ? "bgr" : row->order) + "888";
  j.set("target", order + (port.dtype == DType::int16 ? "_qint16" : "_qint8"));
  const auto numbers = [grey](std::vector<double> all) {
    if (grey) all.resize(1);
    return Json::list(all);
  };
  const std::vector<double> of_faces = {127.5, 127.5, 127.5};
  j.set("mean", numbers(face ? of_faces : row->mean));
  j.set("std", numbers(face ? of_faces : row->std));
  if (row->letterbox) {
    const std::vector<int> ground(3, kLetterboxGround);
    j.set("letterbox", true).set("background", Json::list(ground));
  }
  return j;
}

}  // namespace

Result<PictureInput> picture_input_of(const Port& port) {
  const Shape& s = port.shape;
  const auto pixels = [](int64_t n) { return n == 1 || n == 3; };
  if (s.rank() == 4 && s[0] == 1 && s.elements() > 0) {
    if (pixels(s[3])) {
      const bool integers = port.dtype == DType::int8 || port.dtype == DType::int16;
      return PictureInput{s[1], s[2], s[3], false, integers && port.quant.exponent.size() == 1};
    }
    if (pixels(s[1])) return PictureInput{s[2], s[3], s[1], true, false};
  }
  return Error(ErrorCode::input_shape, "the input '" + port.name + "' is " + to_string(s) +
                                           ", not one picture of 1 or 3 channels");
}

bool is_face_input(const Port& port) {
  const auto input = picture_input_of(port);
  return input.ok() && input->rows == kFaceSide && input->columns == kFaceSide;
}

Result<std::vector<StageParams>> split_params(const std::string& text, size_t stages) {
  std::vector<StageParams> all(stages);
  if (text.empty()) return all;
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(text, "--params"));
  const auto list = document.get("stages");
  if (!list) {
    EDGETWIN_TRY_ASSIGN(all[0], split_one(document));
    return all;
  }
  if (!list->is_array() || list->size() > stages || document.keys().size() != 1) {
    return form_error("'stages' is not a list of " + std::to_string(stages) +
                      (stages == 1 ? " object" : " objects at most") + ", or not alone");
  }
  for (size_t i = 0; i < list->size(); ++i) {
    EDGETWIN_TRY_ASSIGN(all[i], split_one(list->at(i)));
  }
  return all;
}

Result<espdl_image::Params> picture_params(const std::string& decoder, const Port& port,
                                           const std::string& numerics, const StageParams& given,
                                           const Json& own) {
  Json document = preset_of(decoder, port);
  // A map of the plane or a crop from the user takes the place of the border.
  const bool map = given.picture.get("affine") || given.picture.get("landmarks");
  const bool other = map || given.picture.get("border") || own.get("landmarks");
  if (other && document.get("letterbox")) document.set("letterbox", false);
  document.merge(given.picture).merge(own);
  EDGETWIN_TRY_ASSIGN(espdl_image::Params params, espdl_image::params_of(document));
  if (!document.get("chip")) params.chip = chip_of(numerics);
  EDGETWIN_TRY_ASSIGN(const PictureInput input, picture_input_of(port));
  if (input.of_chip) {
    EDGETWIN_TRY(espdl_image::fill_from_input(port.shape, port.dtype, port.quant, params));
    return params;
  }
  if (!params.height) params.height = static_cast<int>(input.rows);
  if (!params.width) params.width = static_cast<int>(input.columns);
  return params;
}

Result<espdl_decode::Params> decoder_params(const StageParams& given, const Port& port,
                                            const Tensor& pixels,
                                            const espdl_image::Params& picture) {
  EDGETWIN_TRY_ASSIGN(espdl_decode::Params params,
                      espdl_decode::read_params(given.decoder.text(), "--params"));
  const auto side = [](int64_t v) { return static_cast<int>(v); };
  params.source = {side(pixels.shape[1]), side(pixels.shape[0])};
  EDGETWIN_TRY_ASSIGN(const PictureInput input, picture_input_of(port));
  params.input = {side(input.columns), side(input.rows)};
  params.channels_first = input.channels_first;
  params.letterbox = picture.letterbox;
  params.crop = picture.crop;
  params.chip = picture.chip;
  return params;
}

}  // namespace edgetwin::twin
