#include "decode/espdl/core/params.h"

#include <algorithm>

#include "base/json/members.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr int kLargestSide = 1 << 16;
constexpr int kMostBoxes = 1 << 20;
constexpr size_t kMostFeatures = 1 << 16;
constexpr uint8_t kLargestHue = 180;
constexpr int kLargestArea = 65535, kLargestSquare = 63;
constexpr size_t kMostColours = 64;

Error member_error(const std::string& member, const std::string& what) {
  return Error(ErrorCode::bad_value, "'" + member + "' " + what)
      .in_field(member)
      .with_hint("Correct the member; docs/espdl-decode.md lists all of them.");
}

constexpr std::array kMembers = {
    "source",   "input",   "letterbox", "crop",          "score_threshold", "nms_threshold",
    "top_k",    "softmax", "threshold", "box_threshold", "unclip_ratio",    "min_size",
    "database", "query",   "deleted",   "first",         "second",          "stride",
    "samples",  "frames",  "exponent",  "chip",          "classes",         "channels_first",
    "picture",  "colors",  "morphology"};

Status read_size(const JsonMembers& members, const char* key, std::optional<Size>& into) {
  std::optional<std::array<int, 2>> pair;
  EDGETWIN_TRY(members.integers(key, 1, kLargestSide, pair));
  if (pair) into = Size{(*pair)[0], (*pair)[1]};
  return Ok{};
}

// The size of a picture, or in espdl-motion its pixel type.
Status read_source(const Json& document, const JsonMembers& members, Params& p) {
  const auto value = document.get("source");
  if (!value || !value->as_string()) return read_size(members, "source", p.source);
  p.pixels = espdl_image::pixel_type_from_name(*value->as_string());
  if (p.pixels && espdl_image::info(*p.pixels).source_bytes > 0) return Ok{};
  return member_error("source", "is not one of " + espdl_image::source_names());
}

Result<Colour> read_colour(const Json& document) {
  Colour c;
  const JsonMembers members(document, member_error);
  if (!document.is_object()) return member_error("colors", "is not a list of objects");
  for (const std::string& key : document.keys()) {
    if (key != "name" && key != "hsv_min" && key != "hsv_max" && key != "area") {
      return member_error(key, "is not a member of a colour: name, hsv_min, hsv_max, area");
    }
  }
  EDGETWIN_TRY(members.text("name", c.name));
  std::optional<std::array<uint8_t, 3>> low, high;
  EDGETWIN_TRY(members.integers("hsv_min", 0, 255, low));
  EDGETWIN_TRY(members.integers("hsv_max", 0, 255, high));
  EDGETWIN_TRY(members.integer("area", 0, kLargestArea, c.area));
  if (!low || !high) return member_error(low ? "hsv_max" : "hsv_min", "is missing in a colour");
  c.low = *low, c.high = *high;
  if (c.low[0] > kLargestHue || c.high[0] > kLargestHue || c.low[0] == c.high[0]) {
    return member_error("hsv_min", "and hsv_max need two hues from 0 to 180 that differ");
  }
  if (c.low[1] >= c.high[1] || c.low[2] >= c.high[2]) {
    return member_error("hsv_min", "is not below hsv_max in saturation and value");
  }
  return c;
}

Status read_colours(const Json& document, std::vector<Colour>& into) {
  const auto list = document.get("colors");
  if (!list) return Ok{};
  if (!list->is_array() || list->size() == 0 || list->size() > kMostColours) {
    return member_error("colors", "is not a list of 1 to 64 colours");
  }
  for (size_t i = 0; i < list->size(); ++i) {
    EDGETWIN_TRY_ASSIGN(Colour colour, read_colour(list->at(i)));
    if (colour.name.empty()) colour.name = std::to_string(i);
    for (const Colour& other : into) {
      if (other.name == colour.name) {
        return member_error("colors", "has '" + colour.name + "' twice");
      }
    }
    into.push_back(std::move(colour));
  }
  return Ok{};
}

