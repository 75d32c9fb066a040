#include <cmath>
#include <limits>

#include "formats/tflite/flexbuffer.h"
#include "formats/tflite/reader.h"

namespace edgetwin::tflite {
namespace {

enum class Key : uint8_t { needed, optional };

// Reads entries of a map; the first error sticks, so that a list of reads needs one check.
class Entries {
 public:
  explicit Entries(const FlexMap& map) : map_(map) {}

  void get(const char* key, int& to, Key presence) {
    const auto value = find(key, presence);
    if (!value) return;
    constexpr double kLow = std::numeric_limits<int>::min();
    constexpr double kHigh = std::numeric_limits<int>::max();
    if (!(*value >= kLow && *value <= kHigh) || *value != std::trunc(*value)) {
      fail(key, "is not a whole number of 32 bits");
      return;
    }
    to = static_cast<int>(*value);
  }
  void get(const char* key, float& to, Key presence) {
    const auto value = find(key, presence);
    if (!value) return;
    if (!(std::abs(*value) <= double{std::numeric_limits<float>::max()})) {
      fail(key, "is not a finite number of 32 bits");
      return;
    }
    to = static_cast<float>(*value);
  }
  void get(const char* key, bool& to) {
    if (const auto value = find(key, Key::optional)) to = *value != 0.0;
  }

  const Status& status() const { return status_; }

 private:
  std::optional<double> find(const char* key, Key presence) {
    if (!status_.ok()) return std::nullopt;
    auto value = map_.number(key);
    if (!value.ok()) {
      status_ = std::move(value).error().in_field(key);
      return std::nullopt;
    }
    if (!*value && presence == Key::needed) fail(key, "is missing");
    return *value;
  }
  void fail(const char* key, const char* what) {
    Error e(ErrorCode::tflite_custom_options, "'" + std::string(key) + "' " + what);
    status_ = std::move(e).in_field(key);
  }

  const FlexMap& map_;
  Status status_ = Ok{};
};

DetectionAttrs detection(Entries& in) {
  DetectionAttrs a;
  in.get("max_detections", a.max_detections, Key::needed);
  in.get("max_classes_per_detection", a.max_classes_per_detection, Key::needed);
  in.get("detections_per_class", a.detections_per_class, Key::optional);
  in.get("use_regular_nms", a.use_regular_nms);
  in.get("nms_score_threshold", a.nms_score_threshold, Key::needed);
  in.get("nms_iou_threshold", a.nms_iou_threshold, Key::needed);
  in.get("num_classes", a.num_classes, Key::needed);
  in.get("y_scale", a.y_scale, Key::needed);
  in.get("x_scale", a.x_scale, Key::needed);
  in.get("h_scale", a.h_scale, Key::needed);
  in.get("w_scale", a.w_scale, Key::needed);
  return a;
}

PosenetAttrs posenet(Entries& in) {
  PosenetAttrs a;
  in.get("max_detections", a.max_detections, Key::optional);
  in.get("score_threshold", a.score_threshold, Key::optional);
  in.get("stride", a.stride, Key::optional);
  in.get("nms_radius", a.nms_radius, Key::optional);
  return a;
}

template <class A>
Result<Attrs> finish(A attrs, const Entries& in, ByteSpan options) {
  if (!in.status().ok()) return in.status().error();
  attrs.custom_options = to_bytes(options);
  return Attrs(std::move(attrs));
}

Result<Attrs> parse(OpKind kind, ByteSpan options) {
  EDGETWIN_TRY_ASSIGN(const FlexMap map, FlexMap::open(options));
  Entries in(map);
  if (kind == OpKind::detection_postprocess) return finish(detection(in), in, options);
  return finish(posenet(in), in, options);
}

}  // namespace

Result<Attrs> read_custom_options(const Source& source, OpKind kind, ByteSpan options,
                                  const void* at) {
  auto attrs = parse(kind, options);
  if (attrs.ok()) return attrs;
  const Error& e = attrs.error();
  return source.error(e.code, e.message, at,
                      e.place.field.empty() ? "custom_options" : e.place.field);
}

}  // namespace edgetwin::tflite
