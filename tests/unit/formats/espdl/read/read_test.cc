// Damaged and strange files: every error has a code, a byte offset and a field; nothing crashes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/rng.h"
#include "formats/espdl/read/read.h"
#include "formats/espdl/wire/describe.h"
#include "formats/espdl/write/write.h"
#include "unit/formats/espdl/espdl_models.h"
#include "unit/formats/flat_editor.h"

namespace edgetwin::espdl {
namespace {

using edgetwin::testing::FlatEditor;
using testing::full_document;
using testing::model_file;
using testing::small_document;
using testing::small_package;

constexpr size_t kHeader = 16;
// Field ids of the schema.
constexpr int kModelGraph = 7;
constexpr int kGraphNode = 0, kGraphInitializer = 2, kGraphInput = 4;
constexpr int kNodeAttribute = 5;
constexpr int kAttributeType = 3, kAttributeI = 5, kAttributeFloats = 10;
constexpr int kTensorDims = 0, kTensorType = 1, kTensorRaw = 8, kTensorName = 6;
constexpr int kValueType = 1;

Bytes file_of(const Document& d) { return *write(single(model_file("", d))); }

// Edits the payload of a file, and gives the file back.
class Editor : public FlatEditor {
 public:
  explicit Editor(const Document& d) : Editor(file_of(d)) {}
  explicit Editor(const Bytes& file)
      : FlatEditor(Bytes(file.begin() + kHeader, file.end())),
        header_(file.begin(), file.begin() + kHeader) {}
  Bytes file() const {
    Bytes all = header_;
    all.insert(all.end(), bytes().begin(), bytes().end());
    const auto length = static_cast<uint32_t>(bytes().size());
    std::memcpy(all.data() + 8, &length, sizeof length);
    return all;
  }
  size_t graph() const { return child(root(), kModelGraph); }
  size_t node(size_t i) const { return element(child(graph(), kGraphNode), i); }
  size_t initializer(size_t i) const { return element(child(graph(), kGraphInitializer), i); }
  size_t attribute(size_t node_index, size_t i) const {
    return element(child(node(node_index), kNodeAttribute), i);
  }

