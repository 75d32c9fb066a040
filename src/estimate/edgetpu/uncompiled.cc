// Source: specification of estimates 3.2.
#include <algorithm>
#include <cmath>

#include "estimate/edgetpu/edgetpu.h"
#include "estimate/edgetpu/parts.h"

namespace edgetwin::estimates {
namespace {

constexpr int64_t kSide = 4, kTileCount = 16, kLanes = 64;
constexpr int64_t kSoftmaxCode = 125'000, kLayerCode = 3'000, kLargeLayerCode = 5'000;
constexpr int64_t kLargePixels = 300 * 300;

int64_t up(int64_t n, int64_t by) { return (n + by - 1) / by; }
int64_t c4(int64_t n) { return up(n, kSide); }

// Rows, columns and channels of a map; missing ones are 1.
struct Map {
  int64_t h = 1, w = 1, c = 1;
};
Map map_of(const Value& v) {
  Map m;
  const int rank = static_cast<int>(v.shape.rank());
  if (rank > 0) m.c = v.shape[rank - 1];
  if (rank > 2) m.w = v.shape[rank - 2];
  if (rank > 3) m.h = v.shape[rank - 3];
  return m;
}

int64_t convolution(const Map& out, const Value& filter) {
  const Map taps = map_of(filter);
  const int64_t outputs = filter.shape.rank() > 0 ? filter.shape[0] : 1;
  const int64_t kh = filter.shape.rank() > 2 ? taps.h : 1,
                kw = filter.shape.rank() > 2 ? taps.w : 1;
  if (out.h == 1 && out.w == 1) {
    return up(up(outputs, kLanes), kTileCount) * kh * kw * c4(taps.c);
  }
  return c4(out.h) * c4(out.w) * kh * kw * c4(taps.c) * up(outputs, kLanes);
}

bool is_of_host(OpKind kind) {
  switch (kind) {
    case OpKind::detection_postprocess:
    case OpKind::posenet_decoder:
    case OpKind::opaque:
    case OpKind::cast:
    case OpKind::arg_max:
    case OpKind::gather:
    case OpKind::gather_nd:
    case OpKind::dequantize:
      return true;
    default:
      return false;
  }
}

// Iterations of an operator, and its products.
int64_t iterations_of(const Graph& g, const Op& op, int64_t& macs) {
  const Map out = map_of(g.value(op.outputs.front()));
  const int64_t pixels = out.h * out.w;
  switch (op.kind) {
    case OpKind::conv_2d: {
      const Value& filter = g.value(op.inputs[1]);
      macs = pixels * filter.shape.elements();
      return convolution(out, filter);
    }
    case OpKind::fully_connected: {
      const Value& filter = g.value(op.inputs[1]);
      macs = filter.shape.elements();
      return convolution(Map{}, filter);
    }
    case OpKind::depthwise_conv_2d: {
      const Map taps = map_of(g.value(op.inputs[1]));
      macs = pixels * out.c * taps.h * taps.w;
      return c4(out.h) * c4(out.w) * taps.h * taps.w * c4(out.c);
    }
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
    case OpKind::mean: {
      const Map in = map_of(g.value(op.inputs.front()));
      return c4(in.h) * c4(in.w) * c4(in.c);
    }
    default:
      return 0;
  }
}

Status refuse_float(const Graph& g) {
  for (size_t i = 0; i < g.ops.size(); ++i) {
    const Op& op = g.ops[i];
    if (op.kind != OpKind::conv_2d && op.kind != OpKind::depthwise_conv_2d &&
        op.kind != OpKind::fully_connected) {
      continue;
    }
    if (g.value(op.inputs.front()).dtype != DType::float32) continue;
    return Error(ErrorCode::file_kind, "a float network: " + op_label(g, i) + " is float32")
        .with_hint("edgetwin quantize MODEL --target edgetpu --calibrate SAMPLES -o NET.tflite");
  }
  return Ok{};
}

int64_t constant_bytes(const Graph& g, const Op& op) {
  int64_t bytes = 0;
  for (const ValueId id : op.inputs) {
    if (id != kAbsent && g.value(id).is_constant())
      bytes += static_cast<int64_t>(g.value(id).constant->size());
  }
  return bytes;
}

int64_t bytes_of(const Value& v) {
  return v.shape.elements() * std::max<int64_t>(1, static_cast<int64_t>(byte_size(v.dtype)));
}

}  // namespace

Result<TpuCounts> counts_of_graph(const Graph& g, std::vector<EstimateLayer>& layers,
                                  std::vector<std::string>& host_operators) {
  EDGETWIN_TRY(refuse_float(g));
  TpuCounts c;
  int64_t parameters = 0;
  for (size_t i = 0; i < g.ops.size(); ++i) {
    const Op& op = g.ops[i];
    if (op.outputs.empty() || op.inputs.empty()) continue;
    if (is_of_host(op.kind)) {
      host_operators.push_back(op_label(g, i));
      continue;
    }
    EstimateLayer row;
    row.index = static_cast<int>(i);
    row.name = g.value(op.outputs.front()).name;
    row.op = op_label(g, i);
    row.output = to_string(g.value(op.outputs.front()).shape);
    const int64_t n = iterations_of(g, op, row.macs);
    const auto more = static_cast<int64_t>(
        std::llround(static_cast<double>(n) * constant(Constant::edgetpu_uncompiled)));
    c.iterations += more;
    row.cycles =
        static_cast<int64_t>(constant(Constant::edgetpu_iteration) * static_cast<double>(more));
    row.bound = "compute";
    row.features = {{"iterations", static_cast<double>(more)}};
    layers.push_back(std::move(row));
    const Map out = map_of(g.value(op.outputs.front()));
    c.code += out.h * out.w > kLargePixels ? kLargeLayerCode : kLayerCode;
    if (op.kind == OpKind::softmax) {
      c.softmax = true;
      c.code += kSoftmaxCode;
    }
    parameters += constant_bytes(g, op);
  }
  const auto cache = static_cast<int64_t>(constant(Constant::edgetpu_cache_bytes));
  c.cached = std::min(parameters, cache);
  c.parameters = std::max<int64_t>(0, parameters - cache);
  for (const ValueId id : g.inputs) c.input += bytes_of(g.value(id));
  for (const ValueId id : g.outputs) c.output += bytes_of(g.value(id));
  return c;
}

Result<Estimate> estimate_uncompiled(const Graph& graph, const TpuWishes& wishes) {
  EDGETWIN_TRY_ASSIGN(tpuparts::Work w, tpuparts::begin(wishes));
  Estimate e;
  EDGETWIN_TRY_ASSIGN(w.counts, counts_of_graph(graph, e.layers, w.host_operators));
  tpuparts::finish(w, wishes, e);
  return e;
}

}  // namespace edgetwin::estimates
