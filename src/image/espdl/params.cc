#include "image/espdl/params.h"

#include <algorithm>
#include <utility>

#include "base/json/members.h"
#include "image/espdl/rules.h"
#include "targets/target.h"

namespace edgetwin::espdl_image {
namespace {

constexpr int kLargest = 1 << 20;  // of coordinates and sizes in a document

Error params_error(const std::string& member, const std::string& what) {
  return rule_error(Rule::bad_params, "'" + member + "' " + what).in_field(member);
}

// What the members of each pipeline are; `everywhere` are those of all.
constexpr std::array kEverywhere = {"pipeline", "source", "width", "height", "exponent", "chip"};
constexpr std::array kOfTransform = {"target",     "mean",    "std",
                                     "crop",       "border",  "letterbox",
                                     "background", "affine",  "affine_is_inverse",
                                     "landmarks",  "hsv_min", "hsv_max"};
constexpr std::array kOfRecognizer = {"bits", "box"};

bool is_among(const auto& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status check_members(const Json& document, Pipeline pipeline) {
  for (const std::string& key : document.keys()) {
    const bool of_transform = is_among(kOfTransform, key);
    const bool of_recognizer = is_among(kOfRecognizer, key);
    if (!is_among(kEverywhere, key) && !of_transform && !of_recognizer) {
      return params_error(key, "is not a member of a picture pipeline");
    }
    if (of_transform && pipeline != Pipeline::transform) {
      return params_error(key, "has no effect: the pipelines for texts have their own");
    }
    if (of_recognizer && pipeline != Pipeline::ocr_rec) {
      return params_error(key, "has an effect in the pipeline ocr_rec only");
    }
  }
  return Ok{};
}

Status read_words(const JsonMembers& members, Params& p) {
  const auto pipeline = [&p](const std::string& word) {
    constexpr std::array kNames = {"transform", "ocr_det", "ocr_rec"};
    const auto found = std::find(kNames.begin(), kNames.end(), word);
    if (found == kNames.end()) return false;
    p.pipeline = static_cast<Pipeline>(found - kNames.begin());
    return true;
  };
  EDGETWIN_TRY(members.word("pipeline", pipeline, "transform, ocr_det, ocr_rec"));
  const auto source = [&p](const std::string& word) {
    const auto type = pixel_type_from_name(word);
    if (!type || info(*type).source_bytes == 0) return false;
    p.source = *type;
    return true;
  };
  EDGETWIN_TRY(members.word("source", source, source_names()));
  const auto target = [&p](const std::string& word) {
    p.target = pixel_type_from_name(word);
    return p.target.has_value();
  };
  EDGETWIN_TRY(members.word("target", target, target_names()));
  const auto chip = [&p](const std::string& word) {
    const auto found = chip_from_name(word);
    p.chip = found.value_or(p.chip);
    return found.has_value();
  };
  return members.word("chip", chip, chip_names());
}

// One level, or r, g, b.
Status read_background(const Json& document, Params& p) {
  const auto value = document.get("background");
  if (!value) return Ok{};
  std::vector<std::optional<int64_t>> levels;
  if (value->is_array()) {
    for (size_t i = 0; i < value->size(); ++i) levels.push_back(value->at(i).as_integer());
  } else {
    levels.push_back(value->as_integer());
  }
  const bool good = std::all_of(levels.begin(), levels.end(), [](const auto& level) {
    return level && *level >= 0 && *level <= 255;
  });
  if (!good || (levels.size() != 1 && levels.size() != 3)) {
    return params_error("background", "is neither r, g, b nor one level, from 0 to 255 each");
  }
  for (const auto& level : levels) p.background.push_back(static_cast<uint8_t>(*level));
  return Ok{};
}

Status read_geometry(const JsonMembers& members, Params& p) {
  EDGETWIN_TRY(members.integer("width", 1, kLargest, p.width));
  EDGETWIN_TRY(members.integer("height", 1, kLargest, p.height));
  std::optional<std::array<int, 4>> four;
  EDGETWIN_TRY(members.integers("crop", 0, kLargest, four));
  if (four) p.crop = Box{(*four)[0], (*four)[1], (*four)[2], (*four)[3]};
  four.reset();
  EDGETWIN_TRY(members.integers("border", 0, kLargest, four));
  if (four) p.border = Border{(*four)[0], (*four)[1], (*four)[2], (*four)[3]};
  EDGETWIN_TRY(members.flag("letterbox", p.letterbox));
  EDGETWIN_TRY(members.matrix("affine", kLargest, p.affine));
  EDGETWIN_TRY(members.flag("affine_is_inverse", p.affine_is_inverse));
  EDGETWIN_TRY(members.integers("landmarks", -kLargest, kLargest, p.landmarks));
  return members.integers("box", -kLargest, kLargest, p.box);
}

Status check_combinations(const Params& p) {
  if (p.letterbox && p.border) {
    return params_error("border", "and 'letterbox' both set the border: give one of them");
  }
  if (p.affine && p.landmarks) {
    return params_error("affine", "and 'landmarks' both set the map: give one of them");
  }
  if (p.letterbox && (p.affine || p.landmarks)) {
    return params_error("letterbox", "has no meaning together with a map of the plane");
  }
  return Ok{};
}

}  // namespace

std::optional<Chip> chip_from_name(std::string_view name) {
  const auto id = targets::find_id(name);
  if (id == targets::Id::espdl_c) return Chip::c;
  if (id == targets::Id::esp32s3) return Chip::esp32s3;
  if (id == targets::Id::esp32p4) return Chip::esp32p4;
  return std::nullopt;
}

std::string chip_names() { return targets::target_names({Family::espdl}); }

numerics::Rounding rounding_of(Chip chip) {
  return chip == Chip::esp32p4 ? numerics::Rounding::half_even : numerics::Rounding::half_up;
}

Result<Params> params_of(const Json& document) {
  if (!document.is_object()) {
    return rule_error(Rule::bad_params, "the document is not an object with members");
  }
  Params p;
  const JsonMembers members(document, params_error);
  EDGETWIN_TRY(read_words(members, p));
  EDGETWIN_TRY(check_members(document, p.pipeline));
  EDGETWIN_TRY(read_geometry(members, p));
  EDGETWIN_TRY(read_background(document, p));
  EDGETWIN_TRY(members.numbers("mean", p.mean));
  EDGETWIN_TRY(members.numbers("std", p.std));
  EDGETWIN_TRY(members.integer("exponent", -30, 30, p.exponent));
  EDGETWIN_TRY(members.integers("hsv_min", 0, 255, p.hsv_min));
  EDGETWIN_TRY(members.integers("hsv_max", 0, 255, p.hsv_max));
  std::optional<int> bits;
  EDGETWIN_TRY(members.integer("bits", 8, 16, bits));
  p.bits = bits.value_or(8);
  if (p.bits != 8 && p.bits != 16) return params_error("bits", "is neither 8 nor 16");
  EDGETWIN_TRY(check_combinations(p));
  return p;
}

Result<Params> read_params(std::string_view text, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(text, file));
  auto params = params_of(document);
  if (!params.ok()) return std::move(params).error().in_file(file);
  return params;
}

Status check_complete(const Params& p) {
  if (p.pipeline == Pipeline::transform && !p.target) {
    return params_error("target", "is missing: the pixel type of the result")
        .with_hint("Give one of " + target_names() + ".");
  }
  if (p.pipeline == Pipeline::ocr_rec && !p.box) {
    return params_error("box", "is missing: the corners of the text, eight numbers");
  }
  if (!p.width || !p.height) {
    return params_error(p.width ? "height" : "width", "is missing: the size of the result");
  }
  return Ok{};
}

}  // namespace edgetwin::espdl_image