 private:
  Bytes header_;
};

Error error_of(const Bytes& bytes) {
  const auto result = read(bytes, "damaged.espdl");
  EXPECT_FALSE(result.ok());
  if (result.ok()) return Error();
  const Error& e = result.error();
  EXPECT_EQ(e.place.file, "damaged.espdl");
  EXPECT_TRUE(e.place.offset.has_value()) << to_text(e);
  EXPECT_FALSE(e.place.field.empty()) << to_text(e);
  return e;
}

Container good(const Bytes& bytes) {
  auto result = read(bytes, "good.espdl");
  EXPECT_TRUE(result.ok()) << to_text(result.error());
  return result.ok() ? std::move(result).value() : Container();
}

template <class T>
void poke(Bytes& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

TEST(EspdlRead, OtherFilesAreNotTakenForModels) {
  EXPECT_FALSE(looks_like_espdl(as_byte_span("EDL3")));
  EXPECT_FALSE(looks_like_espdl(as_byte_span("PDL4")));
  EXPECT_FALSE(looks_like_espdl(as_byte_span("EDL")));
  EXPECT_FALSE(looks_like_espdl({}));
  EXPECT_EQ(error_of(to_bytes(as_byte_span("TFL3 and more"))).code, ErrorCode::espdl_header);
  EXPECT_EQ(error_of({}).code, ErrorCode::truncated);
}

TEST(EspdlRead, EveryTruncationIsAnError) {
  for (const Bytes& whole : {file_of(full_document()), *write(small_package(1)),
                             *write(small_package(2)), *write(small_package(3))}) {
    const auto complete = read(whole, "whole");
    ASSERT_TRUE(complete.ok());
    for (size_t size = 0; size < whole.size(); ++size) {
      const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      const auto result = read(part, "part");
      // The last bytes of a package are padding, which nobody misses.
      if (result.ok()) {
        EXPECT_GT(size + 16, whole.size());
        EXPECT_EQ(*result, *complete);
      } else {
        EXPECT_TRUE(result.error().place.offset.has_value());
      }
    }
  }
}

TEST(EspdlRead, EveryChangedByteIsReadOrRefused) {
  XorShift32 random(1);
  for (const Bytes& whole : {file_of(full_document()), *write(small_package(2))}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      Bytes changed = whole;
      changed[at] ^= static_cast<std::byte>(1 + random.next() % 255);
      const auto result = read(changed, "changed");
      if (!result.ok()) {
        EXPECT_FALSE(to_text(result.error()).empty());
        continue;
      }
      const auto bytes = write(*result);
      ASSERT_TRUE(bytes.ok()) << to_text(bytes.error());
      EXPECT_EQ(*write(good(*bytes)), *bytes);
    }
  }
}

TEST(EspdlRead, HeaderFieldsAreChecked) {
  Bytes bytes = file_of(small_document());
  Bytes changed = bytes;
  poke(changed, 4, uint32_t{2});
  EXPECT_EQ(error_of(changed).place.offset, 4U);
  EXPECT_EQ(error_of(changed).code, ErrorCode::espdl_header);
  changed = bytes;
  poke(changed, 8, static_cast<uint32_t>(bytes.size()));
  EXPECT_EQ(error_of(changed).code, ErrorCode::truncated);
  changed = bytes;
  poke(changed, 8, uint32_t{4});
  EXPECT_EQ(error_of(changed).code, ErrorCode::espdl_flatbuffer);
  EXPECT_EQ(error_of(changed).place.offset, 16U);
}

TEST(EspdlRead, StrangeHeadersAreFindings) {
  Bytes bytes = file_of(small_document());
  poke(bytes, 12, uint32_t{7});
  bytes.push_back(std::byte{0});
  const Container container = good(bytes);
  EXPECT_EQ(container.models[0].document, small_document());
  EXPECT_EQ(container.models[0].findings.size(), 2U);
}

TEST(EspdlRead, UnalignedMemoryIsRead) {
  const Bytes bytes = file_of(full_document());
  for (size_t shift = 1; shift < 16; ++shift) {
    Bytes moved(bytes.size() + shift);
    std::copy(bytes.begin(), bytes.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
    const auto result = read(ByteSpan(moved).subspan(shift), "moved");
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->models[0].document, full_document());
  }
}

TEST(EspdlRead, ErrorsPointIntoThePackage) {
  Editor editor(small_document());
  editor.set<int32_t>(editor.field(editor.initializer(0), kTensorType), 8);
  const Bytes model = editor.file();
  Bytes package = *write(*pack({model_file("a", small_document())}, 2));
  const size_t at = 32;  // 8 + 12 + 1, up to a multiple of 16
  ASSERT_EQ(package.size(), at + model.size());
  std::copy(model.begin(), model.end(), package.begin() + at);
  const Error e = error_of(package);
  EXPECT_EQ(e.code, ErrorCode::espdl_content);
  EXPECT_EQ(e.place.offset, at + kHeader + editor.initializer(0));
  EXPECT_EQ(e.place.field, "Graph.initializer 'weight' Tensor.data_type");
  ASSERT_EQ(e.details.size(), 1U);
  EXPECT_NE(e.details[0].find("'a'"), std::string::npos);
}

TEST(EspdlRead, PackageDirectoriesAreChecked) {
  const Bytes package = *write(small_package(2));
  const auto changed = [&](size_t at, uint32_t value) {
    Bytes bytes = package;
    poke(bytes, at, value);
    return bytes;
  };
  EXPECT_EQ(error_of(changed(4, 0)).code, ErrorCode::espdl_package);
  EXPECT_EQ(error_of(changed(4, 1025)).code, ErrorCode::espdl_package);
  EXPECT_EQ(error_of(changed(4, 1000)).code, ErrorCode::espdl_package);
  EXPECT_EQ(error_of(changed(8, 8)).code, ErrorCode::espdl_package);
  EXPECT_EQ(error_of(changed(8, 0xffffffff)).code, ErrorCode::espdl_package);
  EXPECT_EQ(error_of(changed(12, 0xffffffff)).code, ErrorCode::espdl_package);
  EXPECT_EQ(error_of(changed(16, 0)).code, ErrorCode::espdl_package);
  uint32_t second;
  std::memcpy(&second, package.data() + 20, sizeof second);
  EXPECT_EQ(error_of(changed(8, second)).code, ErrorCode::espdl_package);
  Bytes folder = package;
  folder[32] = std::byte{'/'};
  EXPECT_EQ(error_of(folder).code, ErrorCode::espdl_package);
  Bytes other = package;
  other[second + 3] = std::byte{'1'};
  EXPECT_FALSE(read(other, "edl1 in pdl2").ok());
}

TEST(EspdlRead, TwoModelsOfOneNameAreAFinding) {
  Container package = small_package(2);
  package.models[1].name = package.models[0].name;
  const Container again = good(*write(package));
  EXPECT_EQ(again, package);
  EXPECT_EQ(again.findings.size(), 1U);
}

TEST(EspdlRead, TensorsAreChecked) {
  const Document d = small_document();
  Editor size(d);
  size.set<int64_t>(size.child(size.initializer(0), kTensorDims) + 4, 2);
  EXPECT_EQ(error_of(size.file()).code, ErrorCode::espdl_size);
  size.set<int64_t>(size.child(size.initializer(0), kTensorDims) + 4, -1);
  EXPECT_EQ(error_of(size.file()).code, ErrorCode::bad_value);
  size.set<int64_t>(size.child(size.initializer(0), kTensorDims) + 4, int64_t{1} << 62);
  EXPECT_EQ(error_of(size.file()).code, ErrorCode::bad_value);
  Editor missing(d);
  missing.set<uint32_t>(missing.child(missing.initializer(0), kTensorRaw), 0);
  EXPECT_EQ(error_of(missing.file()).code, ErrorCode::espdl_size);
  Editor type(d);
  type.set<int32_t>(type.field(type.initializer(0), kTensorType), 99);
  EXPECT_EQ(error_of(type.file()).code, ErrorCode::espdl_content);
  Document truth = d;
  truth.initializers[0].type = DataType::boolean;
  EXPECT_EQ(error_of(file_of(truth)).code, ErrorCode::bad_value);
}

TEST(EspdlRead, PaddingThatIsNotZeroIsAFinding) {
  Editor editor(small_document());
  const size_t raw = editor.child(editor.initializer(0), kTensorRaw);
  editor.set<uint8_t>(raw + 4 + 13, 1);
  const Container container = good(editor.file());
  EXPECT_EQ(container.models[0].document, small_document());
  ASSERT_EQ(container.models[0].findings.size(), 1U);
  EXPECT_EQ(container.models[0].findings[0].place, "Graph.initializer 'weight'");
}

TEST(EspdlRead, AttributesAreChecked) {
  Editor kind(small_document());
  kind.set<int32_t>(kind.field(kind.attribute(0, 1), kAttributeType), 5);
  EXPECT_EQ(error_of(kind.file()).code, ErrorCode::espdl_content);
  Editor value(small_document());
  value.drop(value.attribute(0, 1), kAttributeI);
  EXPECT_EQ(error_of(value.file()).code, ErrorCode::bad_value);
}

TEST(EspdlRead, FunctionsAndOtherTypesAreRefused) {
  Editor graph(small_document());
  graph.drop(graph.root(), kModelGraph);
  EXPECT_EQ(error_of(graph.file()).code, ErrorCode::espdl_content);
  Editor type(small_document());
  const size_t input = type.element(type.child(type.graph(), kGraphInput), 0);
  const size_t info = type.child(input, kValueType);
  type.set<uint8_t>(type.field(info, 0), 2);
  EXPECT_EQ(error_of(type.file()).code, ErrorCode::espdl_content);
}

// FLOATS as upstream's writer stores them: the number of elements, then eight bytes each.
Bytes with_doubles(const std::vector<double>& values) {
  Document d = small_document();
  d.nodes[0].attributes.push_back(testing::floats("scales", {1.0F, 1.0F}));
  Editor editor(d);
  Bytes vector(4);
  poke(vector, 0, static_cast<uint32_t>(values.size()));
  const auto bytes = std::as_bytes(std::span(values));
  vector.insert(vector.end(), bytes.begin(), bytes.end());
  Bytes behind_a_word(4);  // so that the numbers themselves begin at a multiple of 8
  behind_a_word.insert(behind_a_word.end(), vector.begin(), vector.end());
  const size_t at = editor.append(behind_a_word) + 4;
  const size_t field = editor.field(editor.attribute(0, 3), kAttributeFloats);
  editor.set<uint32_t>(field, static_cast<uint32_t>(at - field));
  return editor.file();
}

TEST(EspdlRead, DoublesInAListOfFloatsAreReported) {
  const Container container = good(with_doubles({2.0, 0.1F}));
  // The values are those that the device reads: the halves of the first double.
  EXPECT_EQ(container.models[0].document.nodes[0].attributes[3].floats,
            (std::vector<float>{0.0F, 2.0F}));
  ASSERT_EQ(container.models[0].findings.size(), 1U);
  EXPECT_EQ(container.models[0].findings[0].severity, Severity::warning);
  EXPECT_NE(container.models[0].findings[0].hint.find("2, 0.100000001"), std::string::npos);
}

TEST(EspdlRead, FloatsAreNotTakenForDoubles) {
  for (const std::vector<float>& values : std::vector<std::vector<float>>{
           {1.0F, 1.0F, 2.0F, 2.0F}, {0.0F}, {0.0F, 0.0F, 0.0F}, {0.5F, 0.25F}, {1.0F}}) {
    Document d = small_document();
    d.nodes[0].attributes.push_back(testing::floats("scales", values));
    const Container container = good(file_of(d));
    EXPECT_EQ(container.models[0].document, d);
    EXPECT_TRUE(container.models[0].findings.empty());
  }
}

// A small file that names one long text very often asks for more memory than it may.
TEST(EspdlRead, MemoryIsLimited) {
  Document d = small_document();
  d.initializers[0].name = std::string(200'000, 'n');
  for (int i = 0; i < 400; ++i)
    d.initializers.push_back(testing::tensor("x", DataType::int8, {1}, 1));
  Editor editor(d);
  const size_t name = editor.child(editor.initializer(0), kTensorName);
  for (size_t i = 1; i < d.initializers.size(); ++i) {
    const size_t field = editor.field(editor.initializer(i), kTensorName);
    if (name < field) continue;
    editor.set<uint32_t>(field, static_cast<uint32_t>(name - field));
  }
  EXPECT_EQ(error_of(editor.file()).code, ErrorCode::out_of_memory);
}

}  // namespace
}  // namespace edgetwin::espdl
