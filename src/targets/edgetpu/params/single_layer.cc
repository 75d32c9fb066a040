#include "targets/edgetpu/params/single_layer.h"

#include <algorithm>
#include <optional>
#include <set>

#include "targets/edgetpu/params/tensor_numbers.h"

namespace edgetwin::edgetpu {
namespace {

// The numbers that all instructions of one layer share; nothing if there are several layers.
std::optional<TensorNumbers> only_layer(const darwinn::Executable& e) {
  std::optional<TensorNumbers> found;
  for (const TensorPlace& t : weighted_tensors(e)) {
    if (found && !(*found == t.numbers)) return std::nullopt;
    found = t.numbers;
  }
  return found;
}

BlockShape header_of(const TensorNumbers& n) {
  BlockShape s;
  s.has_scale = n.has_scales;
  s.has_bias = n.has_bias;
  s.has_zero = n.channel_zero_points;
  return s;
}

// The window that makes the parameters as long as they are; 0: none does.
int window_of(BlockShape s, int64_t bytes) {
  constexpr int kLargest = 31;
  for (int k = 1; k <= kLargest; ++k) {
    s.kernel_h = s.kernel_w = k;
    const auto line = static_cast<int64_t>(kLineBytes);
    if ((s.bytes() + line - 1) / line * line == bytes) return k;
  }
  return 0;
}

std::optional<BlockShape> shape_of(const darwinn::Executable& e, const TensorNumbers& n,
                                   int64_t bytes) {
  const darwinn::Layer& in = e.inputs[0];
  const darwinn::Layer& out = e.outputs[0];
  constexpr int64_t kMost = 1 << 24;
  if (in.elements() <= 0 || out.elements() <= 0 || in.elements() > kMost || out.z_dim <= 0 ||
      out.elements() > kMost || in.z_dim <= 0) {
    return std::nullopt;
  }
  BlockShape s = header_of(n);
  s.out = out.z_dim;
  s.spatial = int64_t{out.y_dim} * out.x_dim > 1;
  s.in = static_cast<int>(s.spatial ? in.z_dim : in.elements());
  const int k = window_of(s, bytes);
  if (k == 0) return std::nullopt;
  s.kernel_h = s.kernel_w = k;
  return s;
}

ReferenceLayer layer_of(const darwinn::Executable& e, const BlockShape& shape,
                        const BlockContent& content) {
  ReferenceLayer l;
  l.name = e.outputs[0].name;
  l.label = "#0 '" + l.name + "'";
  l.shape = shape;
  l.content = content;
  l.content.scales.clear();
  const float in = e.inputs[0].numerics->factor;
  const float out = e.outputs[0].numerics->factor;
  l.input_scale = in;
  l.output_scales = {out};
  for (const float s : content.scales) l.weight_scales.push_back(s / (in * (1.0F / out)));
  l.weight_type = DType::int8;
  const bool window = shape.spatial || shape.kernel_h > 1;
  l.weight_shape = window ? Shape{shape.out, shape.kernel_h, shape.kernel_w, shape.in}
                          : Shape{shape.out, shape.in};
  return l;
}

}  // namespace

std::vector<Segment> segments(const darwinn::File& file, const std::vector<Blob>& blobs) {
  std::vector<Segment> all;
  for (size_t b = 0; b < blobs.size(); ++b) {
    const BlobId& id = blobs[b].id;
    const auto& e = file.ops[id.op].packages[id.package].executables[id.executable];
    if (e.type != darwinn::ExecutableType::parameter_caching) continue;
    std::vector<Segment> here;
    for (const auto& [offset, tiles] : parameter_loads(e)) {
      if (offset < blobs[b].bytes.size()) here.push_back({b, offset, 0, tiles});
    }
    std::sort(here.begin(), here.end(),
              [](const Segment& x, const Segment& y) { return x.offset < y.offset; });
    for (size_t i = 0; i < here.size(); ++i) {
      const size_t end = i + 1 < here.size() ? here[i + 1].offset : blobs[b].bytes.size();
      here[i].bytes = end - here[i].offset;
    }
    all.insert(all.end(), here.begin(), here.end());
  }
  return all;
}

Located locate_alone(const darwinn::File& file) {
  Located located;
  located.blobs = blobs_of(file);
  located.explained.assign(located.blobs.size(), 0);
  if (located.blobs.size() != 1) return located;
  const BlobId& id = located.blobs[0].id;
  const darwinn::Executable* e = file.ops[id.op].packages[id.package].inference();
  if (e == nullptr || e->inputs.size() != 1 || e->outputs.size() != 1) return located;
  if (!e->inputs[0].numerics || !e->outputs[0].numerics) return located;
  const std::optional<TensorNumbers> numbers = only_layer(*e);
  if (!numbers) return located;
  const ByteSpan bytes = located.blobs[0].bytes;
  const auto shape = shape_of(*e, *numbers, static_cast<int64_t>(bytes.size()));
  if (!shape) return located;
  const auto content = read_block(*shape, bytes, numbers->weight_zero_point);
  if (!content.ok()) return located;
  ReferenceLayer layer = layer_of(*e, *shape, *content);
  if (layer.weight_scales.empty()) {
    const float unit = layer.input_scale * (1.0F / layer.output_scales[0]);
    layer.weight_scales = {numbers->multiplier / unit};
  }
  located.layers.push_back(std::move(layer));
  if (shape->ordered()) return located;
  Piece piece;
  piece.label = located.layers[0].label;
  piece.bytes = bytes.size();
  piece.shape = *shape;
  piece.output_scale = located.layers[0].output_scales[0];
  piece.expected = write_block(*shape, *content);
  for (size_t i = 0; i < bytes.size() && i < piece.expected.size(); ++i) {
    piece.explained += piece.expected[i] == bytes[i];
  }
  located.explained[0] = static_cast<int64_t>(piece.explained);
  located.pieces.push_back(std::move(piece));
  return located;
}

}  // namespace edgetwin::edgetpu
