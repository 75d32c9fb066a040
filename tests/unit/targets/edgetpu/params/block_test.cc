// The layout of parameters, against its definition written out element by element.
#include "targets/edgetpu/params/block.h"

#include <gtest/gtest.h>

#include <cstring>

#include "targets/edgetpu/params/constants.h"

namespace edgetwin::edgetpu {
namespace {

BlockContent content_of(const BlockShape& s) {
  BlockContent c;
  for (int64_t i = 0; i < s.weights(); ++i)
    c.weights.push_back(static_cast<std::byte>(i * 37 % 253));
  for (int o = 0; o < s.out; ++o) {
    if (s.has_scale) c.scales.push_back(0.5F + static_cast<float>(o));
    if (s.has_bias) c.bias.push_back(1000 - 7 * o);
    if (s.has_zero) c.zero_points.push_back(128);
  }
  if (!s.has_zero) c.zero_points = {77};
  return c;
}

uint32_t word_at(const Bytes& b, size_t at) {
  uint32_t v = 0;
  std::memcpy(&v, b.data() + at, sizeof v);
  return v;
}

// Element (o, ky, kx, i) of a dense block.
size_t place_of(const BlockShape& s, int o, int ky, int kx, int i) {
  const int taps = s.kernel_h * s.kernel_w, steps = (s.in + 3) / 4;
  const int tap = ky * s.kernel_w + kx;
  int line = s.order == LineOrder::input_outer ? i / 4 * taps + tap : tap * steps + i / 4;
  if (const int n = s.inner_words; n != 0) line = (i / 4 / n * taps + tap) * n + i / 4 % n;
  const auto block = static_cast<size_t>(o / 64) * static_cast<size_t>(s.padded_block_bytes());
  return block + static_cast<size_t>(4 * s.slots() * s.items() + line * 4 * s.slots() +
                                     4 * (o % 64) + i % 4);
}

void check_dense(const BlockShape& s) {
  const BlockContent c = content_of(s);
  const Bytes block = write_block(s, c);
  EXPECT_EQ(block.size() % kLineBytes, 0U);
  size_t at = 0;
  for (int o = 0; o < s.out; ++o) {
    for (int ky = 0; ky < s.kernel_h; ++ky) {
      for (int kx = 0; kx < s.kernel_w; ++kx) {
        for (int i = 0; i < s.in; ++i, ++at) {
          ASSERT_EQ(block[place_of(s, o, ky, kx, i)], c.weights[at])
              << o << " " << ky << " " << kx << " " << i;
        }
      }
    }
  }
  const auto again = read_block(s, block, 77);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->weights, c.weights);
  EXPECT_EQ(again->scales, c.scales);
  EXPECT_EQ(again->bias, c.bias);
  EXPECT_EQ(write_block(s, *again), block);
}

TEST(Block, DenseLayersOfManySizes) {
  for (const int out : {1, 3, 4, 5, 16, 17, 63, 64, 65, 130}) {
    for (const int in : {1, 3, 4, 5, 16, 18, 35}) {
      for (const int kernel : {1, 3}) {
        for (const bool spatial : {false, true}) {
          BlockShape s{.out = out, .in = in, .kernel_h = kernel, .kernel_w = kernel};
          s.spatial = spatial;
          s.has_scale = out % 2 == 0, s.has_bias = in % 2 == 0, s.has_zero = s.has_scale;
          check_dense(s);
          s.order = LineOrder::input_inner;
          check_dense(s);
          if (in % 16 == 0) {
            s.inner_words = 2;
            check_dense(s);
          }
        }
      }
    }
  }
}

TEST(Block, SlotsFollowTheNumberOfChannels) {
  EXPECT_EQ((BlockShape{.out = 1, .spatial = false}.slots()), 16);
  EXPECT_EQ((BlockShape{.out = 1, .spatial = true}.slots()), 4);
  EXPECT_EQ((BlockShape{.out = 5, .spatial = true}.slots()), 16);
  EXPECT_EQ((BlockShape{.out = 33}.slots()), 48);
  EXPECT_EQ((BlockShape{.out = 1001}.slots()), 64);
}

// 256 x 256, per channel: 512 bytes of header in front of every 64 channels.
TEST(Block, HeaderOfADenseLayer) {
  const BlockShape s{.out = 256, .in = 256, .has_scale = true, .has_zero = true};
  const Bytes block = write_block(s, content_of(s));
  EXPECT_EQ(block.size(), 67584U);
  EXPECT_EQ(word_at(block, 4), 0x3fc00000U);  // 1.5
  EXPECT_EQ(word_at(block, 256), 128U);
}

TEST(Block, FillersOfAPartialBlock) {
  const BlockShape s{.out = 66, .in = 4, .has_scale = true, .has_bias = true, .has_zero = true};
  const Bytes block = write_block(s, content_of(s));
  const auto second = static_cast<size_t>(s.padded_block_bytes());
  EXPECT_EQ(word_at(block, second + 8), 0x3f000000U);   // slot 2: channel 0 of the layer, 0.5
  EXPECT_EQ(word_at(block, second + 16), 0x3f800000U);  // slot 4: 1.0
  EXPECT_EQ(word_at(block, second + 256 + 8), 0U);      // no bias
  EXPECT_EQ(word_at(block, second + 512 + 8), 128U);
  EXPECT_EQ(word_at(block, second + 512 + 16), 0U);
  EXPECT_EQ(word_at(block, second + 768 + 8), 0x80808080U);  // weights of slot 2
  EXPECT_EQ(word_at(block, second + 768 + 16), 0U);
}

TEST(Block, DepthwiseGroupsOfFour) {
  const BlockShape s{
      .kind = BlockKind::depthwise, .out = 6, .kernel_h = 3, .kernel_w = 3, .has_bias = true};
  const BlockContent c = content_of(s);
  const Bytes block = write_block(s, c);
  EXPECT_EQ(s.block_bytes(), 160);
  ASSERT_EQ(block.size(), 320U);
  EXPECT_EQ(block[16 + 5], c.weights[9]);   // channel 1, first tap
  EXPECT_EQ(block[16 + 1], std::byte{77});  // off the diagonal
  EXPECT_EQ(block[160 + 16 + 16 + 5], c.weights[5 * 9 + 1]);
  EXPECT_EQ(block[160 + 16 + 10], std::byte{77});  // no channel: the zero point
  const auto again = read_block(s, block, 77);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->weights, c.weights);
  EXPECT_EQ(again->bias, c.bias);
}

TEST(Block, ATruncatedLayerIsAnError) {
  const BlockShape s{.out = 16, .in = 16};
  const Bytes block = write_block(s, content_of(s));
  EXPECT_FALSE(read_block(s, ByteSpan(block).first(block.size() - 1), 0).ok());
}

TEST(Constants, SoftmaxOfALengthThatIsNoMultipleOfFour) {
  EXPECT_TRUE(softmax_tables(256, 0.1F).empty());
  const Bytes tables = softmax_tables(1001, 0.1F);
  ASSERT_EQ(tables.size(), 48256U);
  EXPECT_EQ(word_at(tables, 251 * 64 - 60), 0x80000000U);  // after the last value
  EXPECT_EQ(word_at(tables, 2 * 251 * 64), 0x3dcccccdU);   // 0.1
  EXPECT_EQ(word_at(tables, 3 * 251 * 64), 0x3f800000U);
}

TEST(Constants, SelectionMatrix) {
  const Bytes matrix = selection_matrix(9);
  ASSERT_EQ(matrix.size(), 640U);
  EXPECT_EQ(matrix[64], std::byte{1});
  EXPECT_EQ(matrix[9 * 64 + 32], std::byte{1});
}

}  // namespace
}  // namespace edgetwin::edgetpu
