// Operators that move elements.
#include <algorithm>
#include <cstring>

#include "formats/espdl/export/exporter.h"

namespace edgetwin::espdl {
namespace {

std::vector<int64_t> wide(const std::vector<int32_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// The order of the ONNX graph, in which lists of scales and sizes stay; see lower_resize.
template <class T>
std::vector<T> channels_second(std::vector<T> v) {
  if (v.size() >= 3) std::rotate(v.begin() + 1, v.end() - 1, v.end());
  return v;
}

}  // namespace

void export_reshape(Exporter& e, Exporter::Building& b) {
  e.take_input(b, 0);
  if (b.op.kind == OpKind::flatten) {
    b.set("axis", int64_t{b.op.as<AxisAttrs>().axis});
  } else if (b.op.kind == OpKind::reshape) {
    const auto& a = b.op.as<ReshapeAttrs>();
    b.set("allowzero", int64_t{!a.zero_copies});
    const bool by_operand = b.op.has_input(1) && e.operand(b, 1).is_constant();
    e.add_integers(b, "shape", by_operand ? integers_of(e.operand(b, 1)) : wide(a.new_shape));
  } else {
    const auto& dims = b.op.as<SqueezeAttrs>().squeeze_dims;
    if (!dims.empty()) e.add_integers(b, "axes", wide(dims));
  }
}

void export_concat(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<ConcatAttrs>();
  if (a.activation != Activation::none) e.refuse(b, "the runtime fuses no activation into it");
  b.set("axis", int64_t{a.axis});
  e.take_inputs(b, b.op.inputs.size());
}

void export_slice(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<SliceStepsAttrs>();
  e.take_input(b, 0);
  e.add_integers(b, "starts", a.starts);
  e.add_integers(b, "ends", a.ends);
  e.add_integers(b, "axes", a.axes);
  e.add_integers(b, "steps", a.steps);
}

void export_split(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<SplitSizesAttrs>();
  b.set("axis", int64_t{a.axis});
  e.take_input(b, 0);
  e.add_integers(b, "split", a.sizes);
}

void export_pad(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<BorderPadAttrs>();
  b.set("mode", a.mode == BorderPadAttrs::Mode::edge      ? "edge"
                : a.mode == BorderPadAttrs::Mode::reflect ? "reflect"
                                                          : "constant");
  e.take_input(b, 0);
  std::vector<int64_t> pads = a.before;
  pads.insert(pads.end(), a.after.begin(), a.after.end());
  e.add_integers(b, "pads", pads);
  e.take_input(b, 1);
}

void export_transpose(Exporter& e, Exporter::Building& b) {
  if (!e.operand(b, 1).is_constant()) e.refuse(b, "perm must be a constant");
  b.set("perm", integers_of(e.operand(b, 1)));
  e.take_input(b, 0);
}

void export_gather(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<GatherAttrs>();
  if (a.batch_dims != 0) e.refuse(b, "the runtime has no batch_dims");
  b.set("axis", int64_t{a.axis});
  e.take_inputs(b, 2);
}

void export_scatter(Exporter& e, Exporter::Building& b) {
  constexpr std::string_view kNames[] = {"none", "add", "mul", "max", "min"};
  b.set("reduction", kNames[static_cast<size_t>(b.op.as<ScatterAttrs>().reduction)]);
  e.take_inputs(b, 3);
}

void export_reverse_sequence(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<ReverseSequenceAttrs>();
  b.set("batch_axis", int64_t{a.batch_axis});
  b.set("time_axis", int64_t{a.time_axis});
  e.take_inputs(b, 2);
}

void export_blocks(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<BlockAttrs>();
  const bool depth = b.op.kind == OpKind::depth_to_space;
  const int64_t channels = e.graph().value(b.op.outputs[0]).shape.back(0);
  const bool crd = a.order == BlockAttrs::Order::channel_first;
  const bool plain_dcr = a.order == BlockAttrs::Order::position_first;
  if (plain_dcr && (!depth || channels != a.block_size)) {
    e.refuse(b, "the runtime does not number the channels of a block by position first");
  }
  b.set("blocksize", int64_t{a.block_size});
  b.set("mode", depth && !crd ? "DCR" : "CRD");
  e.take_input(b, 0);
}

void export_resize(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<ScaleAttrs>();
  const bool nearest = a.mode == ScaleAttrs::Mode::nearest;
  b.set("mode", nearest ? "nearest" : a.mode == ScaleAttrs::Mode::linear ? "linear" : "cubic");
  b.set("coordinate_transformation_mode", nearest           ? "asymmetric"
                                          : a.align_corners ? "align_corners"
                                                            : "half_pixel");
  if (nearest) b.set("nearest_mode", "floor");
  e.take_input(b, 0);
  b.node.inputs.emplace_back();  // the region of interest
  if (a.scales.empty()) {
    b.node.inputs.emplace_back();
    e.add_integers(b, "sizes", channels_second(a.sizes));
    return;
  }
  const std::vector<float> scales = channels_second(a.scales);
  TensorData t;
  t.type = DataType::float32;
  t.dims = {static_cast<int64_t>(scales.size())};
  t.data.resize(scales.size() * sizeof(float));
  std::memcpy(t.data.data(), scales.data(), t.data.size());
  e.add_made(b, "scales", std::move(t));
}

void export_insert_zeros(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<InsertZerosAttrs>();
  b.set("stride", a.stride);
  b.set("output_padding", a.output_padding);
  e.take_input(b, 0);
}

void export_streaming_cache(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<StreamingCacheAttrs>();
  b.set("window_size", int64_t{a.window_size});
  b.set("frame_axis", int64_t{a.frame_axis});
  e.take_input(b, 0);  // the frames kept are the runtime's own
}

}  // namespace edgetwin::espdl
