// Hashes of the output stream of single layers, and how far a dense layer is from real numbers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "targets/edgetpu/silicon/recorded.h"
#include "targets/edgetpu/silicon/rules.h"

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

// Numbers of one recorded statistic.
struct Draw {
  uint32_t seed = 0;
  double weight_low = 0, weight_high = 0;  // parts of the representable range
  double input_low = 0, input_high = 0;
  int64_t n = 0;
  double scale = 0;  // of the weights
};

std::optional<Draw> draw_of(const PrintedStatistics& what) {
  const auto seed = numbers_like(what.rule, "RandomState(#)");
  const auto weights = numbers_like(what.rule, "uniform(#*wmin, #*wmax, # x #)");
  const auto input = numbers_like(what.rule, "uniform(#, #, #)");
  const auto scale = numbers_like(what.rule, "ws = #");
  if (!seed || !weights || !input || !scale) return std::nullopt;
  Draw d;
  d.seed = static_cast<uint32_t>(whole_number((*seed)[0]));
  d.weight_low = (*weights)[0], d.weight_high = (*weights)[1];
  d.input_low = (*input)[0], d.input_high = (*input)[1];
  d.n = whole_number((*weights)[2]);
  d.scale = (*scale)[0];
  return d;
}

int8_t quantized_weight(float w, float scale) {
  return static_cast<int8_t>(std::clamp(std::nearbyint(w / scale), -128.0F, 127.0F));
}

// The dense layer of a graph with other weights.
Result<GraphPtr> with_weights(const Graph& model, const std::vector<float>& weights, float scale) {
  Graph graph = model;
  for (Op& op : graph.ops) {
    if (op.kind != OpKind::fully_connected || !op.has_input(1)) continue;
    Value& v = graph.value(op.inputs[1]);
    if (!v.is_constant() || v.constant->size() != weights.size() || v.dtype != DType::int8) break;
    Bytes data(weights.size());
    for (size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<std::byte>(quantized_weight(weights[i], scale));
    }
    v.constant = std::make_shared<const Bytes>(std::move(data));
    return std::make_shared<const Graph>(std::move(graph));
  }
  return Error(ErrorCode::silicon_cases, "the model has no dense layer of int8 of that size");
}

struct Products {
  std::vector<double> device, exact;
};

Result<Products> multiply(const Graph& model, const std::vector<float>& weights,
                          const std::vector<float>& x, float scale, const Options& o, Ran& ran) {
  EDGETWIN_TRY_ASSIGN(const GraphPtr graph, with_weights(model, weights, scale));
  const Quant& in = graph->value(graph->inputs.at(0)).quant;
  Bytes input(x.size());
  const bool is_signed = graph->value(graph->inputs[0]).dtype == DType::int8;
  const float zero = static_cast<float>(in.zero_point_of(0) + (is_signed ? kSignBit : 0));
  for (size_t i = 0; i < x.size(); ++i) {
    const float q = std::nearbyint(x[i] / in.scale_of(0) + zero);
    input[i] = static_cast<std::byte>(static_cast<uint8_t>(std::clamp(q, 0.0F, 255.0F)));
  }
  EDGETWIN_TRY_ASSIGN(ran, run(graph, input, o.device, o.threads));
  const Tensor& out = ran.outputs.at(0);
  Products p;
  for (size_t i = 0; i < x.size(); ++i) {
    const double q = element_as_double(out.dtype, out.data, static_cast<int64_t>(i));
    p.device.push_back((q - static_cast<double>(out.quant.zero_point_of(0))) *
                       static_cast<double>(out.quant.scale_of(0)));
    double sum = 0.0;
    for (size_t k = 0; k < x.size(); ++k) {
      sum += static_cast<double>(weights[i * x.size() + k]) * static_cast<double>(x[k]);
    }
    p.exact.push_back(sum);
  }
  return p;
}

