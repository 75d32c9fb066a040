// Programs made from laws against those of the vendor's compiler, bit for bit.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/darwinn/darwinn.h"
#include "golden/golden.h"
#include "golden/json_file.h"
#include "targets/edgetpu/synthesize/synthesize.h"

namespace edgetwin::edgetpu {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path models() { return golden::shared_data() / "edgetpu" / "models"; }

// The streams of one kind in a file of any container.
const darwinn::Executable* find(const darwinn::File& file, darwinn::ExecutableType type) {
  for (const auto& op : file.ops) {
    for (const auto& package : op.packages) {
      for (const auto& executable : package.executables) {
        if (executable.type == type) return &executable;
      }
    }
  }
  return nullptr;
}

void expect_equal(const darwinn::Bitstream& made, const darwinn::Bitstream& compiled,
                  const std::string& what) {
  EXPECT_EQ(made.data.size(), compiled.data.size()) << what;
  EXPECT_TRUE(made.data == compiled.data) << what;
  std::vector<int32_t> mine;
  std::vector<int32_t> theirs;
  for (const auto& f : made.field_offsets) mine.push_back(f.offset_bit);
  for (const auto& f : compiled.field_offsets) theirs.push_back(f.offset_bit);
  std::sort(mine.begin(), mine.end());
  std::sort(theirs.begin(), theirs.end());
  EXPECT_EQ(mine, theirs) << what;
}

// Of a layer of zeros.
darwinn::Package package_of(const Member& member) {
  const auto model = model_of(member);
  EXPECT_TRUE(model.ok());
  auto made = synthesize(*model);
  EXPECT_TRUE(made.ok()) << text(member) << to_text(made.error());
  return made.ok() ? std::move(made->package) : darwinn::Package();
}

Member conv_member(const json& card) {
  Member m;
  m.family = Family::conv3x3;
  m.height = card["height"];
  m.width = card["width"];
  m.channels = card["in_channels"];
  m.input_zero_point = card["input"]["zero_point"].get<int>() + 128;
  m.output_zero_point = card["output"]["zero_point"].get<int>() + 128;
  m.output_scale = card["output"]["scale"].get<float>();
  return m;
}

TEST(EdgetpuSynthesize, ConvolutionsEqualTheCompilers) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(models() / "coral_usb_conv")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json")) continue;
    const Member member = conv_member(golden::load_json(entry.path()));
    fs::path stream = entry.path();
    stream.replace_extension(".eo.bin");
    auto data = read_file(stream);
    ASSERT_TRUE(data.ok()) << name;
    auto file = darwinn::read(*data, name);
    ASSERT_TRUE(file.ok()) << name << to_text(file.error());
    const auto* compiled = find(*file, darwinn::ExecutableType::execution_only);
    ASSERT_NE(compiled, nullptr) << name;
    ASSERT_EQ(compiled->bitstreams.size(), 1U);
    const darwinn::Executable run = package_of(member).executables.at(0);
    expect_equal(run.bitstreams[0], compiled->bitstreams[0], name);
    EXPECT_EQ(standing_of_execution(member), Standing::compared) << name;
    EXPECT_EQ(run.narrow_memory_per_tile, compiled->narrow_memory_per_tile) << name;
    ++compared;
  }
  EXPECT_GE(compared, 100);
}

TEST(EdgetpuSynthesize, CompiledFilesOfTheFamilies) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(models() / "coral_usb_conv")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with("_edgetpu.tflite")) continue;
    const std::string stem = name.substr(0, name.size() - std::string("_edgetpu.tflite").size());
    const Member member =
        conv_member(golden::load_json(entry.path().parent_path() / (stem + ".json")));
    auto data = read_file(entry.path());
    ASSERT_TRUE(data.ok()) << name;
    auto file = darwinn::read(*data, name);
    ASSERT_TRUE(file.ok()) << name;
    const auto* caching = find(*file, darwinn::ExecutableType::parameter_caching);
    ASSERT_NE(caching, nullptr);
    expect_equal(package_of(member).executables.at(1).bitstreams[0], caching->bitstreams.at(0),
                 name);
    ++compared;
  }
  EXPECT_GE(compared, 6);
}

// What the host sees of an executable must be the compiler's too, but for names of buffers,
// versions and the token.
void expect_same_outside(const darwinn::Executable& made, const darwinn::Executable& compiled,
                         const std::string& what) {
  EXPECT_EQ(made.narrow_memory_per_tile, compiled.narrow_memory_per_tile) << what;
  EXPECT_EQ(made.scratch_size, compiled.scratch_size) << what;
  EXPECT_TRUE(made.parameters == compiled.parameters) << what;
  EXPECT_TRUE(made.dma_hints == compiled.dma_hints) << what;
  EXPECT_TRUE(made.inputs == compiled.inputs) << what;
  EXPECT_TRUE(made.outputs == compiled.outputs) << what;
}

TEST(EdgetpuSynthesize, ModelsBecomeTheCompilersFiles) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  int compared = 0;
  for (const char* folder : {"coral_usb_conv", "libredgetpu"}) {
    for (const auto& entry : fs::directory_iterator(models() / folder)) {
      const std::string name = entry.path().filename().string();
      const size_t end = name.find("_edgetpu.tflite");
      if (end == std::string::npos || !(name.starts_with("conv2d") || name.starts_with("dense"))) {
        continue;
      }
      const auto source_data =
          read_file(entry.path().parent_path() / (name.substr(0, end) + ".tflite"));
      ASSERT_TRUE(source_data.ok()) << name;
      const auto model = tflite::read(*source_data, name);
      ASSERT_TRUE(model.ok()) << name;
      const auto made = synthesize(*model);
      ASSERT_TRUE(made.ok()) << name << to_text(made.error());
      const auto compiled_data = read_file(entry.path());
      const auto compiled = darwinn::read(*compiled_data, name);
      ASSERT_TRUE(compiled.ok()) << name;
      for (const darwinn::Executable& ours : made->package.executables) {
        const auto* theirs = find(*compiled, ours.type);
        ASSERT_NE(theirs, nullptr) << name;
        expect_equal(ours.bitstreams[0], theirs->bitstreams.at(0), name);
        expect_same_outside(ours, *theirs, name);
      }
      const auto whole = compiled_model(*model, *made);
      EXPECT_TRUE(whole.ok()) << name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 9);
}

}  // namespace
}  // namespace edgetwin::edgetpu
