#include "twin/values.h"

#include <cmath>
#include <cstring>

#include "ops/registry/numerics.h"
#include "report/format.h"
#include "twin/compute.h"

namespace edgetwin::twin {
namespace {

// Random bits as floats would mostly be huge, tiny or no numbers: their integers, in [-1, 1).
void make_small(Tensor& t) {
  for (float& v : t.as<float>()) {
    int32_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    v = std::ldexp(static_cast<float>(bits), -31);
    if (v >= 1.0F) v = 0.0F;
  }
}

// A picture for an input of int8 planes: pixels minus 128, as the vendor's loaders of the MAX7800x
// make them, channel by channel.
Result<Tensor> planes_of(const Tensor& picture, const Port& port, Resize how) {
  const int channels = static_cast<int>(port.shape[0]);
  const int height = static_cast<int>(port.shape[1]), width = static_cast<int>(port.shape[2]);
  EDGETWIN_TRY_ASSIGN(const Tensor fitting, resized(picture, height, width, how));
  Value rows = value_of(port);
  rows.shape = Shape{1, height, width, channels};
  rows.quant = Quant::affine(1.0F, -128);
  EDGETWIN_TRY_ASSIGN(const Tensor pixels, exec::picture_input(fitting, rows, rows.shape));
  EDGETWIN_TRY_ASSIGN(Tensor planes, Tensor::zeros(DType::int8, port.shape));
  planes.name = port.name;
  planes.quant = port.quant;
  const auto from = pixels.as<int8_t>();
  const auto to = planes.as<int8_t>();
  const auto area = static_cast<size_t>(height) * static_cast<size_t>(width);
  for (size_t i = 0; i < area; ++i) {
    for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
      to[c * area + i] = from[i * static_cast<size_t>(channels) + c];
    }
  }
  return planes;
}

bool fits_as_it_is(const Tensor& t, const Port& from, const Port& to) {
  const bool layouts = from.planes_first == to.planes_first || to.shape.rank() < 3;
  const bool meaning = !from.quant.present() || !to.quant.present() || from.quant == to.quant;
  return layouts && meaning && t.dtype == to.dtype &&
         t.data.size() == static_cast<size_t>(storage_bytes(to.dtype, to.shape.elements()));
}

// The input of another network that has the same numbers.
Result<Tensor> input_like(const Tensor& t, const Port& from, const Port& to,
                          numerics::Rounding rounding) {
  if (fits_as_it_is(t, from, to)) {
    Tensor same = t;
    same.name = to.name;
    same.shape = to.shape;
    same.quant = to.quant;
    return same;
  }
  Tensor given = t;
  given.shape = from.shape;
  given.quant = from.quant;
  Tensor reals = reals_of(given);
  if (from.planes_first && !to.planes_first) {
    reals = channels_last(reals, is_planes(from) ? ChannelPlace::planes : ChannelPlace::first);
  } else if (!from.planes_first && to.planes_first) {
    reals = channels_first(reals);
  }
  if (reals.shape.elements() != to.shape.elements()) {
    return Error(ErrorCode::input_shape, "the input '" + to.name + "' is " + to_string(to.shape) +
                                             ", and that of the other network is " +
                                             to_string(from.shape));
  }
  reals.shape = to.shape;
  return exec::convert_input(reals, value_of(to), to.shape, rounding);
}

}  // namespace

// A port as the functions of graphs take it.
Value value_of(const Port& port) {
  Value v;
  v.name = port.name;
  v.dtype = port.dtype;
  v.shape = port.shape;
  v.quant = port.quant;
  return v;
}

bool is_planes(const Port& port) { return port.planes_first && port.dtype == DType::int8; }

numerics::Rounding rounding_of(const std::string& numerics) {
  const ops::NumericsInfo* row = ops::find_numerics(numerics);
  return row != nullptr ? row->rounding : numerics::Rounding::half_away;
}

Result<Tensor> picture_for(const Port& p, const Tensor& given_picture,
                           const exec::PictureScale& scale, Resize resize,
                           numerics::Rounding rounding) {
  if (p.planes_first && p.dtype == DType::int8) return planes_of(given_picture, p, resize);
  const bool planar = p.planes_first;
  exec::PictureSize size;
  if (planar && p.shape.rank() == 4) {
    size = {p.shape[2], p.shape[3], p.shape[1]};
  } else {
    EDGETWIN_TRY_ASSIGN(size, exec::picture_size(value_of(p), p.shape));
  }
  EDGETWIN_TRY_ASSIGN(const Tensor fitting, resized(given_picture, static_cast<int>(size.height),
                                                    static_cast<int>(size.width), resize));
  if (planar) return exec::planar_picture_input(fitting, value_of(p), p.shape, scale);
  return exec::picture_input(fitting, value_of(p), p.shape, scale, rounding);
}

Result<std::vector<Tensor>> generated_for(std::span<const Port> ports, uint32_t seed,
                                          bool small_floats) {
  Graph graph;
  std::vector<Shape> shapes;
  for (const Port& p : ports) {
    graph.inputs.push_back(static_cast<ValueId>(graph.values.size()));
    graph.values.push_back(value_of(p));
    shapes.push_back(p.shape);
  }
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> tensors, exec::generated_inputs(seed, graph, shapes));
  for (Tensor& t : tensors) {
    if (small_floats && t.dtype == DType::float32) make_small(t);
  }
  return tensors;
}

