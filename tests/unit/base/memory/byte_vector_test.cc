#include "base/memory/byte_vector.h"

#include <gtest/gtest.h>

#include <list>
#include <random>
#include <stdexcept>
#include <vector>

#include "base/bytes.h"

namespace edgetwin {
namespace {

using Model = std::vector<std::byte>;

bool same(const Bytes& a, const Model& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// One change of both, drawn at random.
void change(std::mt19937& random, Bytes& a, Model& b) {
  const auto value = static_cast<std::byte>(random());
  const size_t at = random() % (b.size() + 1);
  const size_t count = random() % 40;
  const auto before = [at](auto& v) { return v.begin() + static_cast<std::ptrdiff_t>(at); };
  switch (random() % 8) {
    case 0:
      a.push_back(value), b.push_back(value);
      break;
    case 1:
      a.resize(count, value), b.resize(count, value);
      break;
    case 2:
      a.insert(before(a), count, value), b.insert(before(b), count, value);
      break;
    case 3: {
      const std::list<std::byte> more(count, value);
      a.insert(before(a), more.begin(), more.end()), b.insert(before(b), more.begin(), more.end());
      break;
    }
    case 4: {
      const auto end = static_cast<std::ptrdiff_t>(at + random() % (b.size() - at + 1));
      a.erase(before(a), a.begin() + end), b.erase(before(b), b.begin() + end);
      break;
    }
    case 5:
      a.insert(before(a), value), b.insert(before(b), value);
      break;
    case 6:
      a.assign(count, value), b.assign(count, value);
      break;
    default:
      a.shrink_to_fit();
      a.reserve(count);
  }
}

TEST(ByteVector, ChangesAsAVectorDoes) {
  std::mt19937 random(3);
  Bytes a;
  Model b;
  for (int n = 0; n < 20000; ++n) {
    change(random, a, b);
    ASSERT_TRUE(same(a, b)) << n;
    ASSERT_EQ(reinterpret_cast<uintptr_t>(a.data()) % 64, 0U);
    ASSERT_LE(a.size(), a.capacity());
  }
}

TEST(ByteVector, CopiesAreOfTheirOwnAndMovesLeaveNothing) {
  Bytes a(3, std::byte{7});
  Bytes b = a;
  b[1] = std::byte{9};
  EXPECT_EQ(a, (Bytes{std::byte{7}, std::byte{7}, std::byte{7}}));
  EXPECT_LT(a, b);
  const std::byte* there = b.data();
  Bytes c = std::move(b);
  EXPECT_EQ(c.data(), there);
  EXPECT_TRUE(b.empty());  // NOLINT: what a move leaves
  a = c;
  EXPECT_EQ(a, c);
  a = {};
  EXPECT_EQ(a.capacity(), 0U) << "the memory is given back";
  EXPECT_EQ(Bytes(5), Bytes(5, std::byte{0}));
  EXPECT_THROW(static_cast<void>(a.at(0)), std::out_of_range);
}

}  // namespace
}  // namespace edgetwin
