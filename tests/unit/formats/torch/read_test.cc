#include <gtest/gtest.h>

#include "formats/torch/torch_files.h"

namespace edgetwin::torch {
namespace {

Result<Checkpoint> read_object(const std::string& object,
                               const std::vector<Numbers>& storages = {}) {
  return Checkpoint::read(legacy_file(object, storages), "test");
}

// The code of the error, or of nothing.
std::optional<ErrorCode> code_of(const std::string& object,
                                 const std::vector<Numbers>& storages = {}) {
  const auto result = read_object(object, storages);
  if (result.ok()) return std::nullopt;
  return result.error().code;
}

const std::vector<Numbers> kSix = {{"a", {0, 1, 2, 3, 4, 5}}};

TEST(TorchRead, LegacyTensorWithStrides) {
  const auto from = storage("FloatStorage", "a", 6);
  const auto file =
      read_object(dict("state_dict", dict("w", tensor(from, 0, {3, 2}, {1, 3}))), kSix);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  EXPECT_EQ(file->layout(), Layout::legacy);
  const auto state = file->state_dict();
  ASSERT_TRUE(state.ok());
  ASSERT_EQ(state->size(), 1U);
  const Tensor w = file->tensor((*state)[0].tensor);
  EXPECT_EQ(w.shape, (Shape{3, 2}));
  const auto values = w.as<float>();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(TorchRead, OffsetScalarAndEmpty) {
  const auto from = storage("FloatStorage", "a", 6);
  const std::string object = dict("s", tensor(from, 4, {}, {}));
  const auto file = read_object(object, kSix);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  EXPECT_EQ(file->tensor(*file->find(file->root(), "s")).as<float>()[0], 4.0F);
  const auto empty = read_object(dict("s", tensor(from, 6, {0, 3}, {3, 1})), kSix);
  ASSERT_TRUE(empty.ok()) << to_text(empty.error());
  EXPECT_TRUE(empty->tensor(*empty->find(empty->root(), "s")).data.empty());
}

TEST(TorchRead, TensorBeyondItsStorage) {
  const auto from = storage("FloatStorage", "a", 6);
  EXPECT_EQ(code_of(dict("s", tensor(from, 5, {2}, {1})), kSix), ErrorCode::torch_tensor);
  EXPECT_EQ(code_of(dict("s", tensor(from, 0, {3, 3}, {2, 1})), kSix), ErrorCode::torch_tensor);
  EXPECT_EQ(code_of(dict("s", tensor(from, 6, {1}, {1})), kSix), ErrorCode::torch_tensor);
  EXPECT_EQ(code_of(dict("s", tensor(from, 0, {2}, {1, 1})), kSix), ErrorCode::torch_pickle);
  // Strides of 0 repeat elements; too many of them are refused before memory is taken.
  const std::string wide = "ctorch._utils\n_rebuild_tensor_v2\n(" + from + small(0) + "J" +
                           number(2'000'000'000, 4) + "\x85" + tuple({0}) + "\x89Nt" + "R";
  EXPECT_EQ(code_of(dict("s", wide), kSix), ErrorCode::torch_limit);
}

TEST(TorchRead, StorageOfAnotherSize) {
  const auto from = storage("FloatStorage", "a", 7);
  EXPECT_EQ(code_of(dict("s", tensor(from, 0, {1}, {1})), kSix), ErrorCode::torch_storage);
  const auto missing = storage("FloatStorage", "b", 6);
  EXPECT_EQ(code_of(dict("s", tensor(missing, 0, {1}, {1})), kSix), ErrorCode::torch_container);
  EXPECT_EQ(code_of(dict("s", tensor(missing, 0, {1}, {1}))), ErrorCode::torch_storage);
}

TEST(TorchRead, CodeIsNamedAndRefused) {
  const auto result = read_object("cos\nsystem\n(" + text("true") + "tR" + "0" +
                                  "cbuiltins\neval\n(" + text("1") + "tR");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::torch_global);
  EXPECT_NE(result.error().message.find("os.system, builtins.eval"), std::string::npos)
      << result.error().message;
  // Also by the newer opcodes, and where nothing calls it.
  EXPECT_EQ(code_of("\x8c\x02os\x8c\x06system\x93"), ErrorCode::torch_global);
  EXPECT_EQ(code_of("cposix\nsystem\n)\x81"), ErrorCode::torch_global);
  EXPECT_EQ(code_of(dict("x", "cnumpy.testing\nrundocs\n")), ErrorCode::torch_global);
  // Names that are known are still never called.
  EXPECT_EQ(code_of("ctorch.optim.adam\nAdam\n)R"), ErrorCode::torch_pickle);
  EXPECT_EQ(code_of("ctorch\nFloatStorage\n)R"), ErrorCode::torch_pickle);
}

TEST(TorchRead, ClassNamesStand) {
  const auto file = read_object(dict("optimizer_type", "ctorch.optim.adam\nAdam\n"));
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  const auto id = file->find(file->root(), "optimizer_type");
  EXPECT_EQ(file->node(*id).text, "torch.optim.adam Adam");
}

TEST(TorchRead, BrokenPickles) {
  const std::vector<std::string> broken = {
      std::string("("),     std::string("t"),         std::string("\x85"),
      std::string("h\x07"), std::string("s"),         std::string("Na"),
      std::string("NNs"),   std::string("}Nu"),       std::string("X\xff\xff\xff\xffx"),
      std::string("Q"),     std::string("NQ"),        std::string("R"),
      std::string("NNR"),   std::string("NNb"),       std::string("\xfe"),
      std::string("I1x\n"), std::string("\x8a\xffx"), std::string("ctorch"),
      std::string("P1\n")};
  for (const std::string& object : broken) {
    const auto result = read_object(object);
    EXPECT_FALSE(result.ok()) << ::testing::PrintToString(object);
  }
}

TEST(TorchRead, Numbers) {
  const std::string object = "}(" + text("a") + "J" + number(0xfffffffeU, 4) + text("b") +
                             std::string("\x8a\x02\x00\xff", 4) + text("c") +
                             std::string("G\x3f\xf8\x00\x00\x00\x00\x00\x00", 9) + text("d") +
                             "I-7\n" + text("e") + "L123L\n" + text("f") + "I01\n" + "u";
  const auto file = read_object(object);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  EXPECT_EQ(file->integer(file->root(), "a"), -2);
  EXPECT_EQ(file->integer(file->root(), "b"), -256);
  EXPECT_EQ(file->node(*file->find(file->root(), "c")).real, 1.5);
  EXPECT_EQ(file->integer(file->root(), "d"), -7);
  EXPECT_EQ(file->integer(file->root(), "e"), 123);
  EXPECT_EQ(file->node(*file->find(file->root(), "f")).kind, NodeKind::boolean);
}

TEST(TorchRead, NumpyScalar) {
  const std::string dtype = "cnumpy\ndtype\n(" + text("f8") + small(0) + small(1) + "tR(" +
                            small(3) + text("<") + "NNN" + "J" + number(0xffffffffU, 4) + "J" +
                            number(0xffffffffU, 4) + small(0) + "tb";
  // 2.5 as eight bytes, by the detour over text that protocol 2 takes.
  const std::string raw =
      "c_codecs\nencode\n(" + text(std::string("\0\0\0\0\0\0\4@", 8)) + text("latin1") + "tR";
  const auto file =
      read_object(dict("best", "cnumpy.core.multiarray\nscalar\n(" + dtype + raw + "tR"));
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  EXPECT_EQ(file->node(*file->find(file->root(), "best")).real, 2.5);
}

TEST(TorchRead, TheLastValueOfAKeyCounts) {
  const auto from = storage("FloatStorage", "a", 6);
  const std::string state = "}(" + text("w") + tensor(from, 0, {1}, {1}) + text("v") +
                            tensor(from, 1, {1}, {1}) + text("w") + tensor(from, 2, {1}, {1}) +
                            text("note") + "N" + "u";
  const auto file = read_object(dict("state_dict", state), kSix);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  const auto entries = file->state_dict();
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].name, "w");
  EXPECT_EQ(file->tensor((*entries)[0].tensor).as<float>()[0], 2.0F);
}

TEST(TorchRead, NeitherLayout) {
  const auto result = Checkpoint::read(to_bytes(as_byte_span("hello")), "x");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::torch_container);
  EXPECT_FALSE(Checkpoint::read({}, "x").ok());
  EXPECT_FALSE(read_object("}").value().state_dict().ok());
}

