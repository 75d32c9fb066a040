// What is written is read back as the same, and the bytes are where the format wants them.
#include "formats/espdl/write/write.h"
#include "formats/espdl/read/read.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/sha256.h"
#include "formats/espdl/wire/describe.h"
#include "unit/formats/espdl/espdl_models.h"

namespace edgetwin::espdl {
namespace {

using testing::full_document;
using testing::kKey;
using testing::model_file;
using testing::small_document;
using testing::small_package;

uint32_t u32(const Bytes& bytes, size_t at) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Bytes written(const Container& container, std::optional<Key> key = {}) {
  auto bytes = write(container, key);
  EXPECT_TRUE(bytes.ok()) << to_text(bytes.error());
  return bytes.ok() ? std::move(bytes).value() : Bytes();
}

Container reread(const Bytes& bytes, std::optional<Key> key = {}) {
  auto container = read(bytes, "again.espdl", key);
  EXPECT_TRUE(container.ok()) << to_text(container.error());
  return container.ok() ? std::move(container).value() : Container();
}

TEST(EspdlContainer, EverythingComesBack) {
  for (const int version : {1, 2}) {
    ModelFile model = model_file("", full_document());
    model.edl_version = version;
    const Container container = single(model);
    const Bytes bytes = written(container);
    const Container again = reread(bytes);
    EXPECT_EQ(again, container);
    EXPECT_TRUE(again.models[0].findings.empty()) << again.models[0].findings[0].message;
    EXPECT_EQ(written(again), bytes);
    EXPECT_TRUE(looks_like_espdl(bytes));
  }
}

TEST(EspdlContainer, EmptyDocumentComesBack) {
  const Container container = single(model_file("", Document()));
  EXPECT_EQ(reread(written(container)), container);
}

TEST(EspdlContainer, DifferentContentIsDifferent) {
  const Document base = full_document();
  Document other = base;
  other.nodes[1].attributes[4].floats[0] = 0.2F;
  EXPECT_NE(other, base);
  EXPECT_EQ(reread(written(single(model_file("", other)))).models[0].document, other);
}

TEST(EspdlContainer, HeaderOfEdl2) {
  const Bytes bytes = written(single(model_file("ignored", small_document())));
  EXPECT_EQ(as_text(ByteSpan(bytes).first(4)), "EDL2");
  EXPECT_EQ(u32(bytes, 4), 0U);
  EXPECT_EQ(u32(bytes, 8), bytes.size() - 16);
  EXPECT_EQ(u32(bytes, 12), 0U);
}

TEST(EspdlContainer, HeaderOfEdl1) {
  ModelFile model = model_file("", small_document());
  model.edl_version = 1;
  const Bytes bytes = written(single(model));
  EXPECT_EQ(as_text(ByteSpan(bytes).first(4)), "EDL1");
  EXPECT_EQ(u32(bytes, 8), bytes.size() - 12);
}

// The elements themselves begin at multiples of 16 in the file, zeros fill up their last block.
TEST(EspdlContainer, ElementsAreAligned) {
  Document d = small_document();
  d.initializers[0].data = testing::counting(12, 101);
  const Bytes bytes = written(single(model_file("", d)));
  const auto& wanted = d.initializers[0].data;
  const auto at = std::search(bytes.begin(), bytes.end(), wanted.begin(), wanted.end());
  ASSERT_NE(at, bytes.end());
  const auto offset = static_cast<size_t>(at - bytes.begin());
  EXPECT_EQ(offset % 16, 0U);
  EXPECT_EQ(u32(bytes, offset - 4), 1U);
  EXPECT_EQ(u32(bytes, offset + 12), 0U);
}

TEST(EspdlContainer, PackagesComeBack) {
  for (const int version : {1, 2, 3}) {
    const Container package = small_package(version);
    EXPECT_EQ(package.models[0].name, "a.espdl");
    const Bytes bytes = written(package);
    const Container again = reread(bytes);
    EXPECT_EQ(again, package);
    EXPECT_TRUE(again.findings.empty());
    for (const ModelFile& model : again.models) EXPECT_TRUE(model.findings.empty());
  }
}

TEST(EspdlContainer, BytesOfPdl1) {
  const Bytes bytes = written(small_package(1));
  EXPECT_EQ(as_text(ByteSpan(bytes).first(4)), "PDL1");
  EXPECT_EQ(u32(bytes, 4), 2U);
  EXPECT_EQ(u32(bytes, 12), 8U + 24U);
  EXPECT_EQ(u32(bytes, 16), 7U);
  EXPECT_EQ(as_text(ByteSpan(bytes).subspan(32, 14)), "a.espdlb.espdl");
  EXPECT_EQ(u32(bytes, 8), 46U);
  EXPECT_EQ(as_text(ByteSpan(bytes).subspan(46, 4)), "EDL1");
}

TEST(EspdlContainer, BytesOfPdl3) {
  Bytes bytes = written(small_package(3));
  EXPECT_EQ(as_text(ByteSpan(bytes).first(8)), "PDL3v1.0");
  EXPECT_EQ(u32(bytes, 20), bytes.size());
  EXPECT_EQ(bytes.size() % 16, 0U);
  EXPECT_EQ(u32(bytes, 56), 2U);
  EXPECT_EQ(u32(bytes, 64), 84U);
  EXPECT_EQ(u32(bytes, 60), 112U);  // 84 + 14 bytes of names, up to a multiple of 16
  EXPECT_EQ(u32(bytes, 72) % 16, 0U);
  Bytes digest(bytes.begin() + 24, bytes.begin() + 56);
  std::fill(bytes.begin() + 24, bytes.begin() + 56, std::byte{0});
  std::string hexadecimal;
  for (const std::byte b : digest) {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", std::to_integer<unsigned>(b));
    hexadecimal += text;
  }
  EXPECT_EQ(hexadecimal, sha256_hex(bytes));
}

TEST(EspdlContainer, ChangedPackageIsRefusedWithBothDigests) {
  Bytes bytes = written(small_package(3));
  bytes[bytes.size() - 1] ^= std::byte{1};
  const auto read_back = read(bytes, "p.espdl");
  ASSERT_FALSE(read_back.ok());
  EXPECT_EQ(read_back.error().code, ErrorCode::espdl_digest);
  EXPECT_EQ(read_back.error().place.offset, 24U);
  ASSERT_EQ(read_back.error().details.size(), 2U);
  EXPECT_NE(read_back.error().details[0].substr(10), read_back.error().details[1].substr(10));
}

TEST(EspdlContainer, EncryptionIsAes128InCounterMode) {
  ModelFile model = model_file("", small_document());
  const Bytes plain = written(single(model));
  model.encrypted = true;
  const Container container = single(model);
  const Bytes bytes = written(container, kKey);
  ASSERT_EQ(bytes.size(), plain.size());
  EXPECT_EQ(u32(bytes, 4), 1U);
  // The first block of the key stream: AES-128 of 101112131415161718191a1b1c1d1e1f, computed with
  // the openssl program.
  const Bytes stream = {std::byte{0x07}, std::byte{0xfe}, std::byte{0xef}, std::byte{0x74}};
  for (size_t i = 0; i < stream.size(); ++i) EXPECT_EQ(bytes[16 + i], plain[16 + i] ^ stream[i]);
  EXPECT_EQ(reread(bytes, kKey), container);
}

TEST(EspdlContainer, EncryptedModelNeedsItsKey) {
  ModelFile model = model_file("", small_document());
  model.encrypted = true;
  EXPECT_EQ(write(single(model)).error().code, ErrorCode::espdl_encrypted);
  const Bytes bytes = written(single(model), kKey);
  const auto without = read(bytes, "m.espdl");
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.error().code, ErrorCode::espdl_encrypted);
  EXPECT_NE(without.error().hint.find("--key HEX"), std::string::npos);
  const auto wrong = read(bytes, "m.espdl", *parse_key("ffffffffffffffffffffffffffffffff"));
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::espdl_flatbuffer);
  EXPECT_NE(wrong.error().hint.find("key"), std::string::npos);
}

