// How far a dense layer is from real numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "targets/edgetpu/recordings/recorded.h"
#include "targets/edgetpu/recordings/rules.h"

namespace edgetwin::edgetpu::silicon {
namespace {

constexpr int kByteSignBit = 128;
constexpr int64_t kMostRows = 4096;

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
    // A decompiled network has the chip's unsigned bytes in a convolution.
    const bool layer = op.kind == OpKind::fully_connected || op.kind == OpKind::conv_2d;
    if (!layer || !op.has_input(1)) continue;
    Value& v = graph.value(op.inputs[1]);
    const bool bytes = v.dtype == DType::uint8 && v.quant.zero_point_of(0) == 128;
    if (!v.is_constant() || v.constant->size() != weights.size()) break;
    if (v.dtype != DType::int8 && !bytes) break;
    const std::byte flip{bytes ? uint8_t{0x80} : uint8_t{0}};
    Bytes data(weights.size());
    for (size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<std::byte>(quantized_weight(weights[i], scale)) ^ flip;
    }
    v.constant = std::make_shared<const Bytes>(std::move(data));
    return std::make_shared<const Graph>(std::move(graph));
  }
  return Error(ErrorCode::silicon_cases, "the model has no dense layer of int8 of that size");
}

// Weights, row by row, what they are multiplied by, and the scale of the weights as integers.
struct Operands {
  std::vector<float> weights, x;
  float scale = 1.0F;
};

// The real numbers that the weights' integers reach.
double lowest(const Draw& d) { return -128.0 * d.scale; }
double highest(const Draw& d) { return 127.0 * d.scale; }

Operands random_operands(const Draw& draw) {
  const auto n = static_cast<size_t>(draw.n);
  Operands o{std::vector<float>(n * n), std::vector<float>(n), static_cast<float>(draw.scale)};
  RandomState random(draw.seed);
  for (float& w : o.weights) {
    w = static_cast<float>(
        random.uniform(draw.weight_low * lowest(draw), draw.weight_high * highest(draw)));
  }
  for (float& v : o.x) v = static_cast<float>(random.uniform(draw.input_low, draw.input_high));
  return o;
}

// A matrix that turns a sine around: parts of the largest weight, height and period.
Operands reversing_operands(const Draw& draw, const std::vector<double>& numbers) {
  const auto n = static_cast<size_t>(draw.n);
  Operands o{std::vector<float>(n * n), std::vector<float>(n), static_cast<float>(draw.scale)};
  for (size_t i = 0; i < n; ++i) {
    const double turn = 2.0 * std::numbers::pi * static_cast<double>(i) / numbers[2];
    o.weights[i * n + n - 1 - i] =
        static_cast<float>(numbers[0] * std::min(-lowest(draw), highest(draw)));
    o.x[i] = static_cast<float>(numbers[1] * std::sin(turn));
  }
  return o;
}

struct Products {
  std::vector<double> device, exact;
};

Result<Products> multiply(const Graph& model, const Operands& operands, const Options& o,
                          Ran& ran) {
  const std::vector<float>& weights = operands.weights;
  const std::vector<float>& x = operands.x;
  EDGETWIN_TRY_ASSIGN(const GraphPtr graph, with_weights(model, weights, operands.scale));
  const Quant& in = graph->value(graph->inputs.at(0)).quant;
  Bytes input(x.size());
  const bool is_signed = graph->value(graph->inputs[0]).dtype == DType::int8;
  const float zero = static_cast<float>(in.zero_point_of(0) + (is_signed ? kByteSignBit : 0));
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

std::array<Row, 5> rows_of(const PrintedStatistics& what, const Products& p, double reversal) {
  std::vector<double> error(p.device.size());
  std::transform(p.device.begin(), p.device.end(), p.exact.begin(), error.begin(), std::minus<>());
  double largest = 0.0, squares = 0.0;
  for (const double e : error) {
    largest = std::max(largest, std::fabs(e));
    squares += e * e;
  }
  const double deviation = std::sqrt(together(error, error) / static_cast<double>(error.size()));
  return {Row{"R^2", what.r_squared, 1.0 - squares / together(p.exact, p.exact), 6},
          Row{"mean", what.mean, mean_of(error), 6}, Row{"deviation", what.deviation, deviation, 6},
          Row{"largest", what.largest, largest, 6},
          Row{"reversal", what.reversal_correlation, reversal, 4}};
}

}  // namespace

Status printed_statistics(const Bench& bench, const PrintedStatistics& what) {
  const Options& o = bench.options;
  if (o.device.empty()) return Ok{};
  const auto draw = draw_of(what);
  const auto reversal =
      numbers_like(what.reversal, "= #*min(|wmin|,|wmax|), x[i] = #*sin(2*pi*i/#)");
  if (!draw || !reversal || draw->n < 1 || draw->n > kMostRows) {
    bench.missing("statistics", o.device, "how the inputs are made is not understood");
    return Ok{};
  }
  const auto model =
      bench.open(bench.c.model.substr(0, bench.c.model.find(' ')), "statistics", o.device);
  if (!model) return Ok{};
  Ran ran, ignored;
  EDGETWIN_TRY_ASSIGN(const Products random,
                      multiply(*model->graph, random_operands(*draw), o, ran));
  EDGETWIN_TRY_ASSIGN(const Products turned,
                      multiply(*model->graph, reversing_operands(*draw, *reversal), o, ignored));
  bool equal = true;
  std::string detail;
  for (const Row& row : rows_of(what, random, correlation(turned))) {
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