Tensor reals_of(const Tensor& t) {
  Tensor r;
  r.name = t.name;
  r.dtype = DType::float32;
  r.shape = t.shape;
  const int64_t elements = t.shape.elements();
  r.data.resize(static_cast<size_t>(elements) * sizeof(float));
  const auto to = r.as<float>();
  for (int64_t i = 0; i < elements; ++i) {
    const double value = element_as_double(t.dtype, t.data, i);
    const double zero = t.quant.present() ? static_cast<double>(t.quant.zero_point_of(0)) : 0.0;
    to[static_cast<size_t>(i)] = static_cast<float>((value - zero) * t.quant.scale_of(0));
  }
  return r;
}

namespace {

// Elements at (n, c, s) moved to (n, s, c).
Bytes swapped(const Tensor& t, int64_t n, int64_t c, int64_t s) {
  const auto size = static_cast<int64_t>(byte_size(t.dtype));
  Bytes to(t.data.size());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < c; ++k) {
      for (int64_t p = 0; p < s; ++p) {
        std::memcpy(to.data() + ((i * s + p) * c + k) * size,
                    t.data.data() + ((i * c + k) * s + p) * size, static_cast<size_t>(size));
      }
    }
  }
  return to;
}

bool can_be_moved(const Tensor& t) {
  const auto bytes = static_cast<int64_t>(byte_size(t.dtype));
  return t.shape.rank() >= 3 && bytes > 0 &&
         static_cast<int64_t>(t.data.size()) == t.shape.elements() * bytes;
}

}  // namespace

Tensor channels_last(const Tensor& t, ChannelPlace layout) {
  if (layout == ChannelPlace::last || !can_be_moved(t)) return t;
  const int axis = layout == ChannelPlace::planes && t.shape.rank() == 3 ? 0 : 1;
  const int64_t n = axis == 0 ? 1 : t.shape[0], c = t.shape[axis];
  const int64_t s = n * c > 0 ? t.shape.elements() / (n * c) : 0;
  Tensor moved = t;
  moved.data = swapped(t, n, c, s);
  for (int i = axis; i + 1 < t.shape.rank(); ++i) moved.shape[i] = t.shape[i + 1];
  moved.shape[t.shape.rank() - 1] = c;
  return moved;
}

Tensor channels_first(const Tensor& t) {
  if (!can_be_moved(t)) return t;
  const int last = t.shape.rank() - 1;
  const int64_t n = t.shape[0], c = t.shape[last];
  const int64_t s = n * c > 0 ? t.shape.elements() / (n * c) : 0;
  Tensor moved = t;
  moved.data = swapped(t, n, s, c);
  moved.shape[1] = c;
  for (int i = 2; i <= last; ++i) moved.shape[i] = t.shape[i - 1];
  return moved;
}

std::vector<Port> input_ports(const Model& model, const exec::Session& session) {
  const Graph& graph = session.graph();
  std::vector<Port> ports;
  for (const ValueId id : graph.inputs) {
    const Value& v = graph.value(id);
    Port p{v.name, v.dtype, session.shape(id), v.quant, model.main().layout == Layout::nchw, {}};
    for (const Signature& s : model.signatures) {
      if (s.graph != 0) continue;
      for (const auto& binding : s.inputs) {
        if (static_cast<ValueId>(binding.value) == id) p.aliases.push_back(binding.name);
      }
    }
    ports.push_back(std::move(p));
  }
  return ports;
}

std::vector<Port> output_ports(const Model& model, const exec::Session& session) {
  std::vector<Port> ports;
  for (const ValueId id : session.graph().outputs) {
    const Value& v = session.graph().value(id);
    ports.push_back(
        {v.name, v.dtype, session.shape(id), v.quant, model.main().layout == Layout::nchw, {}});
  }
  return ports;
}

std::vector<Port> graph_ports(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<Port> ports;
  for (const ValueId id : values) {
    const Value& v = graph.value(id);
    ports.push_back({v.name, v.dtype, v.shape, v.quant, false, {}});
  }
  return ports;
}

}  // namespace edgetwin::twin

namespace edgetwin {

Result<std::vector<Tensor>> same_inputs(std::span<const Tensor> tensors, const Runner& from,
                                        const Runner& to) {
  const std::span<const Port> ports = from.inputs();
  std::vector<Tensor> all;
  for (size_t i = 0; i < to.inputs().size(); ++i) {
    const Port& wanted = to.inputs()[i];
    size_t source = i;
    for (size_t k = 0; k < ports.size(); ++k) {
      if (ports[k].name == wanted.name) source = k;
    }
    if (source >= ports.size() || source >= tensors.size()) {
      return Error(ErrorCode::input_missing,
                   "the other network has no input like '" + wanted.name + "'");
    }
    EDGETWIN_TRY_ASSIGN(Tensor t, twin::input_like(tensors[source], ports[source], wanted,
                                                   twin::rounding_of(to.numerics())));
    all.push_back(std::move(t));
  }
  return all;
}

}  // namespace edgetwin
