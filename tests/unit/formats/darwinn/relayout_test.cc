#include <algorithm>
#include <functional>

#include "formats/darwinn/relayout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/darwinn/relocate.h"
#include "formats/darwinn/small_model.h"

namespace edgetwin::darwinn {
namespace {

using ::testing::HasSubstr;

// The formula itself, an element at a time.
size_t place_of(const Layer& l, int y, int x, int z) {
  const OutputLayout& t = *l.layout;
  const auto at = [](const std::vector<int32_t>& v, int i) { return v[static_cast<size_t>(i)]; };
  const int tile = at(t.y_tile, y) + at(t.x_tile, x);
  return static_cast<size_t>(at(t.tile_offset, tile) + at(t.y_local, y) * at(t.x_row_size, x) +
                             at(t.x_local, x) + z);
}

// A grid of tiles of any size, as the compiler lays it out.
Layer grid(int height, int width, int depth, DataType type) {
  Layer l;
  l.kind = LayerKind::output;
  l.y_dim = height;
  l.x_dim = width;
  l.z_dim = depth;
  l.data_type = type;
  const int padded = (depth + 3) / 4 * 4;
  OutputLayout t;
  const auto split = [](int n, int part) { return n * part / 4; };
  int offset = 0;
  for (int r = 0; r < 4; ++r) {
    const int rows = split(height, r + 1) - split(height, r);
    for (int y = 0; y < rows; ++y) {
      t.y_tile.push_back(4 * r);
      t.y_local.push_back(y);
    }
    for (int c = 0; c < 4; ++c) {
      const int columns = split(width, c + 1) - split(width, c);
      t.tile_offset.push_back(offset);
      offset += rows * columns * padded;
      for (int x = 0; r == 0 && x < columns; ++x) {
        t.x_tile.push_back(c);
        t.x_local.push_back(x * padded);
        t.x_row_size.push_back(columns * padded);
      }
    }
  }
  l.layout = t;
  l.size_bytes = (offset * bytes_of(type) + 7) / 8 * 8;
  return l;
}

void expect_formula(const Layer& l) {
  const auto made = Relayout::make(l);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  const auto bytes = static_cast<size_t>(bytes_of(l.data_type));
  ASSERT_EQ(made->dense_bytes(), static_cast<size_t>(l.elements()) * bytes);
  const Bytes tiled = counted_bytes(made->tiled_bytes(), 17);
  Bytes dense(made->dense_bytes());
  made->to_dense(tiled, dense);
  size_t i = 0;
  for (int y = 0; y < l.y_dim; ++y) {
    for (int x = 0; x < l.x_dim; ++x) {
      for (int z = 0; z < l.z_dim; ++z) {
        for (size_t b = 0; b < bytes; ++b, ++i) {
          ASSERT_EQ(dense[i], tiled[place_of(l, y, x, z) * bytes + b]) << y << " " << x << " " << z;
        }
      }
    }
  }
  Bytes back(tiled.size(), std::byte{0xEE});
  made->to_tiled(dense, back);
  Bytes again(dense.size());
  made->to_dense(back, again);
  EXPECT_EQ(again, dense);
}

TEST(Relayout, EqualsTheFormulaForAwkwardSizes) {
  for (const int height : {1, 2, 5, 9, 33}) {
    for (const int width : {1, 2, 3, 10, 31}) {
      for (const int depth : {1, 2, 3, 4, 5, 8, 12, 13, 16, 19, 64, 91}) {
        if (height * width > 1) expect_formula(grid(height, width, depth, DataType::unsigned8));
      }
    }
  }
  expect_formula(grid(6, 7, 3, DataType::signed16));
  expect_formula(tiled_output());
}

TEST(Relayout, PaddingIsLeftAsItWas) {
  const auto made = Relayout::make(grid(8, 8, 3, DataType::unsigned8));
  ASSERT_TRUE(made.ok());
  Bytes tiled(made->tiled_bytes(), std::byte{0x55});
  made->to_tiled(Bytes(made->dense_bytes()), tiled);
  for (size_t i = 0; i < tiled.size(); ++i) EXPECT_EQ(tiled[i], std::byte(i % 4 == 3 ? 0x55 : 0));
}

TEST(Relayout, OnePositionNeedsNoTables) {
  Layer l;
  l.kind = LayerKind::output;
  l.y_dim = l.x_dim = 1;
  l.z_dim = 10;
  l.size_bytes = 16;
  auto made = Relayout::make(l);
  ASSERT_TRUE(made.ok());
  const Bytes tiled = counted_bytes(16, 1);
  Bytes dense(10);
  made->to_dense(tiled, dense);
  EXPECT_EQ(dense, to_bytes(ByteSpan(tiled).first(10)));
  l.execution_count = 2;  // two blocks of 5, each followed by 3 bytes of padding
  made = Relayout::make(l);
  ASSERT_TRUE(made.ok());
  made->to_dense(tiled, dense);
  EXPECT_TRUE(std::equal(dense.begin() + 5, dense.end(), tiled.begin() + 8));
  EXPECT_TRUE(std::equal(dense.begin(), dense.begin() + 5, tiled.begin()));
}

TEST(Relayout, TablesThatLeadOutAreRefused) {
  const auto refusal = [](const std::function<void(Layer&)>& change) {
    Layer l = tiled_output();
    change(l);
    const auto made = Relayout::make(l);
    if (made.ok()) return std::string("taken");
    EXPECT_EQ(made.error().code, ErrorCode::darwinn_layout);
    return made.error().message;
  };
  EXPECT_EQ(refusal([](Layer&) {}), "taken");
  EXPECT_THAT(refusal([](Layer& l) { l.layout.reset(); }), HasSubstr("no tile layout"));
  EXPECT_THAT(refusal([](Layer& l) { l.layout->y_tile.pop_back(); }), HasSubstr("3 and 4 entries"));
  EXPECT_THAT(refusal([](Layer& l) { l.layout->x_local.clear(); }), HasSubstr("6, 0 and 6"));
  EXPECT_THAT(refusal([](Layer& l) { l.layout->y_tile[3] = 3; }), HasSubstr("tile 4 of 4"));
  EXPECT_THAT(refusal([](Layer& l) { l.layout->y_tile[0] = -1; }), HasSubstr("tile -1"));
  EXPECT_THAT(refusal([](Layer& l) { l.layout->tile_offset[3] = 74; }), HasSubstr("has 96"));
  EXPECT_THAT(refusal([](Layer& l) { l.layout->tile_offset[0] = -1; }), HasSubstr("at -1"));
  EXPECT_THAT(refusal([](Layer& l) { l.layout->y_local[0] = INT32_MAX; }), HasSubstr("is at"));
  EXPECT_THAT(refusal([](Layer& l) { l.layout->x_local[1] = 2; }), HasSubstr("on each other"));
  EXPECT_THAT(refusal([](Layer& l) { l.size_bytes = 71; }), HasSubstr("72 bytes of elements"));
}

TEST(FlipSign, TouchesTheTopBitOfSignedElementsOnly) {
  Bytes data = counted_bytes(8, 0);
  const Bytes before = data;
  flip_sign(data, DataType::unsigned8);
  flip_sign(data, DataType::signed32);
  EXPECT_EQ(data, before);
  flip_sign(data, DataType::signed16);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(data[i] ^ before[i], std::byte(i % 2 == 1 ? 0x80 : 0)) << i;
  }
  flip_sign(data, DataType::signed16);
  flip_sign(data, DataType::signed8);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(data[i] ^ before[i], std::byte{0x80});
}

bool bit(const Bytes& data, size_t index) {
  return ((static_cast<unsigned>(data[index / 8]) >> (index % 8)) & 1U) != 0;
}

TEST(Relocate, WritesTheBitsOfTheHalfAndNoOthers) {
  for (int32_t offset = 0; offset <= 96; ++offset) {
    Bitstream b;
    b.data = counted_bytes(16, 99);
    b.field_offsets.push_back({{BaseAddress::input, 0, "x", Position::high}, offset});
    constexpr uint64_t kAddress = 0xA5C3'0F96'1234'5678U;
    const auto made = relocate(b, [&](const Meta& m) {
      EXPECT_EQ(m.name, "x");
      return std::optional<uint64_t>(kAddress);
    });
    ASSERT_TRUE(made.ok());
    for (size_t i = 0; i < 128; ++i) {
      const size_t at = i - static_cast<size_t>(offset);
      const bool inside = i >= static_cast<size_t>(offset) && at < 32;
      ASSERT_EQ(bit(*made, i), inside ? (kAddress >> (32 + at) & 1U) != 0 : bit(b.data, i));
    }
    const auto kept = relocate(b, [](const Meta&) { return std::optional<uint64_t>(); });
    EXPECT_EQ(*kept, b.data);
  }
}

TEST(Relocate, RefusesFieldsOutsideOfTheBitstream) {
  Bitstream b;
  b.data = counted_bytes(16, 0);
  const auto zero = [](const Meta&) { return std::optional<uint64_t>(0); };
  for (const int32_t offset : {-1, 97, 1000, INT32_MAX, INT32_MIN}) {
    b.field_offsets = {{{}, offset}};
    ASSERT_FALSE(relocate(b, zero).ok()) << offset;
    EXPECT_EQ(relocate(b, zero).error().code, ErrorCode::darwinn_field);
  }
}

}  // namespace
}  // namespace edgetwin::darwinn