Status read_files(const Json& document, const JsonMembers& members, Params& p) {
  EDGETWIN_TRY(members.texts("database", kMostFeatures, p.database));
  EDGETWIN_TRY(members.text("query", p.query));
  EDGETWIN_TRY(members.text("first", p.first));
  EDGETWIN_TRY(members.text("second", p.second));
  EDGETWIN_TRY(members.text("samples", p.samples));
  EDGETWIN_TRY(members.text("picture", p.picture));
  EDGETWIN_TRY(read_colours(document, p.colours));
  EDGETWIN_TRY(members.integer("morphology", 1, kLargestSquare, p.morphology));
  return members.any_integers("deleted", 1, static_cast<int64_t>(kMostFeatures), kMostFeatures,
                              p.deleted);
}

Status read_numbers(const JsonMembers& members, Params& p) {
  EDGETWIN_TRY(members.number("score_threshold", p.score_threshold));
  EDGETWIN_TRY(members.number("nms_threshold", p.nms_threshold));
  EDGETWIN_TRY(members.integer("top_k", 1, kMostBoxes, p.top_k));
  EDGETWIN_TRY(members.integer("classes", 1, kMostBoxes, p.classes));
  EDGETWIN_TRY(members.flag("channels_first", p.channels_first));
  EDGETWIN_TRY(members.flag("softmax", p.softmax));
  EDGETWIN_TRY(members.number("threshold", p.threshold));
  EDGETWIN_TRY(members.number("box_threshold", p.box_threshold));
  EDGETWIN_TRY(members.number("unclip_ratio", p.unclip_ratio));
  EDGETWIN_TRY(members.number("min_size", p.min_size));
  EDGETWIN_TRY(members.integer("stride", 1, kLargestSide, p.stride));
  EDGETWIN_TRY(members.integer("frames", 1, kLargestSide, p.frames));
  return members.integer("exponent", -30, 30, p.exponent);
}

}  // namespace

Result<espdl_image::Placement> Params::placement() const {
  if (!source || !input) {
    return member_error(source ? "input" : "source", "is missing: [width, height]");
  }
  const espdl_image::Box c = crop.value_or(espdl_image::Box{0, 0, source->width, source->height});
  if (c.x1 >= c.x2 || c.y1 >= c.y2 || c.x2 > source->width || c.y2 > source->height) {
    return member_error("crop", "is empty or beyond the picture");
  }
  espdl_image::Border border;
  if (letterbox) {
    border = espdl_image::letterbox_border(c.width(), c.height(), input->width, input->height);
  }
  if (border.left + border.right >= input->width || border.top + border.bottom >= input->height) {
    return member_error("letterbox", "leaves nothing of the picture in this input");
  }
  return espdl_image::placement_of(c.width(), c.height(), input->width, input->height, border, c.x1,
                                   c.y1);
}

Result<Params> read_params(std::string_view text, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(text, file));
  const auto read = [&document]() -> Result<Params> {
    if (!document.is_object()) return member_error("document", "is not an object with members");
    for (const std::string& key : document.keys()) {
      if (std::find(kMembers.begin(), kMembers.end(), key) == kMembers.end()) {
        return member_error(key, "is not a member that decoders have");
      }
    }
    Params p;
    const JsonMembers members(document, member_error);
    EDGETWIN_TRY(read_source(document, members, p));
    EDGETWIN_TRY(read_size(members, "input", p.input));
    EDGETWIN_TRY(members.flag("letterbox", p.letterbox));
    std::optional<std::array<int, 4>> four;
    EDGETWIN_TRY(members.integers("crop", 0, kLargestSide, four));
    if (four) p.crop = espdl_image::Box{(*four)[0], (*four)[1], (*four)[2], (*four)[3]};
    EDGETWIN_TRY(read_numbers(members, p));
    EDGETWIN_TRY(read_files(document, members, p));
    const auto chip = [&p](const std::string& word) {
      const auto found = espdl_image::chip_from_name(word);
      p.chip = found.value_or(p.chip);
      return found.has_value();
    };
    EDGETWIN_TRY(members.word("chip", chip, espdl_image::chip_names()));
    return p;
  };
  auto params = read();
  if (!params.ok()) return std::move(params).error().in_file(file);
  return params;
}

}  // namespace edgetwin::espdl_decode
