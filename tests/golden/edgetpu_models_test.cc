// Every compiled Edge TPU model of the data folder: read, written, listed and put back, executed.
#include <gtest/gtest.h>

#include <set>

#include <algorithm>

#include "formats/darwinn/relayout.h"
#include "golden/golden.h"
#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/inspect/program_diff.h"
#include "targets/edgetpu/isa/listing.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::golden {
namespace {

std::vector<fs::path> files() {
  std::vector<fs::path> found;
  const fs::path folder = shared_data() / "edgetpu" / "models";
  if (shared_data().empty() || !fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool compiled = name.find("_edgetpu.tflite") != std::string::npos;
    if (entry.is_regular_file() && (compiled || name.ends_with(".eo.bin"))) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The model whose program decides on the chip what to transfer.
bool is_recurrent(const fs::path& path) {
  return path.filename().string().find("lstm") != std::string::npos;
}

class EdgeTpuModels : public testing::Test {
 protected:
  void SetUp() override {
    if (files().empty()) GTEST_SKIP() << "no compiled models in EDGETWIN_SHARED_DATA";
  }
};

TEST_F(EdgeTpuModels, EveryBitstreamComesBackByteForByte) {
  size_t bitstreams = 0;
  for (const fs::path& path : files()) {
    const auto data = read_file(path);
    ASSERT_TRUE(data.ok());
    const auto file = darwinn::read(*data, path.string());
    ASSERT_TRUE(file.ok()) << to_text(file.error());
    for (const darwinn::BitstreamId& id : darwinn::all_bitstreams(*file)) {
      const auto parsed = edgetpu::parse_whole(darwinn::find(*file, id)->data);
      ASSERT_TRUE(parsed.ok()) << path << " " << to_text(parsed.error());
      ++bitstreams;
    }
    const std::string text = edgetpu::disassemble(*file);
    ASSERT_EQ(text.find(".bytes"), std::string::npos) << path;
    const auto made = edgetpu::assemble_into(text, "text", *data, path.string());
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    ASSERT_TRUE(*made == *data) << path;
    const auto alone = edgetpu::assemble(text, "text");
    ASSERT_TRUE(alone.ok());
    for (const edgetpu::Assembled& a : *alone) {
      ASSERT_TRUE(a.data == darwinn::find(*file, a.id)->data) << path;
    }
  }
  EXPECT_GE(bitstreams, files().size());
}

// Bits that are 1 in some program and that no field names: only the tensor engine has such ones.
TEST_F(EdgeTpuModels, FewBitsAreWithoutAName) {
  std::set<std::pair<edgetpu::Opcode, size_t>> unnamed;
  for (const fs::path& path : files()) {
    const auto file = darwinn::read(*read_file(path), path.string());
    ASSERT_TRUE(file.ok());
    for (const darwinn::BitstreamId& id : darwinn::all_bitstreams(*file)) {
      const auto parsed = edgetpu::parse_whole(darwinn::find(*file, id)->data);
      ASSERT_TRUE(parsed.ok());
      for (const edgetpu::Instruction& i : parsed->instructions) {
        for (const edgetpu::Gap& gap : edgetpu::gaps_of(i.opcode())) {
          for (size_t bit = gap.bit; bit < size_t{gap.bit} + gap.width; ++bit) {
            if (i.bits(bit, 1) != 0) unnamed.emplace(i.opcode(), bit);
          }
        }
      }
    }
  }
  std::string all;
  for (const auto& [opcode, bit] : unnamed) {
    all += " " + std::string(edgetpu::info(opcode).name) + ":" + std::to_string(bit);
    EXPECT_TRUE(edgetpu::info(opcode).name.starts_with("tensor")) << all;
  }
  EXPECT_LE(unnamed.size(), 40U) << all;
}

TEST_F(EdgeTpuModels, ProgramsIssueWhatIsAnnounced) {
  size_t executables = 0;
  size_t agree = 0;
  for (const fs::path& path : files()) {
    const auto file = darwinn::read(*read_file(path), path.string());
    ASSERT_TRUE(file.ok());
    const edgetpu::ModelCheck checked = edgetpu::check(*file);
    for (const Finding& f : checked.findings) {
      EXPECT_TRUE(is_recurrent(path) && f.id == "TPU-PRG-11")
          << path << " " << f.id << " " << to_text(f.place) << ": " << f.message;
    }
    for (const edgetpu::ExecutableCheck& e : checked.executables) {
      ++executables;
      EXPECT_TRUE(e.ran) << path;
      agree += e.transfers.agreement != edgetpu::Agreement::different ? 1U : 0U;
      EXPECT_TRUE(is_recurrent(path) || e.transfers.agreement != edgetpu::Agreement::different);
    }
  }
  EXPECT_GE(agree + 1, executables);  // all but the inference of the recurrent one
}

TEST_F(EdgeTpuModels, WrittenPackagesSayTheSame) {
  for (const fs::path& path : files()) {
    const auto file = darwinn::read(*read_file(path), path.string());
    ASSERT_TRUE(file.ok());
    for (const darwinn::CompiledOp& op : file->ops) {
      for (const darwinn::Package& p : op.packages) {
        const auto written = darwinn::write_package(p);
        ASSERT_TRUE(written.ok());
        const auto again = darwinn::read_package(*written, "again");
        ASSERT_TRUE(again.ok()) << to_text(again.error());
        EXPECT_TRUE(*again == p) << path;
      }
    }
    EXPECT_TRUE(edgetpu::compare(*file, *file).lines.empty());
  }
}

TEST_F(EdgeTpuModels, TiledOutputsComeBack) {
  size_t tiled = 0;
  for (const fs::path& path : files()) {
    const auto file = darwinn::read(*read_file(path), path.string());
    ASSERT_TRUE(file.ok());
    const darwinn::Executable* e = file->ops[0].packages[0].inference();
    ASSERT_NE(e, nullptr);
    for (const darwinn::Layer& l : e->outputs) {
      const auto relayout = darwinn::Relayout::make(l);
      ASSERT_TRUE(relayout.ok()) << to_text(relayout.error());
      Bytes dense(relayout->dense_bytes());
      for (size_t i = 0; i < dense.size(); ++i) dense[i] = static_cast<std::byte>(i * 7 + i / 251);
      Bytes on_chip(relayout->tiled_bytes());
      Bytes back(dense.size());
      relayout->to_tiled(dense, on_chip);
      relayout->to_dense(on_chip, back);
      EXPECT_TRUE(back == dense) << path << " " << l.name;
      tiled += l.y_dim * l.x_dim > 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(tiled, 0U);
}

TEST_F(EdgeTpuModels, CutFilesAreErrorsWithAnOffset) {
  for (const fs::path& path : files()) {
    const auto data = read_file(path);
    ASSERT_TRUE(data.ok());
    for (const size_t part : {1U, 3U, 5U, 7U}) {
      const ByteSpan cut = ByteSpan(*data).first(data->size() * part / 8);
      const auto file = darwinn::read(cut, "cut");
      ASSERT_FALSE(file.ok()) << path;
      EXPECT_TRUE(file.error().place.offset.has_value()) << to_text(file.error());
    }
  }
}

// What holds of every instruction with weights if the fields are read rightly.
TEST_F(EdgeTpuModels, AddressGeneratorsMakeAsManyStepsAsTheLoops) {
  size_t weighted = 0;
  for (const fs::path& path : files()) {
    const auto file = darwinn::read(*read_file(path), path.string());
    ASSERT_TRUE(file.ok());
    for (const darwinn::BitstreamId& id : darwinn::all_bitstreams(*file)) {
      for (const edgetpu::Instruction& i :
           edgetpu::parse(darwinn::find(*file, id)->data).instructions) {
        const auto nest = edgetpu::decode_nest(i);
        if (!nest) continue;
        const std::string where = path.string() + " word " + std::to_string(i.word);
        for (const edgetpu::Traversal* t : {&nest->in, &nest->out}) {
          EXPECT_GE(t->lowest(), 0) << where;
          EXPECT_LT(t->highest(), edgetpu::kNarrowBytes) << where;
        }
        if (!nest->weighted()) continue;
        ++weighted;
        EXPECT_EQ(nest->in.count(), nest->loops()) << where;
        EXPECT_EQ(nest->weight.count(), nest->loops()) << where;
        EXPECT_EQ(nest->acc.count(), nest->loops()) << where;
        EXPECT_EQ(nest->loops() % nest->pixels(), 0U) << where;
        EXPECT_EQ(nest->out.level[0].net, 4) << where;
        EXPECT_LE(nest->out.level[0].count, 16) << where;
      }
    }
  }
  EXPECT_GT(weighted, 1000U);
}

}  // namespace
}  // namespace edgetwin::golden
