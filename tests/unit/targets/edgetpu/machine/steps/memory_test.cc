#include "targets/edgetpu/machine/steps/memory.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu::machine {
namespace {

SentBytes counting(size_t size) {
  Bytes bytes(size);
  for (size_t n = 0; n < size; ++n) bytes[n] = static_cast<std::byte>(n);
  return std::make_shared<const Bytes>(std::move(bytes));
}

Bytes copy(const SentBytes& sent) { return {sent->begin(), sent->end()}; }

TEST(EdgetpuMachineMemory, PartsAreJoinedWhereTheyStand) {
  const SentBytes all = counting(100);
  JoinedBytes joined(60);
  joined.add(all.part(10, 20));
  joined.add(all.part(30, 5));
  joined.resize(22);
  const SentBytes there = joined.take();
  EXPECT_EQ(there->data(), all->data() + 10);
  EXPECT_EQ(there->size(), 22U);
}

TEST(EdgetpuMachineMemory, OtherPartsAreCopied) {
  const SentBytes all = counting(100), other = counting(100);
  JoinedBytes joined(8);
  joined.add(all.part(10, 2));
  joined.add(all.part(13, 2));
  joined.add(other.part(15, 1));
  joined.resize(7);
  const Bytes expected{std::byte{10}, std::byte{11}, std::byte{13}, std::byte{14},
                       std::byte{15}, std::byte{0},  std::byte{0}};
  EXPECT_EQ(copy(joined.take()), expected);
  EXPECT_TRUE(JoinedBytes(3).take()->empty());
  EXPECT_FALSE(JoinedBytes(3).take() == nullptr);
}

TEST(EdgetpuMachineMemory, PassesOfSeveralInstructionsAreOneList) {
  Stream stream(4, 2);
  const SentBytes all = counting(6);
  stream.push(shared_passes({all.part(0, 1), all.part(1, 1)}));
  stream.push(shared_passes({}));
  stream.begin_group();
  stream.push(shared_passes({all.part(2, 1), all.part(3, 1), all.part(4, 1)}));
  EXPECT_EQ(stream.waiting(Reader::once, 4), 5U);
  for (size_t n = 0; n < 5; ++n)
    EXPECT_EQ(copy(stream.next(Reader::once, 4)), copy(all.part(n, 1)));
  // Whoever asks for more gets the last one again; another place begins at the first.
  EXPECT_EQ(copy(stream.next(Reader::once, 4)), copy(all.part(4, 1)));
  EXPECT_EQ(copy(stream.next(Reader::once, 5)), copy(all.part(0, 1)));
  ASSERT_TRUE(stream.to_group(Reader::once, 5));
  EXPECT_EQ(copy(stream.next(Reader::once, 5)), copy(all.part(2, 1)));
}

TEST(EdgetpuMachineMemory, TilesStandInOneBlockAndAreZero) {
  std::vector<Tile> tiles = make_tiles();
  ASSERT_EQ(tiles.size(), kTiles);
  for (size_t k = 0; k < kTiles; ++k) {
    EXPECT_EQ(tiles[k].wide.data(), tiles[k].narrow.data() + kNarrowBytes);
    EXPECT_EQ(tiles[k].wide[tiles[k].wide.size() - 1], std::byte{0});
    tiles[k].narrow[0] = std::byte{1};
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
