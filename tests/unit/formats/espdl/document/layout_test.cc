#include "formats/espdl/document/layout.h"

#include <gtest/gtest.h>

#include <set>

namespace edgetwin::espdl {
namespace {

Bytes bytes(std::initializer_list<int> values) {
  Bytes result;
  for (const int v : values) result.push_back(static_cast<std::byte>(v));
  return result;
}

// Numbered so that any two elements differ.
Bytes numbered(int64_t elements, size_t size) {
  Bytes result(static_cast<size_t>(elements) * size);
  for (size_t i = 0; i < static_cast<size_t>(elements); ++i) {
    for (size_t k = 0; k < size; ++k) {
      result[i * size + k] = static_cast<std::byte>(i >> (8 * k));
    }
  }
  return result;
}

TEST(EspdlLayout, EveryOrderIsAPermutationAndComesBack) {
  for (const WeightUse use :
       {WeightUse::conv, WeightUse::grouped, WeightUse::gemm, WeightUse::matmul}) {
    for (const int block : {0, 8, 16}) {
      for (const int64_t n : {1, 7, 8, 9, 16, 17, 31, 48, 50}) {
        for (const int64_t c : {1, 2, 5, 16, 19}) {
          const bool filter = use == WeightUse::conv || use == WeightUse::grouped;
          const WeightShape shape{.n = n,
                                  .h = filter ? 2 : 1,
                                  .w = filter ? 3 : 1,
                                  .c = c,
                                  .batch = use == WeightUse::matmul ? 3 : 1};
          const WeightOrder order{use, block};
          std::set<int64_t> stored;
          std::set<int64_t> plain;
          for (int64_t b = 0; b < shape.batch; ++b) {
            for (int64_t i = 0; i < shape.n * shape.c * shape.h * shape.w; ++i) {
              const int64_t x = i % shape.w;
              const int64_t y = i / shape.w % shape.h;
              const int64_t ci = i / shape.w / shape.h % shape.c;
              const int64_t ni = i / shape.w / shape.h / shape.c;
              stored.insert(stored_index(order, shape, ni, ci, y, x, b));
              plain.insert(plain_index(order, shape, ni, ci, y, x, b));
            }
          }
          for (const auto* indices : {&stored, &plain}) {
            ASSERT_EQ(static_cast<int64_t>(indices->size()), shape.elements());
            EXPECT_EQ(*indices->begin(), 0);
            EXPECT_EQ(*indices->rbegin(), shape.elements() - 1);
          }
          for (const size_t size : {1, 2}) {
            const Bytes content = numbered(shape.elements(), size);
            const auto there = to_ohwi(content, order, shape, size);
            ASSERT_TRUE(there.ok()) << to_text(there.error());
            EXPECT_EQ(*from_ohwi(*there, order, shape, size), content);
          }
        }
      }
    }
  }
}

// 10 channels in blocks of 8, 1x1, 2 input channels: 8 channels side by side, then 2 one after
// another.
TEST(EspdlLayout, BlockedByHand) {
  const WeightShape shape{.n = 10, .h = 1, .w = 1, .c = 2};
  // Element (n, c) is 10 * c + n.
  const Bytes stored = bytes({0, 1,  2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17,  //
                              8, 18, 9, 19});
  const Bytes plain = bytes({0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16, 7, 17, 8, 18, 9, 19});
  EXPECT_EQ(*to_ohwi(stored, {WeightUse::conv, 8}, shape, 1), plain);
  EXPECT_EQ(*from_ohwi(plain, {WeightUse::gemm, 8}, shape, 1), stored);
}

// 10 channels in blocks of 8, 1x2, one filter per channel: the last two channels alternate.
TEST(EspdlLayout, DepthwiseByHand) {
  const WeightShape shape{.n = 10, .h = 1, .w = 2, .c = 1};
  // Element (n, x) is 10 * x + n, which is the plain order, too.
  const Bytes stored =
      bytes({0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 8, 9, 18, 19});
  const Bytes plain = bytes({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
  EXPECT_EQ(*to_ohwi(stored, {WeightUse::grouped, 8}, shape, 1), plain);
  EXPECT_EQ(*to_ohwi(plain, {WeightUse::grouped, 0}, shape, 1), plain);
}

// Two matrices of 1 x 9 in blocks of 8, two bytes per element.
TEST(EspdlLayout, MatricesByHand) {
  const WeightShape shape{.n = 9, .h = 1, .w = 1, .c = 2, .batch = 2};
  const WeightOrder order{WeightUse::matmul, 8};
  EXPECT_EQ(stored_index(order, shape, 3, 1, 0, 0, 0), 8 + 3);
  EXPECT_EQ(stored_index(order, shape, 8, 1, 0, 0, 0), 16 + 1);
  EXPECT_EQ(stored_index(order, shape, 8, 1, 0, 0, 1), 18 + 16 + 1);
  EXPECT_EQ(plain_index(order, shape, 8, 1, 0, 0, 1), 18 + 8 * 2 + 1);
}

TEST(EspdlLayout, PlainOrderOfTargetC) {
  const WeightShape shape{.n = 3, .h = 2, .w = 2, .c = 5};
  const WeightOrder order{WeightUse::conv, 0};
  EXPECT_EQ(stored_index(order, shape, 2, 4, 1, 0), ((2 * 2 + 1) * 2 + 0) * 5 + 4);
  EXPECT_EQ(stored_index({WeightUse::grouped, 0}, shape, 2, 4, 1, 0),
            ((1 * 2 + 0) * 5 + 4) * 3 + 2);
  const Bytes content = numbered(shape.elements(), 1);
  EXPECT_EQ(*to_ohwi(content, order, shape, 1), content);
}

TEST(EspdlLayout, ShapesOfStoredSizes) {
  const WeightShape conv{.n = 32, .h = 3, .w = 5, .c = 7};
  EXPECT_EQ(*weight_shape(WeightUse::conv, {3, 5, 7, 32}), conv);
  EXPECT_EQ(*weight_shape(WeightUse::grouped, {3, 5, 32, 7}), conv);
  const WeightShape line{.n = 32, .h = 1, .w = 5, .c = 7};
  EXPECT_EQ(*weight_shape(WeightUse::conv, {5, 7, 32}), line);
  const WeightShape matrix{.n = 32, .h = 1, .w = 1, .c = 7};
  EXPECT_EQ(*weight_shape(WeightUse::gemm, {1, 1, 7, 32}), matrix);
  const WeightShape matrices{.n = 32, .h = 1, .w = 1, .c = 7, .batch = 6};
  EXPECT_EQ(*weight_shape(WeightUse::matmul, {2, 3, 7, 32}), matrices);
  EXPECT_EQ(stored_dims(WeightUse::conv, conv), (std::vector<int64_t>{3, 5, 7, 32}));
  EXPECT_EQ(stored_dims(WeightUse::grouped, line, true), (std::vector<int64_t>{5, 32, 7}));
  EXPECT_EQ(stored_dims(WeightUse::matmul, matrices), (std::vector<int64_t>{6, 7, 32}));
  for (const auto& [use, dims] : std::vector<std::pair<WeightUse, std::vector<int64_t>>>{
           {WeightUse::conv, {3, 4}},
           {WeightUse::conv, {1, 1, 1, 1, 1}},
           {WeightUse::conv, {1, 1, 0, 1}},
           {WeightUse::conv, {1, 1, -1, 1}},
           {WeightUse::gemm, {7, 32}},
           {WeightUse::gemm, {2, 1, 7, 32}},
           {WeightUse::matmul, {7}},
           {WeightUse::matmul, {int64_t{1} << 40, int64_t{1} << 40}}}) {
    ASSERT_FALSE(weight_shape(use, dims).ok());
    EXPECT_EQ(weight_shape(use, dims).error().code, ErrorCode::espdl_layout);
  }
}

TEST(EspdlLayout, BytesMustFit) {
  const WeightShape shape{.n = 2, .h = 1, .w = 1, .c = 2};
  EXPECT_FALSE(to_ohwi(Bytes(3), {WeightUse::conv, 16}, shape, 1).ok());
  EXPECT_FALSE(to_ohwi(Bytes(4), {WeightUse::conv, 16}, shape, 2).ok());
  EXPECT_FALSE(to_ohwi(Bytes(16), {WeightUse::conv, 16}, shape, 4).ok());
  EXPECT_FALSE(to_ohwi(Bytes(4), {WeightUse::conv, 7}, shape, 1).ok());
  EXPECT_FALSE(
      from_ohwi(Bytes(4), {WeightUse::conv, 16}, {.n = -2, .h = -1, .w = 1, .c = 2}, 1).ok());
}

TEST(EspdlLayout, TagsAreMadeAndParsed) {
  const WeightShape aligned{.n = 32, .h = 3, .w = 3, .c = 4};
  const WeightShape odd{.n = 33, .h = 1, .w = 3, .c = 4};
  const auto text = [](WeightUse use, int block, const WeightShape& shape, bool one_dim = false) {
    const LayoutTag tag = tag_of({use, block}, shape, one_dim);
    EXPECT_EQ(parse_tag(to_text(tag)), tag);
    EXPECT_EQ(parse_tag(layout_doc(tag)), tag);
    return to_text(tag);
  };
  EXPECT_EQ(text(WeightUse::conv, 16, aligned), "(N/16)HWC16");
  EXPECT_EQ(text(WeightUse::grouped, 16, odd), "(N/16)HWC16_UNALIGNED");
  EXPECT_EQ(text(WeightUse::gemm, 8, aligned), "(N/8)HWC8");
  EXPECT_EQ(text(WeightUse::conv, 8, odd, true), "(N/8)WC8_UNALIGNED");
  EXPECT_EQ(text(WeightUse::conv, 16, aligned, true), "(N/16)WC16");
  EXPECT_EQ(text(WeightUse::conv, 0, odd), "NHWC");
  EXPECT_EQ(text(WeightUse::grouped, 0, odd), "HWCN");
  EXPECT_EQ(text(WeightUse::conv, 0, odd, true), "NWC");
  EXPECT_EQ(text(WeightUse::grouped, 0, odd, true), "WCN");
  EXPECT_EQ(parse_tag("N16HWC16_UNALIGNED"), tag_of({WeightUse::conv, 16}, odd));
  EXPECT_EQ(parse_tag("layout ==> N8WC8"), tag_of({WeightUse::conv, 8}, aligned, true));
  for (const char* none :
       {"", "UNK", "layout ==> UNK", "NHW", "(N/16)HWC8", "(N/4)HWC4", "NHWC "}) {
    EXPECT_EQ(parse_tag(none), std::nullopt) << none;
  }
  EXPECT_EQ(layout_doc(std::nullopt), "layout ==> UNK");
}

}  // namespace
}  // namespace edgetwin::espdl
