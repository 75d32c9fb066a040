#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/darwinn/small_model.h"
#include "formats/tflite/tflite.h"

namespace edgetwin::darwinn {
namespace {

using ::testing::HasSubstr;

// A .tflite file whose only operator is the compiled one.
Bytes model_of(const CompiledOp& op) {
  Model model;
  model.format = "tflite";
  model.graphs.emplace_back();
  Graph& g = model.graphs[0];
  for (const char* name : {"question", "answer"}) {
    Value v;
    v.name = name;
    v.dtype = DType::uint8;
    v.has_shape = true;
    v.shape = {1, 4};
    g.values.push_back(std::move(v));
  }
  g.inputs = {0};
  g.outputs = {1};
  Op custom;
  custom.kind = OpKind::opaque;
  OpaqueAttrs attrs;
  attrs.name = std::string(kCustomCode);
  attrs.builtin_code = 32;
  attrs.custom_options = *write_options(op);
  custom.inputs = {0};
  custom.outputs = {1};
  custom.attrs = std::move(attrs);
  g.ops.push_back(std::move(custom));
  const auto written = tflite::write(model);
  EXPECT_TRUE(written.ok()) << (written.ok() ? "" : to_text(written.error()));
  return written.ok() ? *written : Bytes();
}

CompiledOp small_op() {
  CompiledOp op;
  op.packages.push_back(small_package());
  return op;
}

TEST(DarwinnPackage, ComesBackAsItWasWritten) {
  const Package p = small_package();
  const auto bytes = write_package(p);
  ASSERT_TRUE(bytes.ok());
  const auto read = read_package(*bytes, "p");
  ASSERT_TRUE(read.ok()) << to_text(read.error());
  EXPECT_EQ(*read, p);
  EXPECT_EQ(*write_package(*read), *bytes);
}

// Numbers are read where they stand where that is aligned, else from a copy.
TEST(DarwinnPackage, ComesBackFromAnyPlaceInMemory) {
  const Package p = small_package();
  const auto bytes = write_package(p);
  ASSERT_TRUE(bytes.ok());
  for (size_t shift = 0; shift <= 8; ++shift) {
    Bytes moved(shift + bytes->size());
    std::copy(bytes->begin(), bytes->end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
    const auto read = read_package(ByteSpan(moved).subspan(shift), "p");
    ASSERT_TRUE(read.ok()) << shift << to_text(read.error());
    EXPECT_EQ(*read, p) << shift;
  }
}

TEST(DarwinnPackage, AChangeIsNotEqual) {
  const Package p = small_package();
  Package other = p;
  other.executables[0].outputs[0].layout->x_local[1] = 5;
  EXPECT_FALSE(other == p);
  other = p;
  other.executables[0].dma_hints->hints[1].size = 31;
  EXPECT_FALSE(other == p);
  other = p;
  other.executables[1].bitstreams[0].field_offsets[1].meta.position = Position::low;
  EXPECT_FALSE(other == p);
}

TEST(DarwinnPackage, PartsBeginAtPages) {
  const Package p = small_package();
  const Bytes bytes = *write_package(p);
  const auto read = read_package(bytes, "p");
  ASSERT_TRUE(read.ok());
  for (const Executable& e : read->executables) {
    EXPECT_EQ(e.place.offset % 4096, 0U);
    EXPECT_EQ(e.place.size % 4096, 0U);
    if (e.parameters.empty()) continue;
    EXPECT_EQ(e.parameter_place.offset % 4096, 0U);
  }
  EXPECT_EQ(read->executables[1].parameter_place.size, 5000U);
}

TEST(DarwinnPackage, PlacesAreThoseOfTheFile) {
  const Bytes file = model_of(small_op());
  const auto read = darwinn::read(file, "m");
  ASSERT_TRUE(read.ok()) << to_text(read.error());
  ASSERT_EQ(read->ops.size(), 1U);
  EXPECT_EQ(read->container, Container::tflite);
  EXPECT_EQ(read->ops[0].packages, small_op().packages);
  const auto at = [&](const Extent& place) {
    return to_bytes(ByteSpan(file).subspan(place.offset, place.size));
  };
  for (const BitstreamId& id : all_bitstreams(*read)) {
    const Bitstream& b = *darwinn::find(*read, id);
    EXPECT_EQ(at(b.place), b.data);
  }
  const Executable& caching = read->ops[0].packages[0].executables[1];
  EXPECT_EQ(at(caching.parameter_place), caching.parameters);
  const Numerics& n = *read->ops[0].packages[0].executables[0].outputs[0].numerics;
  ASSERT_EQ(n.zero_point_place.size, 4U);
  int32_t zero_point = 0;
  std::memcpy(&zero_point, file.data() + n.zero_point_place.offset, sizeof zero_point);
  EXPECT_EQ(zero_point, 118);
  float factor = 0.0F;
  std::memcpy(&factor, file.data() + n.factor_place.offset, sizeof factor);
  EXPECT_EQ(factor, 0.25F);
}

TEST(DarwinnPackage, OptionsKeepChipsAndFurtherPackages) {
  CompiledOp op = small_op();
  op.execution_preference = 1;
  op.has_chips = true;
  op.chips = {18, 17};
  op.packages.push_back(small_package());
  op.packages[1].min_runtime_version = 10;
  const auto read = darwinn::read(model_of(op), "m");
  ASSERT_TRUE(read.ok()) << to_text(read.error());
  EXPECT_EQ(read->ops[0], op);
  EXPECT_EQ(all_bitstreams(*read).size(), 8U);
  op.chips = {18};
  EXPECT_EQ(write_options(op).error().code, ErrorCode::darwinn_write);
}

TEST(DarwinnPackage, OverwriteKeepsAllOtherBytes) {
  const Bytes file = model_of(small_op());
  Bytes changed = file;
  const auto read = darwinn::read(file, "m");
  const Bitstream& b = read->ops[0].packages[0].executables[1].bitstreams[1];
  const Bytes other = counted_bytes(b.place.size, 200);
  ASSERT_TRUE(overwrite(changed, b.place, other).ok());
  for (size_t i = 0; i < file.size(); ++i) {
    const bool inside = i >= b.place.offset && i < b.place.offset + b.place.size;
    ASSERT_TRUE(inside || changed[i] == file[i]) << i;
  }
  EXPECT_EQ(darwinn::read(changed, "m")->ops[0].packages[0].executables[1].bitstreams[1].data,
            other);
  EXPECT_EQ(overwrite(changed, b.place, counted_bytes(31, 0)).error().code,
            ErrorCode::darwinn_place);
  EXPECT_EQ(overwrite(changed, {changed.size() - 1, 32}, other).error().code,
            ErrorCode::darwinn_place);
}

TEST(DarwinnPackage, WhatTheDriverRefusesIsRefused) {
  const auto refusal = [](const Package& p) {
    const auto read = read_package(*write_package(p), "p");
    return read.ok() ? std::string() : to_text(read.error());
  };
  Package p = small_package();
  p.executables[1].type = ExecutableType::execution_only;
  EXPECT_THAT(refusal(p), HasSubstr("executables 0 and 1 are both EXECUTION_ONLY"));
  p = small_package();
  p.executables[1].type = ExecutableType::stand_alone;
  EXPECT_THAT(refusal(p), HasSubstr("needs PARAMETER_CACHING and EXECUTION_ONLY"));
  p = small_package();
  p.executables[0].batch_size = 0;
  EXPECT_THAT(refusal(p), HasSubstr("the batch size is 0"));
  p = small_package();
  p.virtual_chip_id = -1;
  EXPECT_THAT(refusal(p), HasSubstr("several chips"));
  p = small_package();
  p.executables[0].bitstreams[0].field_offsets[0].offset_bit = 64 * 8 - 31;
  EXPECT_THAT(refusal(p), HasSubstr("32 bits at bit 481, the bitstream has 512"));
  p = small_package();
  p.executables[0].dma_hints->hints[0].chunk = 2;
  EXPECT_THAT(refusal(p), HasSubstr("bitstream 2 of 2"));
  EXPECT_EQ(write_package(Package()).error().code, ErrorCode::darwinn_write);
}

TEST(DarwinnPackage, EveryCutIsAnErrorWithAnOffset) {
  const Bytes bytes = *write_package(small_package());
  for (size_t size = 0; size < bytes.size(); size += 97) {
    const auto read = read_package(ByteSpan(bytes).first(size), "cut");
    ASSERT_FALSE(read.ok()) << size;
    ASSERT_TRUE(read.error().place.offset.has_value()) << size;
    EXPECT_LE(*read.error().place.offset, size);
    EXPECT_FALSE(read.error().place.field.empty());
  }
}

TEST(DarwinnPackage, EveryChangedByteIsReadOrRefused) {
  const Bytes bytes = *write_package(small_package());
  size_t refused = 0;
  for (size_t i = 0; i < bytes.size(); i += 37) {
    Bytes changed = bytes;
    changed[i] ^= std::byte{0xFF};
    const auto read = read_package(changed, "changed");
    if (read.ok()) continue;
    ++refused;
    ASSERT_TRUE(read.error().place.offset.has_value()) << i;
    EXPECT_LE(*read.error().place.offset, bytes.size());
  }
  EXPECT_GT(refused, 10U);
}

// Two bytes of zeros take an entry out of a table: optional ones are missing then, others refused.
// A transfer without what belongs to its kind once was neither.
TEST(DarwinnPackage, EveryMissingEntryIsReadOrRefused) {
  const Bytes bytes = *write_package(small_package());
  size_t hints = 0;
  for (size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    if (bytes[at] == std::byte{0} && bytes[at + 1] == std::byte{0}) continue;
    Bytes changed = bytes;
    changed[at] = changed[at + 1] = std::byte{0};
    const auto read = read_package(changed, "p");
    if (read.ok()) continue;
    EXPECT_FALSE(to_text(read.error()).empty()) << at;
    hints += to_text(read.error()).find("says its kind and nothing else") != std::string::npos;
  }
  EXPECT_GT(hints, 0U);
}

TEST(DarwinnPackage, KindsAreToldByContent) {
  const Package p = small_package();
  EXPECT_EQ(container_of(*write_package(p)), Container::package);
  EXPECT_EQ(container_of(model_of(small_op())), Container::tflite);
  Bytes program(48);  // START with (3 - 2) * 128, nothing, END
  const uint64_t start = 0xF80 | (uint64_t{128} << 19U);
  std::memcpy(program.data(), &start, sizeof start);
  EXPECT_EQ(container_of(program), Container::bitstream);
  Executable e = p.executables[1];
  EXPECT_EQ(container_of(*write_executable(e)), std::nullopt);  // its program is none
  e.bitstreams[0].data = program;
  e.bitstreams[0].field_offsets.clear();
  EXPECT_EQ(container_of(*write_executable(e)), Container::executable);
  const auto read = darwinn::read(*write_executable(e), "e");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->ops[0].packages[0].executables[0], e);
  EXPECT_EQ(container_of(counted_bytes(100, 5)), std::nullopt);
  EXPECT_EQ(darwinn::read(counted_bytes(100, 5), "x").error().code, ErrorCode::edgetpu_no_program);
}

}  // namespace
}  // namespace edgetwin::darwinn