// Short files that would grow without bound.
TEST(TorchRead, Growth) {
  std::string list = "Nq" + std::string(1, '\0') + "0](";
  for (int i = 0; i < 1'000'000; ++i) list += std::string("h\0", 2);
  list += "eq\x01";
  for (int i = 0; i < 100; ++i) list += "0ctorch\nSize\nh\x01\x85R";
  EXPECT_EQ(code_of(list), ErrorCode::torch_limit);
  EXPECT_EQ(code_of(std::string(100'000, '(')), ErrorCode::torch_limit);
  EXPECT_EQ(code_of("N" + std::string(5'000'000, '2')), ErrorCode::torch_limit);
  EXPECT_EQ(code_of(std::string(2'000'000, 'N')), ErrorCode::torch_limit);
  EXPECT_EQ(code_of("c" + std::string(300, 'm') + "\nx\n"), ErrorCode::torch_pickle);

  // One number, repeated by a stride of 0: to a tensor, and that tensor under many names.
  const auto repeated = [](uint32_t count) {
    return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage("FloatStorage", "a", 6) + small(0) +
           "J" + number(count, 4) + "\x85" + tuple({0}) + "tR";
  };
  EXPECT_EQ(code_of(dict("s", repeated(2'000'000)), kSix), ErrorCode::torch_limit);
  std::string state = "}(" + text("0") + repeated(1'000'000) + "q\x01";
  for (int i = 1; i < 300; ++i) state += text(std::to_string(i)) + "h\x01";
  const auto file = read_object(dict("state_dict", state + "u"), kSix);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  ASSERT_FALSE(file->state_dict().ok());
  EXPECT_EQ(file->state_dict().error().code, ErrorCode::torch_limit);
}

TEST(TorchRead, EveryTruncationOfALegacyFile) {
  const auto from = storage("FloatStorage", "a", 6);
  const Bytes whole =
      legacy_file(dict("state_dict", dict("w", tensor(from, 0, {2, 3}, {3, 1}))), kSix);
  ASSERT_TRUE(Checkpoint::read(whole, "whole").ok());
  for (size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(Checkpoint::read(to_bytes(ByteSpan(whole).first(n)), "cut").ok()) << n;
  }
}

}  // namespace
}  // namespace edgetwin::torch
