#include <gtest/gtest.h>

#include "formats/torch/crc32.h"
#include "formats/torch/torch_files.h"

namespace edgetwin::torch {
namespace {

Bytes small_file() {
  const Checkpoint made = checkpoint_of({{"conv1.op.weight", floats({2, 1, 1, 2}, {1, -2, 3, -4})},
                                         {"conv1.op.bias", floats({2}, {128, -256})}});
  auto bytes = write(made);
  EXPECT_TRUE(bytes.ok());
  return std::move(*bytes);
}

// Offset of the first place where `what` stands.
size_t find(const Bytes& data, std::string_view what) { return as_text(data).find(what); }

TEST(TorchWrite, ReadsBack) {
  const Bytes bytes = small_file();
  EXPECT_TRUE(looks_like_checkpoint(bytes));
  const auto again = Checkpoint::read(bytes, "again");
  ASSERT_TRUE(again.ok()) << to_text(again.error());
  EXPECT_EQ(again->layout(), Layout::zip);
  EXPECT_EQ(again->text(again->root(), "arch"), "net");
  EXPECT_EQ(again->integer(again->root(), "epoch"), 7);
  const auto state = again->state_dict();
  ASSERT_TRUE(state.ok());
  ASSERT_EQ(state->size(), 2U);
  EXPECT_EQ((*state)[0].name, "conv1.op.weight");
  EXPECT_EQ(again->shape((*state)[0].tensor), (Shape{2, 1, 1, 2}));
  EXPECT_EQ(again->tensor((*state)[0].tensor).as<float>()[3], -4.0F);
  EXPECT_EQ(again->tensor((*state)[1].tensor).as<float>()[1], -256.0F);
}

TEST(TorchWrite, SameInputSameBytes) { EXPECT_EQ(small_file(), small_file()); }

TEST(TorchWrite, EveryKindOfValue) {
  Checkpoint made = checkpoint_of({});
  for (const int64_t value : {0L, 255L, 256L, 65535L, 65536L, -1L, 2147483647L, 4294967296L}) {
    made.set(made.root(), "n" + std::to_string(value), made.add_integer(value));
  }
  made.set(made.root(), "real", made.add_real(-0.1));
  made.set(made.root(), "none", made.add_none());
  const auto bytes = write(made);
  ASSERT_TRUE(bytes.ok());
  const auto again = Checkpoint::read(*bytes, "again");
  ASSERT_TRUE(again.ok()) << to_text(again.error());
  for (const int64_t value : {0L, 255L, 256L, 65535L, 65536L, -1L, 2147483647L, 4294967296L}) {
    EXPECT_EQ(again->integer(again->root(), "n" + std::to_string(value)), value);
  }
  EXPECT_EQ(again->node(*again->find(again->root(), "real")).real, -0.1);
  EXPECT_EQ(again->node(*again->find(again->root(), "none")).kind, NodeKind::none);
}

// The older layout, with a list that contains itself, sharing and a class name, comes back as zip.
TEST(TorchWrite, CyclesAndSharing) {
  const std::string object = "}(" + text("loop") +
                             "]q\x05h\x05"
                             "a" +
                             text("type") + "ctorch.optim.sgd\nSGD\n" + text("pair") +
                             "h\x05h\x05\x86" + "u";
  const auto file = Checkpoint::read(legacy_file(object), "cycle");
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  const auto bytes = write(*file);
  ASSERT_TRUE(bytes.ok());
  const auto again = Checkpoint::read(*bytes, "again");
  ASSERT_TRUE(again.ok()) << to_text(again.error());
  const NodeId loop = *again->find(again->root(), "loop");
  EXPECT_EQ(again->node(loop).items, std::vector<NodeId>{loop});
  const NodeId pair = *again->find(again->root(), "pair");
  EXPECT_EQ(again->node(pair).items, (std::vector<NodeId>{loop, loop}));
}

TEST(TorchWrite, TooDeep) {
  std::string object;
  for (int i = 0; i < 200; ++i) object += "]";
  for (int i = 1; i < 200; ++i) object += "a";
  const auto file = Checkpoint::read(legacy_file(object), "deep");
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  const auto bytes = write(*file);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::torch_write);
}

TEST(TorchZip, EveryTruncation) {
  const Bytes whole = small_file();
  for (size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(Checkpoint::read(to_bytes(ByteSpan(whole).first(n)), "cut").ok()) << n;
  }
}

// A changed byte is noticed by the checksum, is in a part that does not matter, or is an error;
// never another set of numbers.
TEST(TorchZip, EveryChangedByte) {
  const Bytes whole = small_file();
  for (size_t i = 0; i < whole.size(); ++i) {
    Bytes changed = whole;
    changed[i] ^= std::byte{0x41};
    const auto result = Checkpoint::read(changed, "changed");
    if (!result.ok()) continue;
    const auto state = result->state_dict();
    ASSERT_TRUE(state.ok()) << i;
    EXPECT_EQ(result->tensor((*state)[0].tensor).as<float>()[1], -2.0F) << i;
  }
}

TEST(TorchZip, CompressedMember) {
  Bytes data = small_file();
  const size_t entry = find(data, "PK\x01\x02");
  data[entry + 10] = std::byte{8};
  const auto result = Checkpoint::read(data, "deflated");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::torch_container);
  EXPECT_NE(result.error().message.find("compressed"), std::string::npos);
}

TEST(TorchZip, MembersLargerThanTheArchive) {
  Bytes data = small_file();
  const size_t entry = find(data, "PK\x01\x02");
  data[entry + 23] = std::byte{0x7f};  // packed size
  data[entry + 27] = std::byte{0x7f};  // size
  const auto result = Checkpoint::read(data, "bomb");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::torch_container);
}

TEST(TorchZip, Crc32) {
  EXPECT_EQ(crc32(as_byte_span("123456789")), 0xcbf43926U);
  EXPECT_EQ(crc32(as_byte_span("12345678")), 0x9ae0daafU);
  EXPECT_EQ(crc32({}), 0U);
}

}  // namespace
}  // namespace edgetwin::torch
