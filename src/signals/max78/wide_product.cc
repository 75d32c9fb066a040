#include "signals/max78/wide_product.h"

#include <algorithm>

#include "tensor/npy.h"

namespace edgetwin::signals {
namespace {

constexpr size_t kProcessors = 64;

// v = 256 high + low, both from -128 to 127.
struct SignedBytes {
  std::vector<int8_t> high, low;
  explicit SignedBytes(std::span<const int16_t> numbers) {
    for (const int v : numbers) {
      const int l = ((v + 128) & 255) - 128;
      low.push_back(static_cast<int8_t>(l));
      high.push_back(static_cast<int8_t>((v - l) / 256));
    }
  }
};

Error wide_refused(const std::string& message) {
  return Error(ErrorCode::template_argument, message)
      .with_hint("Numbers are from " + std::to_string(kLeastWide) + " to " +
                 std::to_string(kMostWide) + "; sides are 4 to 64, or multiples of 64 up to " +
                 std::to_string(kMostWideSide) + ".");
}

bool is_side(size_t n) {
  return (n >= 4 && n <= kProcessors) || (n % kProcessors == 0 && n <= kMostWideSide && n > 0);
}

Status check_numbers(std::span<const int16_t> numbers) {
  const auto beyond =
      std::find_if(numbers.begin(), numbers.end(), [](int v) { return v > kMostWide; });
  if (beyond == numbers.end()) return Ok{};
  return wide_refused(std::to_string(*beyond) + " is no 256 times a signed byte and a signed byte");
}

// One linear layer whose sums are its results.
std::string description_of(size_t columns) {
  const size_t used = std::min(columns, kProcessors);
  std::string mask;
  for (size_t digit = 0; digit < (used + 3) / 4; ++digit) {
    const size_t left = std::min<size_t>(4, used - 4 * digit);
    mask.insert(0, 1, "0137f"[left]);
  }
  return "arch: product\ndataset: none\nlayers:\n  - op: linear\n    processors: 0x" + mask +
         "\n    out_offset: 0x2000\n    output_width: 32\n    activate: None\n";
}

Error failure_of(const max78::Loading& loading) {
  if (loading.failure) return *loading.failure;
  return error_of(loading.findings.back(), ErrorCode::max78_rules);
}

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Result<WideProduct::Part> WideProduct::part_of(const std::vector<int8_t>& bytes, size_t rows,
                                               size_t columns) {
  // A file of one array has the layers in its first axis.
  const Shape shape = {1, static_cast<int64_t>(rows), static_cast<int64_t>(columns)};
  EDGETWIN_TRY_ASSIGN(Tensor weights, Tensor::zeros(DType::int8, shape));
  std::copy(bytes.begin(), bytes.end(), weights.as<int8_t>().begin());
  EDGETWIN_TRY_ASSIGN(Bytes npy, write_npy(weights));
  max78::NetworkSources sources;
  sources.device = max78::Device::max78000;
  sources.description = max78::Source::bytes("product.yaml", bytes_of(description_of(columns)));
  sources.weights = max78::Source::bytes("weights.npy", std::move(npy));
  sources.shape = max78::SampleShape{static_cast<int>(columns), 1, 1};
  max78::Loading loading = max78::load_network(sources, max78::SampleNeed::size_only);
  if (!loading.ok()) return failure_of(loading);
  Part part;
  part.network = std::move(loading.network);
  EDGETWIN_TRY_ASSIGN(max78::Simulation simulation,
                      max78::Simulation::make(part.network->plan(), {.trace = false}));
  part.simulation = std::make_unique<max78::Simulation>(std::move(simulation));
  return part;
}

Result<WideProduct> WideProduct::create(std::span<const int16_t> matrix, size_t rows,
                                        size_t columns) {
  if (!is_side(rows) || !is_side(columns) || matrix.size() != rows * columns) {
    return wide_refused("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                        " with " + std::to_string(matrix.size()) + " numbers");
  }
  EDGETWIN_TRY(check_numbers(matrix));
  WideProduct product;
  product.rows_ = rows;
  product.columns_ = columns;
  const SignedBytes bytes(matrix);
  EDGETWIN_TRY_ASSIGN(product.high_, part_of(bytes.high, rows, columns));
  EDGETWIN_TRY_ASSIGN(product.low_, part_of(bytes.low, rows, columns));
  return product;
}

Status WideProduct::check(std::span<const int16_t> x) const {
  if (x.size() == columns_) return check_numbers(x);
  return wide_refused(std::to_string(x.size()) + " numbers for " + std::to_string(columns_) +
                      " columns");
}

Status WideProduct::add(const Part& part, const std::vector<int8_t>& x, int64_t weight,
                        std::vector<int64_t>& to) {
  const Shape shape = {static_cast<int64_t>(columns_), 1, 1};
  EDGETWIN_TRY_ASSIGN(Tensor input, Tensor::zeros(DType::int8, shape));
  std::copy(x.begin(), x.end(), input.as<int8_t>().begin());
  EDGETWIN_TRY_ASSIGN(const max78::SimulationResult result, part.simulation->run(input));
  const auto sums = result.layers.back().out.as<int32_t>();
  for (size_t r = 0; r < rows_; ++r) to[r] += weight * sums[r];
  return Ok{};
}

Result<std::vector<int64_t>> WideProduct::multiply(std::span<const int16_t> x) {
  EDGETWIN_TRY(check(x));
  const SignedBytes bytes(x);
  std::vector<int64_t> y(rows_);
  EDGETWIN_TRY(add(high_, bytes.high, 65536, y));
  EDGETWIN_TRY(add(high_, bytes.low, 256, y));
  EDGETWIN_TRY(add(low_, bytes.high, 256, y));
  EDGETWIN_TRY(add(low_, bytes.low, 1, y));
  return y;
}

Result<std::vector<int64_t>> WideProduct::high_bytes(std::span<const int16_t> x) {
  EDGETWIN_TRY(check(x));
  std::vector<int64_t> y(rows_);
  EDGETWIN_TRY(add(high_, SignedBytes(x).high, 65536, y));
  return y;
}

}  // namespace edgetwin::signals
