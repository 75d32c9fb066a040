// What copies between the memories of a tile leave in buffers.
#include "targets/edgetpu/machine/engines/packer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/rng.h"

namespace edgetwin::edgetpu::machine {
namespace {

SentBytes numbered(size_t words) {
  Bytes bytes(words * 4);
  for (size_t n = 0; n < words; ++n) {
    const auto value = static_cast<uint32_t>(n + 1);
    std::memcpy(bytes.data() + n * 4, &value, 4);
  }
  return std::make_shared<const Bytes>(std::move(bytes));
}

// Word by word, each to its place of its pass.
std::vector<Bytes> passes_one_by_one(const Step& s, const Bytes& data) {
  std::vector<Bytes> passes(1);
  auto n = static_cast<size_t>(s.skipped);
  unroll(s.b, [&](int64_t word, uint32_t pass) {
    passes.resize(pass + size_t{1});
    Bytes& bytes = passes[pass];
    const int64_t place = word - s.b.path.start - ((pass & 1U) != 0 ? s.b.switch_by : 0);
    if (n * 4 < data.size() && place >= 0 && place < s.b.stream_by) {
      const auto at = static_cast<size_t>(place) * 4;
      if (bytes.size() < at + 4) bytes.resize(at + 4);
      std::memcpy(bytes.data() + at, data.data() + n * 4, 4);
    }
    ++n;
  });
  return passes;
}

TEST(EdgetpuMachinePacker, PassesHaveEachWordAtItsPlace) {
  XorShift32 random(3);
  const auto among = [&](uint32_t most) { return static_cast<int64_t>(random.next() % most); };
  size_t parts = 0, copies = 0;
  for (int round = 0; round < 500; ++round) {
    Step s;
    s.b.path.size = 3;
    s.b.path.start = 100;
    for (size_t k = 0; k < 3; ++k) s.b.path.level[k].count = 1 + among(6);
    s.b.path.level[0].net = random.next() % 3 != 0 ? 1 : among(4);
    s.b.path.level[1].net = random.next() % 2 == 0 ? s.b.path.level[0].count : among(9) - 2;
    s.b.switch_level = 1 + static_cast<size_t>(among(2));
    s.b.switch_by = s.b.stream_by = 1 + among(40);
    s.skipped = among(3);
    const SentBytes data = numbered(static_cast<size_t>(1 + among(200)));
    const auto got = passes_of_words(s, data);
    const auto expected = passes_one_by_one(s, Bytes(data->begin(), data->end()));
    ASSERT_EQ(got.size(), expected.size()) << round;
    for (size_t n = 0; n < got.size(); ++n) {
      ASSERT_EQ(Bytes(got[n]->begin(), got[n]->end()), expected[n]) << round << ", pass " << n;
      const bool part =
          got[n]->data() >= data->data() && got[n]->data() < data->data() + data->size();
      ++(part ? parts : copies);
    }
  }
  EXPECT_GT(parts, 100U);
  EXPECT_GT(copies, 100U);
}

TEST(EdgetpuMachinePacker, LinesAreCutIntoPasses) {
  const SentBytes lines = numbered(3 * 64);
  const auto passes = passes_of_lines(Bytes(lines->begin(), lines->end()), 512);
  ASSERT_EQ(passes.size(), 2U);
  EXPECT_EQ(passes[0]->size(), 512U);
  EXPECT_EQ(passes[1]->size(), 256U);
  EXPECT_EQ(passes[1]->data(), passes[0]->data() + 512);
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
