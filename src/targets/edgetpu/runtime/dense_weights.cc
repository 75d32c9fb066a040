#include "targets/edgetpu/runtime/dense_weights.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/params/single_layer.h"

namespace edgetwin::edgetpu {

namespace {

Error not_dense(std::string message) { return {ErrorCode::device_request, std::move(message)}; }

// Four neighbours of a row are next to each other on the chip, and those of the block's rows
// follow.
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

Result<DenseWeights> DenseWeights::make(const darwinn::File& file,
                                        std::shared_ptr<const DeviceModel> model) {
  DenseWeights dense;
  dense.original_ = std::move(model);
  if (dense.original_->caching() == nullptr)
    return not_dense("the model does not keep its weights on the chip, so they cannot be replaced");
  const Located located = locate_alone(file);
  if (located.pieces.size() != 1 || located.pieces[0].offset != 0 ||
      located.pieces[0].shape.kernel_h != 1 || located.pieces[0].shape.spatial)
    return not_dense("the model is not one fully connected layer");
  dense.shape_ = located.pieces[0].shape;
  if (!dense.shape_.has_scale)
    return not_dense("the layer has one scale for all rows, in its instructions");
  constexpr uint8_t kMiddle = 128;
  EDGETWIN_TRY_ASSIGN(dense.content_,
                      read_block(dense.shape_, dense.original_->parameters(), kMiddle));
  for (const uint8_t zero : dense.content_.zero_points)
    if (zero != kMiddle) return not_dense("the layer's weights have a zero point");
  dense.input_scale_ = dense.original_->inputs().at(0).scale;
  dense.output_scale_ = dense.original_->outputs().at(0).scale;
  dense.scales_ = weight_scales_of(dense.content_, dense.input_scale_, dense.output_scale_);
  dense.original_content_ = dense.content_;
  dense.packed_ = write_block(dense.shape_, dense.content_);
  if (!std::ranges::equal(dense.packed_, dense.original_->parameters()))
    return not_dense("the model's parameters are not those of one fully connected layer");
  dense.original_scales_ = dense.scales_;
  return dense;
}

bool DenseWeights::has_bias() const {
  return std::ranges::any_of(content_.bias, [](int32_t b) { return b != 0; });
}

Result<std::shared_ptr<const DeviceModel>> DenseWeights::with(std::span<const int8_t> weights) {
  put_weights(shape_, weights, packed_.data());
  return original_->with_parameters(packed_);
}

Result<std::shared_ptr<const DeviceModel>> DenseWeights::with(std::span<const int8_t> weights,
                                                              std::span<const float> scales) {
  scales_.assign(scales.begin(), scales.end());
  for (size_t r = 0; r < scales_.size(); ++r)
    content_.scales[r] = input_scale_ * scales_[r] * (1.0F / output_scale_);
  packed_ = write_block(shape_, content_);
  return with(weights);
}

std::shared_ptr<const DeviceModel> DenseWeights::reset() {
  content_ = original_content_;
  scales_ = original_scales_;
  packed_ = write_block(shape_, content_);
  return original_;
}

}  // namespace edgetwin::edgetpu