double mean_of(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

// Sum of the products of the distances to the means.
double together(const std::vector<double>& a, const std::vector<double>& b) {
  const double x = mean_of(a), y = mean_of(b);
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - x) * (b[i] - y);
  return sum;
}

double correlation(const Products& p) {
  return together(p.device, p.exact) /
         std::sqrt(together(p.device, p.device) * together(p.exact, p.exact));
}

struct Row {
  const char* name;
  double device, twin;
  int digits;
};

}  // namespace

Status output_hash(const Bench& bench, const OutputHash& what) {
  if (bench.options.device.empty()) return Ok{};
  return bench.c.model.starts_with("Conv2D") ? convolution_hash(bench, what)
                                             : dense_hash(bench, what);
}

Status printed_statistics(const Bench& bench, const PrintedStatistics& what) {
  const Options& o = bench.options;
  if (o.device.empty()) return Ok{};
  const auto draw = draw_of(what);
  const auto reversal =
      numbers_like(what.reversal, "= #*min(|wmin|,|wmax|), x[i] = #*sin(2*pi*i/#)");
  if (!draw || !reversal || draw->n < 1 || draw->n > 4096) {
    bench.missing("statistics", o.device, "how the inputs are made is not understood");
    return Ok{};
  }
  const auto model =
      bench.open(bench.c.model.substr(0, bench.c.model.find(' ')), "statistics", o.device);
  if (!model) return Ok{};
  const auto scale = static_cast<float>(draw->scale);
  const double low = -128.0 * draw->scale, high = 127.0 * draw->scale;
  RandomState random(draw->seed);
  const auto n = static_cast<size_t>(draw->n);
  std::vector<float> weights(n * n), x(n);
  for (float& w : weights) {
    w = static_cast<float>(random.uniform(draw->weight_low * low, draw->weight_high * high));
  }
  for (float& v : x) v = static_cast<float>(random.uniform(draw->input_low, draw->input_high));
  Ran ran, ignored;
  EDGETWIN_TRY_ASSIGN(const Products p, multiply(*model->graph, weights, x, scale, o, ran));
  std::vector<double> error(n);
  std::transform(p.device.begin(), p.device.end(), p.exact.begin(), error.begin(), std::minus<>());
  const double mean = mean_of(error);
  double largest = 0.0, squares = 0.0;
  for (const double e : error) largest = std::max(largest, std::fabs(e)), squares += e * e;
  std::fill(weights.begin(), weights.end(), 0.0F);
  for (size_t i = 0; i < n; ++i) {
    weights[i * n + n - 1 - i] = static_cast<float>((*reversal)[0] * std::min(-low, high));
    x[i] = static_cast<float>(
        (*reversal)[1] * std::sin(2.0 * std::acos(-1.0) * static_cast<double>(i) / (*reversal)[2]));
  }
  EDGETWIN_TRY_ASSIGN(const Products turned,
                      multiply(*model->graph, weights, x, scale, o, ignored));
  const std::array rows = {
      Row{"R^2", what.r_squared, 1.0 - squares / together(p.exact, p.exact), 6},
      Row{"mean", what.mean, mean, 6},
      Row{"deviation", what.deviation, std::sqrt(together(error, error) / static_cast<double>(n)),
          6},
      Row{"largest", what.largest, largest, 6},
      Row{"reversal", what.reversal_correlation, correlation(turned), 4}};
  bool equal = true;
  std::string detail;
  for (const Row& row : rows) {
    const std::string twin = fixed_digits(row.twin, row.digits);
    const std::string device = fixed_digits(row.device, row.digits);
    equal = equal && twin == device;
    detail += (detail.empty() ? "" : ", ") + std::string(row.name) + " " + twin;
    if (twin != device) detail += " (recorded " + device + ")";
  }
  Check check = bench.check("statistics", o.device);
  check.file = model->file;
  check.recorded_ties = bench.c.ties;
  bench.add(std::move(check), ran, equal, std::move(detail));
  return Ok{};
}

}  // namespace edgetwin::edgetpu::silicon
