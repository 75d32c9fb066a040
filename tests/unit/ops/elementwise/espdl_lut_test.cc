// LUT and Gelu of ESP-DL, and tables that do not fit. Source: specification of the runtime 5.
#include "ops/espdl_op_test.h"

namespace edgetwin::ops {
namespace {

// A table of 16 bits with a given number of entries: entry i is 3 * i mod 30011, from below zero.
Tensor table16(int entries, int exponent = -10) {
  std::vector<int> v;
  for (int i = 0; i < entries; ++i) v.push_back(3 * i % 30011 - 15000);
  return fixed<int16_t>({entries}, v, exponent);
}

OpTest lut(const Tensor& table, const std::vector<int>& x, int e_out = -10) {
  OpTest t(OpKind::lut);
  t.input(fixed<int16_t>({static_cast<int64_t>(x.size())}, x, -5));
  t.table(table);
  fixed_output<int16_t>(t, e_out);
  return t;
}

TEST(EspdlLut, TheRuntimesVersionChoosesTheRule) {
  const std::vector<int> x = {-32768, -32767, -32752, -32736, -32720, -32719, 32767};
  // Entries 0, 1, 2 are -15000, -14997, -14994; the last two of 2049 are 2047 and 2048.
  const int last = 3 * 2048 - 15000;
  EXPECT_EQ(numbers<int16_t>(lut(table16(2049), x).runtime(30307).result(espdl("s3"))),
            (std::vector<int>{-15000, -15000, -14999, -14997, -14996, -14996, last - 1}));
  const std::vector<int> up = {-15000, -15000, -14997, -14997, -14994, -14994, last};
  const std::vector<int> even = {-15000, -15000, -15000, -14997, -14994, -14994, last};
  for (const int version : {0, 30308, 30309}) {
    EXPECT_EQ(numbers<int16_t>(lut(table16(2049), x).runtime(version).result(espdl("s3"))), up);
    EXPECT_EQ(numbers<int16_t>(lut(table16(2049), x).runtime(version).result(espdl("c"))), up);
    EXPECT_EQ(numbers<int16_t>(lut(table16(2049), x).runtime(version).result(espdl("p4"))), even);
    EXPECT_EQ(numbers<int16_t>(lut(table16(2049), x).runtime(version).result(espdl("p4-wide"))),
              even);
  }
}

// Few elements of a plan that runs once are interpolated one by one, not by a table of all inputs;
// of many the table is in the memory of the run.
TEST(EspdlLut, OnceGivesTheSame) {
  for (const int distance : {7, 1}) {
    std::vector<int> x;
    for (int i = -32768; i < 32768; i += distance) x.push_back(i);
    for (const char* arithmetic : {"c", "s3", "p4"}) {
      for (const int version : {30307, 30309}) {
        OpTest table = lut(table16(2049), x);
        OpTest once = lut(table16(2049), x);
        EXPECT_EQ(numbers<int16_t>(table.runtime(version).result(espdl(arithmetic))),
                  numbers<int16_t>(once.runtime(version).once().result(espdl(arithmetic))))
            << arithmetic << " " << version << " " << x.size();
      }
    }
  }
}

TEST(EspdlLut, FullTables) {
  for (const int entries : {65536, 65537}) {
    for (const int version : {0, 30307}) {
      EXPECT_EQ(numbers<int16_t>(
                    lut(table16(entries), {-32768, 0, 32767}).runtime(version).result(espdl("p4"))),
                (std::vector<int>{-15000, 3 * 32768 % 30011 - 15000, 3 * 65535 % 30011 - 15000}));
    }
  }
}

TEST(EspdlLut, TablesOfTheWrongLength) {
  // Without the last entry; with a step that does not divide; too long; too short.
  for (const int entries : {2048, 256, 657, 65535, 40000, 65538, 70000, 131073, 2, 1, 0}) {
    for (const int version : {30307, 30309}) {
      OpTest t = lut(table16(entries), {0, 32767});
      t.runtime(version);
      EXPECT_EQ(t.error(espdl("c")), ErrorCode::op_table) << entries << " " << version;
    }
  }
  for (const int entries : {3, 5, 257, 4097, 32769}) {
    for (const int version : {30307, 30309}) {
      EXPECT_TRUE(lut(table16(entries), {0, 32767}).runtime(version).run(espdl("c")).ok())
          << entries;
    }
  }
}

TEST(EspdlLut, OtherTablesThatDoNotFit) {
  EXPECT_EQ(lut(table16(2049, -9), {0}).error(espdl("c")), ErrorCode::op_table);
  EXPECT_EQ(lut(fixed<int8_t>({256}, std::vector<int>(256), -10), {0}).error(espdl("c")),
            ErrorCode::op_table);
  for (const OpKind kind : {OpKind::lut, OpKind::gelu}) {
    OpTest none(kind);
    none.input(fixed<int8_t>({1}, {1}, 0));
    fixed_output<int8_t>(none, 0);
    EXPECT_EQ(none.error(espdl("p4")), ErrorCode::op_table);
    for (const int entries : {255, 257}) {
      OpTest wrong(kind);
      wrong.input(fixed<int8_t>({1}, {1}, 0));
      wrong.table(fixed<int8_t>({entries}, std::vector<int>(static_cast<size_t>(entries)), 0));
      fixed_output<int8_t>(wrong, 0);
      EXPECT_EQ(wrong.error(espdl("p4")), ErrorCode::op_table);
    }
  }
}

TEST(EspdlLut, GeluOfSixteenBitsIsLookedUpToo) {
  OpTest t(OpKind::gelu);
  t.input(fixed<int16_t>({1}, {-32768 + 48}, -5)).table(table16(2049));
  fixed_output<int16_t>(t, -10);
  EXPECT_EQ(numbers<int16_t>(t.result(espdl("s3"))), std::vector<int>{-14994});
}

}  // namespace
}  // namespace edgetwin::ops
