#include "targets/edgetpu/decompile/write/byte_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

using Numbers = std::vector<int64_t>;

// Programs on two pictures of 4 x 6 x 3 and 4 x 6 x 5.
constexpr size_t kA = 4 * 6 * 3;
constexpr size_t kB = 4 * 6 * 5;

size_t at(size_t y, size_t x, size_t c, size_t channels) { return (y * 6 + x) * channels + c; }

// Rows and columns of the first one, with another byte around.
Bytes padded(ByteSpan a, std::byte fill) {
  Bytes out(7 * 9 * 3, fill);
  for (size_t y = 0; y < 4; ++y) {
    for (size_t x = 0; x < 6; ++x) {
      for (size_t c = 0; c < 3; ++c) out[((y + 1) * 9 + x + 2) * 3 + c] = a[at(y, x, c, 3)];
    }
  }
  return out;
}

// Channels of both side by side, the second one's from 1 on.
Bytes joined(ByteSpan a, ByteSpan b) {
  Bytes out;
  for (size_t p = 0; p < 24; ++p) {
    for (size_t c = 0; c < 3; ++c) out.push_back(a[p * 3 + c]);
    for (size_t c = 1; c < 5; ++c) out.push_back(b[p * 5 + c]);
  }
  return out;
}

TEST(ByteOrigins, TellsCopiesFromConstants) {
  const ByteProgram program = [](const std::vector<ByteSpan>& in) -> Result<std::vector<Bytes>> {
    return std::vector<Bytes>{padded(in[0], std::byte{7}), joined(in[0], in[1])};
  };
  const auto origins = trace_bytes(program, {kA, kB});
  ASSERT_TRUE(origins.ok());
  ASSERT_EQ(origins->size(), 2U);
  EXPECT_EQ((*origins)[0][0], (ByteOrigin{-1, 7}));
  EXPECT_EQ((*origins)[0][(9 + 2) * 3], (ByteOrigin{0, 0}));
  EXPECT_EQ((*origins)[1][2], (ByteOrigin{0, 2}));
  EXPECT_EQ((*origins)[1][3], (ByteOrigin{1, 1}));
}

TEST(ByteOrigins, MoreBytesThanADigit) {
  const ByteProgram turned = [](const std::vector<ByteSpan>& in) -> Result<std::vector<Bytes>> {
    Bytes out(in[0].begin(), in[0].end());
    std::reverse(out.begin(), out.end());
    return std::vector<Bytes>{out};
  };
  for (const size_t n : {1U, 255U, 256U, 257U, 65'536U, 65'537U}) {
    const auto origins = trace_bytes(turned, {n});
    ASSERT_TRUE(origins.ok()) << n;
    EXPECT_EQ((*origins)[0].front(), (ByteOrigin{0, static_cast<int64_t>(n - 1)}));
    EXPECT_EQ((*origins)[0].back(), (ByteOrigin{0, 0}));
  }
}

TEST(ByteOrigins, WhatComputesIsNoCopy) {
  const auto refused = [](std::byte (*f)(std::byte)) {
    const ByteProgram program = [f](const std::vector<ByteSpan>& in) -> Result<std::vector<Bytes>> {
      Bytes out(in[0].begin(), in[0].end());
      std::transform(out.begin(), out.end(), out.begin(), f);
      return std::vector<Bytes>{out};
    };
    return !trace_bytes(program, {300}).ok();
  };
  EXPECT_TRUE(refused([](std::byte b) { return b ^ std::byte{0x80}; }));
  EXPECT_TRUE(refused([](std::byte b) { return b >> 1U; }));
  EXPECT_TRUE(refused([](std::byte b) { return std::max(b, std::byte{100}); }));
}

TEST(ByteOrigins, AProgramThatStopsIsAnError) {
  const ByteProgram stops = [](const std::vector<ByteSpan>&) -> Result<std::vector<Bytes>> {
    return Error(ErrorCode::chip_unknown, "stopped");
  };
  const auto origins = trace_bytes(stops, {4});
  ASSERT_FALSE(origins.ok());
  EXPECT_EQ(origins.error().code, ErrorCode::chip_unknown);
}

