#include "signals/measure/costs.h"

#include <array>
#include <cmath>

#include "signals/fft/network.h"
#include "signals/measure/espdl.h"
#include "tensor/tensor.h"

namespace edgetwin::signals {
namespace {

// Cycles: of a byte of activations and a node, of a vector step and a group of 16 results of the
// product, of a thousand bytes of weights that leave the cache (of more than `middle` bytes, and of
// more than `large`).
struct EspdlCycles {
  double clock, byte, node, step, group;
  double middle_bytes, middle, large_bytes, large;
};
constexpr EspdlCycles kS3 = {240e6, 0.308, 19300.0, 2.81, 103.0, 65536.0, 2690.0, 65536.0, 2690.0};
constexpr EspdlCycles kP4 = {400e6, 0.290, 10700.0, 1.48, 100.0, 65536.0, 148.0, 204800.0, 272.0};

double bytes_of(const Graph& g, const Op& op) {
  const auto size = [&g](ValueId id) {
    const Value& v = g.value(id);
    return static_cast<double>(storage_bytes(v.dtype, v.shape.elements()));
  };
  double bytes = size(op.outputs.front());
  for (const ValueId id : op.inputs) {
    if (id != kAbsent && !g.value(id).is_constant()) bytes += size(id);
  }
  return bytes;
}

double product_cycles(const EspdlCycles& c, const FftOptions& o) {
  const double row = 2.0 * o.size, groups = o.batch * std::ceil(row / 16.0), weights = row * row;
  double cycles = c.step * groups * row + c.group * groups;
  if (weights > c.middle_bytes) {
    cycles += (weights > c.large_bytes ? c.large : c.middle) * o.batch * weights / 1000.0;
  }
  return cycles;
}

// ESP-DL's own transforms of complex numbers: benchmark_esp32s3.md and benchmark_esp32p4.md of
// tools/dl_fft, esp-dl 12c0616. Milliseconds of `dl fft s16`, `dl fft hp s16`, `dl fft`; decibels
// of the first two.
struct PublishedFft {
  int size;
  std::array<double, 3> s3, p4;
};
constexpr PublishedFft kPublished[] = {
    {128, {0.008, 0.030, 0.062}, {0.004, 0.013, 0.034}},
    {256, {0.016, 0.060, 0.138}, {0.008, 0.026, 0.076}},
    {512, {0.033, 0.122, 0.302}, {0.016, 0.055, 0.169}},
    {1024, {0.070, 0.252, 0.658}, {0.034, 0.115, 0.372}},
    {2048, {3.353, 3.302, 1.427}, {0.141, 0.241, 0.811}},
};

std::string pair_text(double s3, double p4, int digits) {
  return decimals(s3, digits) + " / " + decimals(p4, digits);
}

}  // namespace

double espdl_milliseconds(const Graph& g, const FftOptions& o, espdl::Target target) {
  const EspdlCycles& c = target == espdl::Target::esp32s3 ? kS3 : kP4;
  double cycles = 0.0;
  for (const Op& op : g.ops) {
    cycles += c.byte * bytes_of(g, op) + c.node;
    if (op.kind == OpKind::fully_connected) cycles += product_cycles(c, o);
  }
  return 1e3 * cycles / c.clock;
}

namespace {

// The product has the same nodes and bytes before it is quantized for ESP-DL, and large ones take
// long. Butterflies have more nodes then: where scales differ, numbers are rounded anew; how many,
// depends a little on the samples.
Result<double> milliseconds_of(const FftOptions& o, espdl::Target target) {
  if (o.form == FftForm::matrix) {
    EDGETWIN_TRY_ASSIGN(const Model model, fft_network(o, fft_reach(o)));
    return espdl_milliseconds(model.main(), o, target);
  }
  const auto samples = test_noise(static_cast<size_t>(o.size), 1);
  EDGETWIN_TRY_ASSIGN(const Graph network, espdl_fft(o, target, 8, samples));
  return espdl_milliseconds(network, o, target);
}

}  // namespace

Result<std::string> fft_cost_table() {
  std::string text =
      table_head({"N", "butterfly: products", "sums", "parameters", "ms", "matrix: products",
                  "parameters", "ms", "`dl fft s16`, ms", "`dl fft hp s16`, ms", "`dl fft`, ms"});
  for (const PublishedFft& published : kPublished) {
    std::vector<std::string> row = {std::to_string(published.size)};
    for (const FftForm form : {FftForm::butterfly, FftForm::matrix}) {
      const FftOptions o{published.size, 1, form, FftScaling::worst, FftNumber::int8};
      const FftCost cost = fft_cost(o);
      row.push_back(std::to_string(cost.multiplications));
      if (form == FftForm::butterfly) row.push_back(std::to_string(cost.additions));
      row.push_back(std::to_string(cost.parameters));
      EDGETWIN_TRY_ASSIGN(const double s3, milliseconds_of(o, espdl::Target::esp32s3));
      EDGETWIN_TRY_ASSIGN(const double p4, milliseconds_of(o, espdl::Target::esp32p4));
      row.push_back(pair_text(s3, p4, 1));
    }
    for (size_t i = 0; i < published.s3.size(); ++i) {
      row.push_back(pair_text(published.s3[i], published.p4[i], 3));
    }
    text += table_line(row);
  }
  return text;
}

std::string table_line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string table_head(const std::vector<std::string>& titles) {
  return table_line(titles) + table_line(std::vector<std::string>(titles.size(), "---"));
}

std::string decimals(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  int64_t unit = 1;
  for (int i = 0; i < digits; ++i) unit *= 10;
  const auto whole =
      static_cast<int64_t>(std::nearbyint(std::fabs(value) * static_cast<double>(unit)));
  std::string rest = std::to_string(whole % unit);
  rest.insert(0, static_cast<size_t>(digits) - rest.size(), '0');
  const std::string sign = value < 0.0 && whole != 0 ? "-" : "";
  return sign + std::to_string(whole / unit) + "." + rest;
}

}  // namespace edgetwin::signals
