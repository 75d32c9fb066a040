#include "targets/edgetpu/runtime/matmul.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

#include "targets/edgetpu/params/single_layer.h"

namespace edgetwin::edgetpu {

namespace {

Error refuse(std::string message) { return {ErrorCode::device_request, std::move(message)}; }
Error bad_input(std::string message) { return {ErrorCode::module_input, std::move(message)}; }

constexpr float kMostInt8 = 127.0F;
constexpr float kSmallestFactor = 1e-9F;

// Half to even, limited to the type. Adding and taking away 1.5 * 2^23 leaves no room for a
// fraction, so the processor's own rounding does the work; the limits are whole, so limiting first
// changes nothing.
template <class T>
T rounded(float exact) {
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr auto kHigh = static_cast<float>(std::numeric_limits<T>::max());
  constexpr float kNoFraction = 12582912.0F;
  const float limited = std::min(std::max(exact, kLow), kHigh);
  return static_cast<T>(static_cast<int>((limited + kNoFraction) - kNoFraction));
}

// Without an early end, so that it is done for many at once.
bool all_finite(std::span<const float> values) {
  unsigned bad = 0;
  for (const float v : values)
    bad |= static_cast<unsigned>(!(std::abs(v) <= std::numeric_limits<float>::max()));
  return bad == 0;
}

__attribute__((always_inline)) inline void quantize_each(std::span<const float> row, float step,
                                                         int8_t* to) {
  for (size_t c = 0; c < row.size(); ++c) to[c] = rounded<int8_t>(row[c] / step);
}

#if defined(__x86_64__)
// The same loop for wider registers: division and rounding give the same bits in each of them.
__attribute__((target("avx2"))) void quantize_wide(std::span<const float> row, float step,
                                                   int8_t* to) {
  quantize_each(row, step, to);
}
#endif

void quantize_row(std::span<const float> row, float step, int8_t* to) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide) return quantize_wide(row, step, to);
#endif
  quantize_each(row, step, to);
}

// Four neighbours of a row stand together on the chip, and those of the block's rows follow.
void put_row(const int8_t* from, size_t columns, size_t pitch, std::byte* at) {
  constexpr uint32_t kSigns = 0x80808080;
  size_t c = 0;
  for (; c + 4 <= columns; c += 4, at += pitch) {
    uint32_t four = 0;
    std::memcpy(&four, from + c, sizeof four);
    four ^= kSigns;
    std::memcpy(at, &four, sizeof four);
  }
  for (; c < columns; ++c)
    at[c % 4] = static_cast<std::byte>(static_cast<uint8_t>(from[c]) ^ 0x80U);
}

// Weights of a fully connected layer into the blocks of the chip; the places that write_block
// gives, without its freedom. In pieces of 64 columns, so that what is read and written stays in
// the cache.
void put_weights(const BlockShape& shape, std::span<const int8_t> weights, std::byte* to) {
  constexpr size_t kPiece = 64, kRows = kBlockChannels;
  const auto columns = static_cast<size_t>(shape.in), rows = static_cast<size_t>(shape.out);
  const size_t pitch = 4 * static_cast<size_t>(shape.slots());
  const auto block = static_cast<size_t>(shape.padded_block_bytes());
  const size_t header = static_cast<size_t>(shape.block_bytes()) - pitch * ((columns + 3) / 4);
  for (size_t first = 0; first < rows; first += kRows) {
    std::byte* lines = to + first / kRows * block + header;
    const size_t count = std::min(kRows, rows - first);
    for (size_t c = 0; c < columns; c += kPiece)
      for (size_t r = 0; r < count; ++r)
        put_row(weights.data() + (first + r) * columns + c, std::min(kPiece, columns - c), pitch,
                lines + c / 4 * pitch + r * 4);
  }
}

// What one step of a row's weights is worth: the chip multiplies sums by in * weight / out.
std::vector<float> weight_scales_of(const BlockContent& content, float in, float out) {
  std::vector<float> scales;
  for (const float effective : content.scales) scales.push_back(effective / (in * (1.0F / out)));
  return scales;
}

}  // namespace

Result<MatMulEngine> MatMulEngine::make(const darwinn::File& file,
                                        std::shared_ptr<EdgeTpuDevice> device) {
  MatMulEngine engine;
  engine.device_ = std::move(device);
  EDGETWIN_TRY_ASSIGN(engine.original_, DeviceModel::make(file));
  engine.model_ = engine.original_;
  if (engine.original_->caching() == nullptr)
    return refuse("the model does not keep its weights on the chip, so they cannot be replaced");
  const Located located = locate_alone(file);
  if (located.pieces.size() != 1 || located.pieces[0].offset != 0 ||
      located.pieces[0].shape.kernel_h != 1 || located.pieces[0].shape.spatial)
    return refuse("the model is not one fully connected layer");
  engine.shape_ = located.pieces[0].shape;
  if (!engine.shape_.has_scale)
    return refuse("the layer has one scale for all rows, in its instructions");
  constexpr uint8_t kMiddle = 128;
  EDGETWIN_TRY_ASSIGN(engine.content_,
                      read_block(engine.shape_, engine.original_->parameters(), kMiddle));
  for (const uint8_t zero : engine.content_.zero_points)
    if (zero != kMiddle) return refuse("the layer's weights have a zero point");
  engine.input_ = engine.original_->inputs().at(0);
  engine.output_ = engine.original_->outputs().at(0);
  engine.scales_ = weight_scales_of(engine.content_, engine.input_.scale, engine.output_.scale);
  engine.original_content_ = engine.content_;
  engine.packed_ = write_block(engine.shape_, engine.content_);
  if (!std::ranges::equal(engine.packed_, engine.original_->parameters()))
    return refuse("the model's parameters are not those of one fully connected layer");
  engine.original_scales_ = engine.scales_;
  return engine;
}