TEST(EspdlContainer, OneKeyForTwoModelsIsReported) {
  Container package = small_package(2);
  for (ModelFile& model : package.models) model.encrypted = true;
  const Container again = reread(written(package, kKey), kKey);
  EXPECT_EQ(again, package);
  ASSERT_EQ(again.findings.size(), 1U);
  EXPECT_EQ(again.findings[0].severity, Severity::warning);
}

TEST(EspdlContainer, KeysAreUnderstoodAsPeopleHaveThem) {
  const Key key = kKey;
  EXPECT_EQ(*parse_key("0x000102030405060708090A0B0C0D0E0F"), key);
  EXPECT_EQ(*parse_key("[0x00, 0x01, 0x02, 0x3, 4, 05, 6,7,8,9,0xa,0xB,c,d,0e,0f]"), key);
  for (const char* bad :
       {"", "00", "000102030405060708090a0b0c0d0e0", "000102030405060708090a0b0c0d0e0g",
        "000102030405060708090a0b0c0d0e0f00", "0x"}) {
    ASSERT_FALSE(parse_key(bad).ok()) << bad;
    EXPECT_EQ(parse_key(bad).error().code, ErrorCode::espdl_key);
  }
}

TEST(EspdlContainer, PackingRefusesWhatCannotBeUnpacked) {
  const auto error = [](std::vector<ModelFile> models, int version = 3, std::string text = "v1.0") {
    const auto package = pack(std::move(models), version, std::move(text));
    EXPECT_FALSE(package.ok());
    return package.ok() ? ErrorCode::internal : package.error().code;
  };
  const Document d = small_document();
  EXPECT_EQ(error({}), ErrorCode::espdl_write);
  EXPECT_EQ(error({model_file("", d)}), ErrorCode::espdl_write);
  EXPECT_EQ(error({model_file("a/b", d)}), ErrorCode::espdl_write);
  EXPECT_EQ(error({model_file("..", d)}), ErrorCode::espdl_write);
  EXPECT_EQ(error({model_file("a", d), model_file("a", d)}), ErrorCode::espdl_write);
  EXPECT_EQ(error({model_file("a", d)}, 4), ErrorCode::espdl_write);
  EXPECT_EQ(error({model_file("a", d)}, 3, "a text of 16 by."), ErrorCode::espdl_write);
}

