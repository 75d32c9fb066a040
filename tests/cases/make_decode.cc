#include "make_decode.h"

#include <cstring>

namespace edgetwin {
namespace {

struct Builder {
  Graph graph;

  ValueId add(const std::string& name, DType type, const Shape& shape, const Quant& quant = {}) {
    Value v;
    v.name = name;
    v.dtype = type;
    v.shape = shape;
    v.quant = quant;
    graph.values.push_back(std::move(v));
    return static_cast<ValueId>(graph.values.size() - 1);
  }
  template <class T>
  ValueId constant(const std::string& name, const Shape& shape, const std::vector<T>& values) {
    const ValueId id = add(name, dtype_of<T>, shape);
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    graph.value(id).constant = std::make_shared<const Bytes>(std::move(bytes));
    return id;
  }
  ValueId put(OpKind kind, Attrs attrs, std::vector<ValueId> inputs, ValueId output) {
    Op op;
    op.kind = kind;
    op.attrs = std::move(attrs);
    op.inputs = std::move(inputs);
    op.outputs = {output};
    graph.ops.push_back(std::move(op));
    return output;
  }
  Model finish(OpKind kind, Attrs attrs, std::vector<ValueId> inputs,
               std::vector<ValueId> outputs) {
    Op op;
    op.kind = kind;
    op.attrs = std::move(attrs);
    op.inputs = std::move(inputs);
    op.outputs = outputs;
    graph.ops = {std::move(op)};
    for (const ValueId id : graph.ops[0].inputs) {
      if (!graph.value(id).is_constant()) graph.inputs.push_back(id);
    }
    return finish(std::move(outputs));
  }
  Model finish(std::vector<ValueId> outputs) {
    graph.outputs = std::move(outputs);
    Model model;
    model.format = "tflite";
    model.graphs.push_back(std::move(graph));
    return model;
  }
};

// A network that answers with what is written in the red levels of its picture.
struct Reader : Builder {
  ValueId picture;
  explicit Reader(int side)
      : picture(add("picture", DType::uint8, {1, side, side, 3}, Quant::affine(1.0F, 0))) {
    graph.inputs = {picture};
  }
  // `rows` times `columns` levels from column `from` on, as `shape`.
  ValueId levels(const std::string& name, int from, int rows, int columns, const Shape& shape) {
    const ValueId begin = constant<int32_t>(name + "/begin", {4}, {0, 0, from, 0});
    const ValueId size = constant<int32_t>(name + "/size", {4}, {1, rows, columns, 1});
    const ValueId part =
        put(OpKind::slice, NoAttrs{}, {picture, begin, size},
            add(name + "/part", DType::uint8, {1, rows, columns, 1}, Quant::affine(1.0F, 0)));
    std::vector<int32_t> sizes;
    for (int i = 0; i < shape.rank(); ++i) sizes.push_back(static_cast<int32_t>(shape[i]));
    const auto rank = static_cast<int64_t>(sizes.size());
    return put(OpKind::reshape, ReshapeAttrs{},
               {part, constant<int32_t>(name + "/shape", {rank}, sizes)},
               add(name + "/levels", DType::uint8, shape, Quant::affine(1.0F, 0)));
  }
  ValueId real(const std::string& name, ValueId levels) {
    return put(OpKind::dequantize, NoAttrs{}, {levels},
               add(name, DType::float32, graph.value(levels).shape));
  }
  // Parts of 128: exact, so that a level times the picture's size is a whole number of pixels.
  ValueId parts(const std::string& name, ValueId levels) {
    const ValueId step = constant<float>(name + "/step", {1}, {1.0F / kFoundSide});
    return put(OpKind::mul, BinaryAttrs{}, {real(name + "/real", levels), step},
               add(name, DType::float32, graph.value(levels).shape));
  }
};

}  // namespace

Model pixels_model() {
  Builder b;
  const ValueId in = b.add("picture", DType::uint8, {1, 6, 8, 3}, Quant::affine(1.0F, 0));
  const ValueId out = b.add("logits", DType::int8, {1, 6, 8, 3}, Quant::affine(1.0F, -128));
  return b.finish(OpKind::quantize, NoAttrs{}, {in}, {out});
}

Model movenet_model() {
  Builder b;
  const ValueId in = b.add("bytes", DType::uint8, {1, 1, 17, 3}, Quant::affine(1.0F / 256, 0));
  const ValueId out = b.add("key points", DType::float32, {1, 1, 17, 3});
  return b.finish(OpKind::dequantize, NoAttrs{}, {in}, {out});
}

Model posenet_model() {
  Builder b;
  const std::vector<ValueId> in = {
      b.add("heatmaps", DType::uint8, {1, 3, 4, 17}, Quant::affine(0.05F, 200)),
      b.add("short_offsets", DType::uint8, {1, 3, 4, 34}, Quant::affine(0.1F, 128)),
      b.add("mid_offsets", DType::uint8, {1, 3, 4, 64}, Quant::affine(0.1F, 128))};
  PosenetAttrs attrs;
  attrs.max_detections = 2;
  attrs.score_threshold = 0.2F;
  return b.finish(
      OpKind::posenet_decoder, attrs, in,
      {b.add("points", DType::float32, {1, 2, 17, 2}), b.add("scores", DType::float32, {1, 2, 17}),
       b.add("poses", DType::float32, {1, 2}), b.add("count", DType::float32, {1})});
}

Model ssd_model() {
  Builder b;
  const ValueId boxes = b.add("boxes", DType::uint8, {1, 3, 4}, Quant::affine(0.05F, 128));
  const ValueId scores = b.add("scores", DType::uint8, {1, 3, 3}, Quant::affine(1.0F / 256, 0));
  const ValueId anchors = b.add("anchors", DType::uint8, {3, 4}, Quant::affine(0.01F, 0));
  const std::array<uint8_t, 12> content = {50, 50, 40, 20, 30, 70, 20, 20, 70, 30, 30, 30};
  Bytes bytes(content.size());
  std::memcpy(bytes.data(), content.data(), bytes.size());
  b.graph.value(anchors).constant = std::make_shared<const Bytes>(std::move(bytes));
  DetectionAttrs attrs;
  attrs.max_detections = 3;
  attrs.max_classes_per_detection = 1;
  attrs.nms_score_threshold = 0.1F;
  attrs.nms_iou_threshold = 0.6F;
  attrs.num_classes = 2;
  attrs.y_scale = attrs.x_scale = 10.0F;
  attrs.h_scale = attrs.w_scale = 5.0F;
  return b.finish(OpKind::detection_postprocess, attrs, {boxes, scores, anchors},
                  {b.add("at", DType::float32, {1, 3, 4}), b.add("classes", DType::float32, {1, 3}),
                   b.add("best", DType::float32, {1, 3}), b.add("count", DType::float32, {1})});
}

Model found_boxes_model() {
  Reader r(kFoundSide);
  const int rows = kFoundBoxes;
  return r.finish({r.parts("boxes", r.levels("corners", 0, rows, 4, {1, rows, 4})),
                   r.real("classes", r.levels("labels", 4, rows, 1, {1, rows})),
                   r.parts("scores", r.levels("marks", 5, rows, 1, {1, rows})),
                   r.real("count", r.levels("number", 6, 1, 1, {1}))});
}

Model found_people_model() {
  Reader r(kFoundSide);
  const int rows = kFoundPeople, columns = kFoundPerson;
  return r.finish({r.parts("people", r.levels("rows", 0, rows, columns, {1, rows, columns}))});
}

Model found_classes_model() {
  Reader r(kFoundMap);
  return r.finish({r.levels("classes", 0, kFoundMap, kFoundMap, {1, kFoundMap, kFoundMap, 1})});
}

}  // namespace edgetwin