MatMulEngine::Range MatMulEngine::weight_range(int row) const {
  const float scale = scales_[static_cast<size_t>(row)];
  return {-128.0F * scale, kMostInt8 * scale};
}

Status MatMulEngine::set(std::span<const int8_t> weights) {
  put_weights(shape_, weights, packed_.data());
  return set_weights_raw(packed_);
}

Status MatMulEngine::set_weights_raw(Bytes parameters) {
  Result<std::shared_ptr<const DeviceModel>> made = model_->with_parameters(std::move(parameters));
  if (!made.ok()) return bad_input(made.error().message);
  model_ = std::move(*made);
  return Ok{};
}

void MatMulEngine::reset_weights() {
  model_ = original_;
  content_ = original_content_;
  scales_ = original_scales_;
  packed_ = write_block(shape_, content_);
}

Status MatMulEngine::set_weights_int8(std::span<const int8_t> weights) {
  if (static_cast<int64_t>(weights.size()) != shape_.weights())
    return bad_input("a matrix of " + std::to_string(rows()) + " x " + std::to_string(columns()) +
                     " is wanted, given are " + std::to_string(weights.size()) + " weights");
  return set(weights);
}

Status MatMulEngine::set_weights(std::span<const float> weights, Scales scales) {
  if (static_cast<int64_t>(weights.size()) != shape_.weights())
    return bad_input("a matrix of " + std::to_string(rows()) + " x " + std::to_string(columns()) +
                     " is wanted, given are " + std::to_string(weights.size()) + " weights");
  const auto columns_n = static_cast<size_t>(columns());
  if (!all_finite(weights)) {
    const auto not_finite =
        std::ranges::find_if(weights, [](float w) { return !std::isfinite(w); });
    const auto at = static_cast<size_t>(not_finite - weights.begin());
    return bad_input("the weight of row " + std::to_string(at / columns_n) + ", column " +
                     std::to_string(at % columns_n) + " is not finite");
  }
  integers_.resize(weights.size());
  for (size_t r = 0; r < static_cast<size_t>(rows()); ++r) {
    const auto row = weights.subspan(r * columns_n, columns_n);
    if (scales == Scales::own) {
      float largest = 0.0F;
      for (const float w : row) largest = std::max(largest, std::abs(w));
      scales_[r] = std::max(largest / kMostInt8, kSmallestFactor);
      content_.scales[r] = input_.scale * scales_[r] * (1.0F / output_.scale);
    }
    const float step = std::max(scales_[r], kSmallestFactor);
    quantize_row(row, step, integers_.data() + r * columns_n);
  }
  if (scales == Scales::own) packed_ = write_block(shape_, content_);
  return set(integers_);
}

Result<Bytes> MatMulEngine::quantized(std::span<const float> x) const {
  if (static_cast<int64_t>(x.size()) != columns())
    return bad_input("a vector of " + std::to_string(columns()) + " is wanted, given are " +
                     std::to_string(x.size()) + " values");
  const bool is_signed = input_.type == darwinn::DataType::signed8;
  const float scale = std::max(input_.scale, kSmallestFactor);
  Bytes bytes(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]))
      return bad_input("value " + std::to_string(i) + " of the vector is not finite");
    const float exact = x[i] / scale + static_cast<float>(input_.zero_point);
    bytes[i] = is_signed ? static_cast<std::byte>(rounded<int8_t>(exact))
                         : static_cast<std::byte>(rounded<uint8_t>(exact));
  }
  return bytes;
}

std::vector<float> MatMulEngine::real(ByteSpan y) const {
  const bool is_signed = output_.type == darwinn::DataType::signed8;
  std::vector<float> values;
  for (const std::byte b : y) {
    const int q = is_signed ? static_cast<int8_t>(b) : std::to_integer<int>(b);
    values.push_back(static_cast<float>(q - output_.zero_point) * output_.scale);
  }
  return values;
}

Result<Bytes> MatMulEngine::multiply_raw(ByteSpan x) {
  const ByteSpan inputs[] = {x};
  EDGETWIN_TRY_ASSIGN(std::vector<Bytes> outputs, device_->run(model_, inputs));
  return std::move(outputs[0]);
}

Result<std::vector<float>> MatMulEngine::multiply(std::span<const float> x) {
  EDGETWIN_TRY_ASSIGN(const Bytes raw, quantized(x));
  EDGETWIN_TRY_ASSIGN(const Bytes y, multiply_raw(raw));
  return real(y);
}

Result<std::vector<std::vector<float>>> MatMulEngine::multiply_batch(
    std::span<const std::vector<float>> vectors) {
  constexpr size_t kAhead = 4;
  std::deque<EdgeTpuDevice::Pending> pending;
  std::vector<std::vector<float>> results;
  const auto take = [&]() -> Status {
    EDGETWIN_TRY_ASSIGN(const std::vector<Bytes> outputs, pending.front().get());
    pending.pop_front();
    results.push_back(real(outputs[0]));
    return Ok{};
  };
  for (const std::vector<float>& x : vectors) {
    EDGETWIN_TRY_ASSIGN(const Bytes raw, quantized(x));
    const ByteSpan inputs[] = {raw};
    EDGETWIN_TRY_ASSIGN(EdgeTpuDevice::Pending started, device_->start(model_, inputs));
    pending.push_back(std::move(started));
    if (pending.size() > kAhead) EDGETWIN_TRY(take());
  }
  while (!pending.empty()) EDGETWIN_TRY(take());
  return results;
}

}  // namespace edgetwin::edgetpu