ByteOrigins origins_of(const ByteProgram& program) {
  return std::move(trace_bytes(program, {kA, kB})).value().front();
}

TEST(BytePieces, APaddedPicture) {
  const auto origins = origins_of([](const std::vector<ByteSpan>& in) {
    return Result(std::vector<Bytes>{padded(in[0], std::byte{7})});
  });
  const auto p = pieces_of(origins, Shape{1, 7, 9, 3}, {Shape{1, 4, 6, 3}, Shape{1, 4, 6, 5}});
  ASSERT_TRUE(p);
  EXPECT_EQ(p->before, (Numbers{0, 1, 2, 0}));
  EXPECT_EQ(p->behind, (Numbers{0, 2, 1, 0}));
  EXPECT_EQ(p->fill, 7);
  ASSERT_EQ(p->pieces.size(), 1U);
  EXPECT_EQ(p->pieces[0].size, (Numbers{1, 4, 6, 3}));
  EXPECT_EQ(p->pieces[0].from, (Numbers{0, 0, 0, 0}));
}

TEST(BytePieces, ChannelsSideBySide) {
  const auto origins = origins_of([](const std::vector<ByteSpan>& in) {
    return Result(std::vector<Bytes>{joined(in[0], in[1])});
  });
  const auto p = pieces_of(origins, Shape{1, 4, 6, 7}, {Shape{1, 4, 6, 3}, Shape{1, 4, 6, 5}});
  ASSERT_TRUE(p);
  EXPECT_EQ(p->axis, 3);
  ASSERT_EQ(p->pieces.size(), 2U);
  EXPECT_EQ(p->pieces[0].input, 0);
  EXPECT_EQ(p->pieces[0].size, (Numbers{1, 4, 6, 3}));
  EXPECT_EQ(p->pieces[1].input, 1);
  EXPECT_EQ(p->pieces[1].from, (Numbers{0, 0, 0, 1}));
  EXPECT_EQ(p->pieces[1].size, (Numbers{1, 4, 6, 4}));
}

TEST(BytePieces, ASliceAndAnotherShape) {
  ByteOrigins slice;
  for (const int64_t y : {1, 2}) {
    for (int64_t k = 0; k < 18; ++k) slice.push_back({0, y * 18 + k});
  }
  const auto p = pieces_of(slice, Shape{1, 2, 6, 3}, {Shape{1, 4, 6, 3}});
  ASSERT_TRUE(p);
  ASSERT_EQ(p->pieces.size(), 1U);
  EXPECT_EQ(p->pieces[0].from, (Numbers{0, 1, 0, 0}));
  // One row of as many bytes.
  ByteOrigins flat;
  for (int64_t k = 0; k < 72; ++k) flat.push_back({0, k});
  const auto row = pieces_of(flat, Shape{1, 72}, {Shape{1, 4, 6, 3}});
  ASSERT_TRUE(row);
  EXPECT_EQ(row->pieces[0].size, (Numbers{1, 72}));
}

// Turned round, or with two bytes around: no box, and said so.
TEST(BytePieces, OtherOrdersAreNotUnderstood) {
  ByteOrigins turned;
  for (int64_t x = 0; x < 300; ++x) {
    for (int64_t y = 0; y < 4; ++y) turned.push_back({0, y * 300 + x});
  }
  EXPECT_FALSE(pieces_of(turned, Shape{300, 4}, {Shape{4, 300}}));
  ByteOrigins two = {{-1, 1}, {0, 0}, {0, 1}, {-1, 2}};
  const auto p = pieces_of(two, Shape{4}, {Shape{2}});
  ASSERT_TRUE(p);
  EXPECT_TRUE(p->before.empty());
  EXPECT_EQ(p->pieces.size(), 3U);
  EXPECT_FALSE(pieces_of(two, Shape{5}, {Shape{2}}));
  EXPECT_FALSE(pieces_of({{3, 0}}, Shape{1}, {Shape{2}}));
}

}  // namespace
}  // namespace edgetwin::edgetpu
