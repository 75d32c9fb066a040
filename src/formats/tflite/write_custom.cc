#include <flatbuffers/flexbuffers.h>

#include "formats/tflite/writer.h"

namespace edgetwin::tflite {
namespace {

Bytes finish(flexbuffers::Builder& builder) {
  builder.Finish();
  return to_bytes(std::as_bytes(std::span(builder.GetBuffer())));
}

Bytes flexbuffer_of(const DetectionAttrs& a) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("max_detections", a.max_detections);
    builder.Int("max_classes_per_detection", a.max_classes_per_detection);
    builder.Int("detections_per_class", a.detections_per_class);
    builder.Bool("use_regular_nms", a.use_regular_nms);
    builder.Float("nms_score_threshold", a.nms_score_threshold);
    builder.Float("nms_iou_threshold", a.nms_iou_threshold);
    builder.Int("num_classes", a.num_classes);
    builder.Float("y_scale", a.y_scale);
    builder.Float("x_scale", a.x_scale);
    builder.Float("h_scale", a.h_scale);
    builder.Float("w_scale", a.w_scale);
  });
  return finish(builder);
}

Bytes flexbuffer_of(const PosenetAttrs& a) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("max_detections", a.max_detections);
    builder.Float("score_threshold", a.score_threshold);
    builder.Int("stride", a.stride);
    builder.Float("nms_radius", a.nms_radius);
  });
  return finish(builder);
}

template <class A>
Bytes stored_or_made(const A& attrs) {
  return attrs.custom_options.empty() ? flexbuffer_of(attrs) : attrs.custom_options;
}

}  // namespace

Bytes custom_options(const Op& op) {
  switch (op.kind) {
    case OpKind::opaque:
      return op.as<OpaqueAttrs>().custom_options;
    case OpKind::detection_postprocess:
      return stored_or_made(op.as<DetectionAttrs>());
    case OpKind::posenet_decoder:
      return stored_or_made(op.as<PosenetAttrs>());
    default:
      return {};
  }
}

}  // namespace edgetwin::tflite
