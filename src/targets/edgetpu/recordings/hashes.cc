// Hashes of the output stream of single layers.
#include "targets/edgetpu/recordings/recorded.h"
#include "targets/edgetpu/recordings/rules.h"

namespace edgetwin::edgetpu::silicon {
namespace {

constexpr int kSignBit = 128;

// The bytes that are recorded as "wire byte i = i mod 251".
Bytes counting_bytes(size_t size) {
  constexpr size_t kPeriod = 251;
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i % kPeriod);
  return bytes;
}

// Unsigned bytes in the order in which 4 x 4 tiles of equal size leave the chip.
Result<Bytes> tiled(const Tensor& t) {
  constexpr int64_t kTiles = 4;
  const Shape& s = t.shape;
  if (s.rank() != 4 || s[1] % kTiles != 0 || s[2] % kTiles != 0) {
    return Error(ErrorCode::silicon_cases,
                 "an output of " + to_string(s) + " does not divide into 4 x 4 tiles");
  }
  const Bytes dense = wire_bytes(t);
  const int64_t h = s[1] / kTiles, w = s[2] / kTiles, c = s[3];
  Bytes out;
  out.reserve(dense.size());
  for (int64_t tile = 0; tile < kTiles * kTiles; ++tile) {
    for (int64_t y = 0; y < h; ++y) {
      const int64_t row = (tile / kTiles * h + y) * s[2] + tile % kTiles * w;
      const auto from = dense.begin() + row * c;
      out.insert(out.end(), from, from + w * c);
    }
  }
  return out;
}

void compare_hash(const Bench& bench, const OutputHash& what, Check check, const Ran& ran,
                  const Bytes& stream) {
  const std::string hash = hash_text(fnv1a(stream));
  const bool equal = hash == what.device_hash;
  std::string detail = std::to_string(stream.size()) + " bytes, hash " + hash;
  if (!equal) detail += ", recorded " + what.device_hash;
  if (what.elements > 0 && what.elements != static_cast<int64_t>(stream.size())) {
    detail += " of " + std::to_string(what.elements) + " bytes";
  }
  check.recorded_ties = bench.c.ties;
  bench.add(std::move(check), ran, equal, std::move(detail));
}

// The model's convolution with another size and other quantization.
GraphPtr resized(const Graph& model, const OutputHash& what, int64_t height, int64_t width) {
  Graph graph = model;
  const Op& conv = graph.ops.at(0);
  const auto set = [&](ValueId id, const Quant& q) {
    Value& v = graph.value(id);
    v.shape[1] = height, v.shape[2] = width;
    v.quant = Quant::affine(q.scale_of(0), q.zero_point_of(0) - kSignBit);
  };
  set(conv.inputs[0], *what.input);
  set(conv.outputs[0], *what.output);
  return std::make_shared<const Graph>(std::move(graph));
}

// "Conv2D 3x3 stride 1 same, 12 x 176 x 32 -> 32, no bias; weights as in NAME"
Status convolution_hash(const Bench& bench, const OutputHash& what) {
  const std::string& numerics = bench.options.device;
  constexpr std::string_view kAsIn = "weights as in ";
  const auto shape = numbers_like(bench.c.model, ", # x # x # -> #,");
  const size_t as_in = bench.c.model.find(kAsIn);
  if (!shape || as_in == std::string::npos || !what.input || !what.output) {
    bench.missing("hash", numerics, "how the model is made is not understood");
    return Ok{};
  }
  const auto model = bench.open(bench.c.model.substr(as_in + kAsIn.size()), "hash", numerics);
  if (!model) return Ok{};
  const Graph& graph = *model->graph;
  const bool fits = graph.ops.size() == 1 && graph.ops[0].kind == OpKind::conv_2d &&
                    graph.value(graph.inputs.at(0)).shape.rank() == 4 &&
                    graph.value(graph.outputs.at(0)).shape.rank() == 4;
  const auto size = [&shape](size_t i) { return whole_number((*shape)[i]); };
  if (!fits || graph.value(graph.inputs[0]).shape[3] != size(2) || size(0) < 1 || size(1) < 1 ||
      size(0) > (1 << 20) || size(1) > (1 << 20) || size(0) * size(1) > (1 << 20)) {
    return Error(ErrorCode::silicon_cases, "'" + model->file + "' is no such convolution");
  }
  const Bytes input = counting_bytes(static_cast<size_t>(size(0) * size(1) * size(2)));
  Check check = bench.check("hash", numerics);
  check.file = model->file;
  EDGETWIN_TRY_ASSIGN(const Ran ran, run(resized(graph, what, size(0), size(1)), input, numerics,
                                         bench.options.threads));
  EDGETWIN_TRY_ASSIGN(const Bytes stream, tiled(ran.outputs.at(0)));
  compare_hash(bench, what, std::move(check), ran, stream);
  return Ok{};
}

// A dense layer of int8 with equal quantization on both sides: identity weights (127, one with the
// scale 1/127) or zeros.
GraphPtr dense_graph(int64_t n, bool identity) {
  constexpr int8_t kOne = 127;
  auto graph = std::make_shared<Graph>();
  Value in, weights, out;
  in.name = "input", out.name = "output", weights.name = "weights";
  in.dtype = weights.dtype = out.dtype = DType::int8;
  in.shape = out.shape = {1, n};
  in.quant = out.quant = Quant::affine(1.0F / kOne, 0);
  weights.shape = {n, n};
  weights.quant = Quant::affine(1.0F / kOne, 0);
  Bytes data(static_cast<size_t>(n * n));
  for (int64_t i = 0; identity && i < n; ++i) {
    data[static_cast<size_t>(i * n + i)] = static_cast<std::byte>(kOne);
  }
  weights.constant = std::make_shared<const Bytes>(std::move(data));
  graph->values = {in, weights, out};
  Op op;
  op.kind = OpKind::fully_connected;
  op.attrs = FullyConnectedAttrs{};
  op.inputs = {0, 1};
  op.outputs = {2};
  graph->ops.push_back(std::move(op));
  graph->inputs = {0};
  graph->outputs = {2};
  return graph;
}

Status dense_hash(const Bench& bench, const OutputHash& what) {
  const std::string& numerics = bench.options.device;
  const bool identity = bench.c.model.find("identity weights") != std::string::npos;
  const bool zeros = bench.c.model.find("all weights 0") != std::string::npos;
  auto size = numbers_like(bench.c.model, "Dense # x");
  if (!size) size = numbers_like(bench.c.id, " #");
  constexpr double kMost = 8192;
  if ((!identity && !zeros) || !size || !((*size)[0] >= 1 && (*size)[0] <= kMost)) {
    bench.missing("hash", numerics, "how the model is made is not understood");
    return Ok{};
  }
  const auto n = static_cast<int64_t>((*size)[0]);
  Check check = bench.check("hash", numerics);
  check.file = identity ? "made: identity" : "made: zeros";
  EDGETWIN_TRY_ASSIGN(
      const Ran ran, run(dense_graph(n, identity), counting_bytes(static_cast<size_t>(n)), numerics,
                         bench.options.threads));
  compare_hash(bench, what, std::move(check), ran, wire_bytes(ran.outputs.at(0)));
  return Ok{};
}

}  // namespace

Status output_hash(const Bench& bench, const OutputHash& what) {
  if (bench.options.device.empty()) return Ok{};
  return bench.c.model.starts_with("Conv2D") ? convolution_hash(bench, what)
                                             : dense_hash(bench, what);
}

}  // namespace edgetwin::edgetpu::silicon
