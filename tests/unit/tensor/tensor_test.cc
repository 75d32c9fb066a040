#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tensor/float16.h"
#include "tensor/npy.h"
#include "tensor/tensor.h"

namespace edgetwin {
namespace {

TEST(DTypeTable, NamesAndDescriptorsAreUnique) {
  std::set<std::string_view> names;
  std::set<std::string_view> descriptors;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    EXPECT_TRUE(names.insert(name(type)).second) << name(type);
    EXPECT_EQ(dtype_from_name(name(type)), type);
    if (npy_descriptor(type).empty()) continue;
    EXPECT_TRUE(descriptors.insert(npy_descriptor(type)).second) << name(type);
    EXPECT_EQ(dtype_from_npy(npy_descriptor(type)), type);
    EXPECT_EQ(npy_descriptor(type).substr(2), std::to_string(bits(type) / 8));
  }
  EXPECT_EQ(dtype_from_npy("<i1"), DType::int8);
  EXPECT_FALSE(dtype_from_npy("<U8"));
}

TEST(Shape, ElementsBroadcastAndText) {
  EXPECT_EQ(Shape({2, 3, 4}).elements(), 24);
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ(to_string(Shape{1, -1, 3}), "1x?x3");
  EXPECT_EQ(to_string(Shape{}), "scalar");
  EXPECT_EQ(*broadcast({4, 1, 3}, {5, 1}), (Shape{4, 5, 3}));
  EXPECT_FALSE(broadcast({2, 3}, {2, 4}));
  EXPECT_EQ(index_text({2, 3, 4}, 23), "(1, 2, 3)");
  EXPECT_FALSE(checked_elements(Shape{1 << 20, 1 << 20}.dims(), 1 << 30));
  EXPECT_EQ(checked_elements(Shape{0, 1 << 20, 1 << 20}.dims(), 1 << 30), 0);
}

TEST(WithinLimits, CountsDimensionsBesideZero) {
  EXPECT_TRUE(within_limits(DType::int8, {0, 5}));
  EXPECT_FALSE(within_limits(DType::int8, {0, int64_t{1} << 40}));
  EXPECT_FALSE(within_limits(DType::float32, {1 << 20, 1 << 10}));
  EXPECT_FALSE(within_limits(DType::int8, {-1}));
}

TEST(Half, KnownValues) {
  EXPECT_EQ(half_to_float(0x3C00), 1.0F);
  EXPECT_EQ(half_to_float(0xC000), -2.0F);
  EXPECT_EQ(half_to_float(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(half_to_float(0x7BFF), 65504.0F);
  EXPECT_TRUE(std::isinf(half_to_float(0x7C00)));
  EXPECT_TRUE(std::isnan(half_to_float(0x7E00)));
}

Tensor counting(DType type, const Shape& shape) {
  Tensor t = *Tensor::zeros(type, shape);
  for (size_t i = 0; i < t.data.size(); ++i) {
    // Truth values are 0 or 1.
    t.data[i] = static_cast<std::byte>(type == DType::boolean ? i % 2 : i * 7 + 1);
  }
  return t;
}

// The bytes that numpy.save writes for np.array([1, 2], np.int16).
TEST(Npy, BytesAreNumpys) {
  Tensor t = *Tensor::zeros(DType::int16, {2});
  t.as<int16_t>()[0] = 1;
  t.as<int16_t>()[1] = 2;
  const Bytes bytes = *write_npy(t);
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
  expected.append(127 - expected.size(), ' ');
  expected += '\n';
  expected += std::string("\x01\x00\x02\x00", 4);
  EXPECT_EQ(as_text(bytes), expected);
}

TEST(Npy, RoundTripOfEveryTypeAndRank) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    if (npy_descriptor(type).empty()) continue;
    for (const Shape& shape :
         {Shape{}, Shape{0}, Shape{3}, Shape{2, 1, 4}, Shape{1, 1, 1, 1, 1, 1, 1, 2}}) {
      const Tensor t = counting(type, shape);
      const auto back = read_npy(*write_npy(t), "x");
      ASSERT_TRUE(back.ok()) << name(type) << to_text(back.error());
      EXPECT_EQ(back->dtype, type);
      EXPECT_EQ(back->shape, shape);
      EXPECT_EQ(back->data, t.data);
    }
  }
}

Bytes npy_with(const std::string& dict, const std::string& data) {
  ByteWriter w;
  w.append(as_byte_span(std::string_view("\x93NUMPY\x01\x00", 8)), "");
  w.write(static_cast<uint16_t>(dict.size()), "");
  w.append(as_byte_span(dict), "");
  w.append(as_byte_span(data), "");
  return w.bytes();
}

TEST(Npy, FortranOrderAndBigEndian) {
  // [[1, 2, 3], [4, 5, 6]] column by column, high byte first.
  const std::string columns("\0\1\0\4\0\2\0\5\0\3\0\6", 12);
  const auto t =
      read_npy(npy_with("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}", columns), "x");
  ASSERT_TRUE(t.ok()) << to_text(t.error());
  for (int16_t i = 0; i < 6; ++i) EXPECT_EQ(t->as<int16_t>()[static_cast<size_t>(i)], i + 1);
}

TEST(Npy, BadHeadersAreRefused) {
  const auto code = [](const std::string& dict, const std::string& data) {
    const auto t = read_npy(npy_with(dict, data), "x");
    EXPECT_FALSE(t.ok()) << dict;
    return t.ok() ? ErrorCode::internal : t.error().code;
  };
  EXPECT_EQ(code("{'descr': '<i2', 'fortran_order': False}", ""), ErrorCode::npy_header);
  EXPECT_EQ(code("{'descr': '<i2', 'fortran_order': 3, 'shape': ()}", ""), ErrorCode::npy_header);
  EXPECT_EQ(code("{'descr': '<i2', 'fortran_order': False, 'shape': (-1,)}", ""),
            ErrorCode::npy_header);
  EXPECT_EQ(code("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "12345678"),
            ErrorCode::npy_type);
  EXPECT_EQ(code("{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}", "123"),
            ErrorCode::truncated);
  EXPECT_EQ(code("{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999,)}", ""),
            ErrorCode::out_of_memory);
  EXPECT_EQ(code("{'descr': '<i2', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "12"),
            ErrorCode::npy_header);
}

TEST(Npz, RoundTripIsRepeatable) {
  std::vector<Tensor> tensors{counting(DType::int8, {2, 3}), counting(DType::float32, {4})};
  tensors[0].name = "first";
  tensors[1].name = "second";
  const auto bytes = write_npz(tensors);
  ASSERT_TRUE(bytes.ok()) << to_text(bytes.error());
  EXPECT_EQ(*bytes, *write_npz(tensors));
  EXPECT_TRUE(looks_like_zip(*bytes));
  const auto back = read_npz(*bytes, "x");
  ASSERT_TRUE(back.ok()) << to_text(back.error());
  ASSERT_EQ(back->size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*back)[i].name, tensors[i].name);
    EXPECT_EQ((*back)[i].data, tensors[i].data);
    EXPECT_EQ((*back)[i].shape, tensors[i].shape);
  }
}

TEST(Npy, AnyTruthBecomesOne) {
  const auto t = read_npy(npy_with("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}",
                                   std::string("\0\2\xff", 3)),
                          "x");
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(as_text(t->data), std::string_view("\0\1\1", 3));
}

// F10: a small archive that claims gigabytes was inflated before anything was compared.
TEST(Npz, F10ClaimsBeyondTheArchiveAreRefusedFirst) {
  std::vector<Tensor> tensors{counting(DType::int8, {20})};
  tensors[0].name = "a";
  Bytes bytes = *write_npz(tensors);
  const size_t entry = as_text(bytes).find("PK\x01\x02");
  ASSERT_NE(entry, std::string_view::npos);
  // The uncompressed size in the directory, little endian: 96 MiB.
  const std::array<std::byte, 4> claim = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{6}};
  std::copy(claim.begin(), claim.end(), bytes.begin() + static_cast<std::ptrdiff_t>(entry) + 24);
  const auto result = read_npz(bytes, "x");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::npz_archive);
  EXPECT_NE(result.error().message.find("claim"), std::string::npos) << result.error().message;
}

TEST(Npz, DamageIsAnError) {
  std::vector<Tensor> tensors{counting(DType::int8, {20})};
  tensors[0].name = "a";
  const Bytes good = *write_npz(tensors);
  for (size_t cut = 0; cut < good.size(); cut += 3) {
    EXPECT_FALSE(read_npz(ByteSpan(good).first(cut), "x").ok()) << cut;
  }
}

}  // namespace
}  // namespace edgetwin
