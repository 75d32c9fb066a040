// The orders in which .espdl files store weights, and the texts that name them. The orders are
// those of docs/formats/espdl.md, "Weight orders"; the device goes by the operator, never by the
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::espdl {

// What the weights are for; it decides order and sizes.
enum class WeightUse : uint8_t {
  conv,     // group 1: every output channel has all input channels
  grouped,  // group > 1; depthwise where there is one input channel per group
  gemm,     // a matrix, stored as a 1x1 convolution
  matmul,   // constant right operands of MatMul: matrices, each stored as a 1x1 convolution
};

struct WeightOrder {
  WeightUse use = WeightUse::conv;
  int block = 0;  // output channels side by side: 16 of int8 or 8 of int16 on the vector chips, 0
                  // on target c
  bool operator==(const WeightOrder&) const = default;
};

// Block of the vector chips for elements of this many bytes. Only 1 and 2 occur.
constexpr int vector_block(size_t element_size) { return element_size == 1 ? 16 : 8; }

// n output channels, c input channels of a group, h x w taps; `batch` matrices of MatMul.
struct WeightShape {
  int64_t n = 1, h = 1, w = 1, c = 1;
  int64_t batch = 1;
  bool operator==(const WeightShape&) const = default;
  int64_t elements() const { return batch * n * h * w * c; }
};

// From the sizes as stored: conv [H][W][C][N], grouped [H][W][N][C] (both without H in one
// dimension), gemm [1][1][C][N], matmul [...][C][N]. Error: espdl_layout for another rank, a size
// below 1 or more than 1 GiB of elements.
Result<WeightShape> weight_shape(WeightUse use, const std::vector<int64_t>& dims);
// The sizes to store; of conv and grouped, `one_dim` leaves H out, which must be 1. A batch of
// several matrices has one size in front; other spellings of it are the caller's.
std::vector<int64_t> stored_dims(WeightUse use, const WeightShape& shape, bool one_dim = false);

// Where element (n, c, y, x) of matrix b is stored, and where it is in plain order. Plain order is
// [B][N][H][W][C], for grouped weights [H][W][N][C] (1HWO where c is 1). No checks.
int64_t stored_index(const WeightOrder& order, const WeightShape& shape, int64_t n, int64_t c,
                     int64_t y, int64_t x, int64_t b = 0);
int64_t plain_index(const WeightOrder& order, const WeightShape& shape, int64_t n, int64_t c,
                    int64_t y, int64_t x, int64_t b = 0);

// Whole weights from stored to plain order and back. Elements have 1 or 2 bytes. Error:
// espdl_layout where the bytes do not fit the shape or the block is not 0, 8 or 16.
Result<Bytes> to_ohwi(ByteSpan stored, const WeightOrder& order, const WeightShape& shape,
                      size_t element_size);
Result<Bytes> from_ohwi(ByteSpan plain, const WeightOrder& order, const WeightShape& shape,
                        size_t element_size);

// A text such as "(N/16)HWC16_UNALIGNED".
struct LayoutTag {
  int block = 0;         // 0: no blocks
  bool grouped = false;  // HWCN; blocked texts do not say it
  bool one_dim = false;
  bool unaligned = false;  // n is no multiple of the block
  bool operator==(const LayoutTag&) const = default;
};
LayoutTag tag_of(const WeightOrder& order, const WeightShape& shape, bool one_dim = false);
std::string to_text(const LayoutTag& tag);
// Also the older "N16HWC16", and after "layout ==> ", as in a tensor's doc_string. Nothing for UNK
// and all else.
std::optional<LayoutTag> parse_tag(std::string_view text);
// "layout ==> " and the tag, or UNK without one.
std::string layout_doc(const std::optional<LayoutTag>& tag);

}  // namespace edgetwin::espdl