TEST(EspdlContainer, WritingRefusesWhatAFileCannotHold) {
  const auto code = [](auto change) {
    Document d = full_document();
    change(d);
    const auto bytes = write(single(model_file("", d)));
    EXPECT_FALSE(bytes.ok());
    if (bytes.ok()) return ErrorCode::internal;
    EXPECT_FALSE(bytes.error().place.field.empty());
    return bytes.error().code;
  };
  EXPECT_EQ(code([](Document& d) { d.initializers[0].data.pop_back(); }), ErrorCode::espdl_write);
  EXPECT_EQ(code([](Document& d) { d.initializers[0].dims[0] = -1; }), ErrorCode::espdl_write);
  EXPECT_EQ(code([](Document& d) { d.initializers[0].type = DataType::string; }),
            ErrorCode::espdl_write);
  EXPECT_EQ(code([](Document& d) { d.values[0].shape = {-2}; }), ErrorCode::espdl_write);
  EXPECT_EQ(code([](Document& d) { d.nodes[0].attributes[0].type = AttributeType::graph; }),
            ErrorCode::espdl_write);
  Container two = small_package(3);
  two.package_version = 0;
  EXPECT_EQ(write(two).error().code, ErrorCode::espdl_write);
}

TEST(EspdlDescribe, NamesEveryByteOfTheHeaders) {
  const Bytes bytes = written(small_package(3));
  const auto lines = describe(bytes, "p");
  ASSERT_TRUE(lines.ok()) << to_text(lines.error());
  EXPECT_EQ((*lines)[0], (DumpLine{0, 4, "package.magic", "PDL3"}));
  EXPECT_EQ((*lines)[1], (DumpLine{4, 16, "package.version", "v1.0"}));
  EXPECT_EQ((*lines)[5], (DumpLine{60, 4, "package.entry[0].data_offset", "112"}));
  EXPECT_EQ((*lines)[8], (DumpLine{84, 7, "package.entry[0].name", "a.espdl"}));
  EXPECT_EQ((*lines)[9], (DumpLine{112, 4, "model[0].header.magic", "EDL2"}));
  EXPECT_EQ((*lines)[10].value, "0 (plain)");
  // Together they are all but the padding.
  uint64_t covered = 0;
  for (const DumpLine& line : *lines) covered += line.size;
  EXPECT_LE(bytes.size() - covered, 2U * 15U);
}

TEST(EspdlDescribe, SaysWhatIsMissing) {
  Bytes bytes = written(small_package(2));
  bytes.resize(bytes.size() / 2);
  const auto lines = describe(bytes, "p");
  ASSERT_FALSE(lines.ok());
  EXPECT_EQ(lines.error().code, ErrorCode::truncated);
}

}  // namespace
}  // namespace edgetwin::espdl
