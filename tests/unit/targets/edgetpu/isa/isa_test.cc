#include "targets/edgetpu/isa/isa.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "source_dir.h"
#include "targets/edgetpu/inspect/document.h"

namespace edgetwin::edgetpu {
namespace {

TEST(EdgeTpuIsa, EveryBitBelongsToExactlyOneFieldOrGap) {
  ASSERT_EQ(all_opcodes().size(), 25U);
  std::set<std::string> names;
  for (const OpcodeInfo& o : all_opcodes()) {
    EXPECT_TRUE(names.insert(std::string(o.name)).second) << o.name;
    EXPECT_EQ(find_opcode(o.code), &o);
    EXPECT_EQ(find_opcode(o.name), &o);
    std::vector<int> owners(static_cast<size_t>(o.words) * kWordBits, 0);
    for (size_t bit = 6; bit < 12; ++bit) ++owners[bit];
    std::set<std::string> fields;
    for (const FieldInfo& f : fields_of(o.opcode)) {
      EXPECT_TRUE(fields.insert(std::string(f.name)).second) << o.name << " " << f.name;
      EXPECT_FALSE(f.meaning.empty());
      EXPECT_TRUE(f.width >= 1 && f.width <= 64);
      EXPECT_TRUE(f.format != FieldFormat::real || f.width == 32);
      for (size_t e = 0; e < f.elements; ++e) {
        for (size_t b = 0; b < f.width; ++b) ++owners.at(f.bit_of(e) + b);
      }
    }
    for (const Gap& g : gaps_of(o.opcode)) {
      EXPECT_TRUE(g.width >= 1 && g.width <= 64);
      for (size_t b = 0; b < g.width; ++b) ++owners.at(g.bit + b);
    }
    for (size_t bit = 0; bit < owners.size(); ++bit) {
      ASSERT_EQ(owners[bit], 1) << o.name << " bit " << bit;
    }
  }
  size_t always = 0;
  for (const OpcodeInfo& o : all_opcodes()) {
    for (const uint16_t bit : always_set(o.opcode)) {
      EXPECT_TRUE(bit >= 12 && bit < static_cast<size_t>(o.words) * kWordBits) << o.name;
      ++always;
    }
  }
  EXPECT_EQ(always, 36U);
  EXPECT_EQ(find_opcode(uint8_t{0x04}), nullptr);
  EXPECT_EQ(find_opcode(uint8_t{0xFF}), nullptr);
}

TEST(EdgeTpuIsa, BitsCrossBytesAndWords) {
  Bytes data(32);
  set_bits(data, 70, 32, 0x89AB'CDEF);
  EXPECT_EQ(get_bits(data, 70, 32), 0x89AB'CDEFU);
  EXPECT_EQ(get_bits(data, 64, 6), 0U);
  EXPECT_EQ(get_bits(data, 102, 26), 0U);
  set_bits(data, 121, 19, 0x5'5555);
  EXPECT_EQ(get_bits(data, 121, 19), 0x5'5555U);
  EXPECT_EQ(get_signed(data, 121, 19), -0x2'AAAB);
  set_bits(data, 7, 64, ~uint64_t{0});
  EXPECT_EQ(get_bits(data, 7, 64), ~uint64_t{0});
  EXPECT_EQ(get_bits(data, 0, 7), 0U);
  EXPECT_EQ(get_bits(data, 250, 32), 0U);  // after the end
}

TEST(EdgeTpuIsa, ParseStopsAtWhatIsNoInstruction) {
  Bytes data = Assembly(Opcode::tensor).bytes();
  EXPECT_TRUE(parse(data).whole());
  EXPECT_EQ(parse(data).instructions.size(), 1U);
  data.resize(data.size() - 1);
  EXPECT_FALSE(parse(data).whole());
  auto whole = parse_whole(data);
  ASSERT_FALSE(whole.ok());
  EXPECT_NE(whole.error().message.find("begins 'tensor' of 17 words"), std::string::npos);
  data = Assembly(Opcode::sync).bytes();
  data.insert(data.end(), 16, std::byte{0});
  whole = parse_whole(data);
  ASSERT_FALSE(whole.ok());
  EXPECT_EQ(whole.error().place.offset, 32U);
  EXPECT_NE(whole.error().message.find("opcode 0"), std::string::npos);
  EXPECT_TRUE(parse_whole(ByteSpan()).ok());
}

TEST(EdgeTpuIsa, ThePageIsUpToDate) {
  const auto page = read_file(source_dir() + "/docs/edgetpu-isa.md");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(as_text(*page), isa_markdown()) << "run the target update_docs";
}

}  // namespace
}  // namespace edgetwin::edgetpu
