// Folders for simulations of the chip's gates: programs, answers, memories, logs, names and
// time-outs of the recorded ones, each equal in every byte.
#include <gtest/gtest.h>

#include <algorithm>

#include "golden/max78_cases.h"
#include "targets/max78/logs/log_files.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/rtl/rtl.h"

namespace edgetwin::golden {
namespace {

using namespace max78;  // NOLINT

constexpr size_t kFolders = 22;

class Max78Rtl : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
    rows_ = nlohmann::json::parse(read_text(root() / "cases.json"));
    ASSERT_EQ(rows_.size(), kFolders);
  }
  static fs::path root() { return max78_root() / "rtl"; }

  nlohmann::json rows_;
};

std::string text_of(const RtlFolder& f, const std::string& name) {
  for (const ProjectFile& p : f.files) {
    if (p.name == name) return p.text;
  }
  return "(absent)";
}

// All memory files as the recording joins them.
std::string memories_of(const RtlFolder& folder) {
  std::string text;
  for (const std::string start : {"data/", "data-expected/", "masks/"}) {
    std::map<std::string, std::string> files;
    for (const ProjectFile& f : folder.files) {
      if (f.name.starts_with(start)) files[f.name] = f.text;
    }
    for (const auto& [name, lines] : files) text += "file " + name + "\n" + lines;
  }
  return text;
}

void same_logs(const fs::path& folder, const Max78Case& c, const SimulationResult& result) {
  if (!fs::exists(folder / "files" / "output.csv.gz")) return;
  const auto logs = log_files(c.plan(), result.layers);
  ASSERT_TRUE(logs.ok()) << to_text(logs.error());
  for (const LogFile& f : *logs) {
    const fs::path theirs = folder / "files" / (f.name + ".gz");
    ASSERT_TRUE(fs::exists(theirs)) << f.name;
    EXPECT_TRUE(as_text(f.data) == gunzip(theirs)) << f.name;
  }
}

void same_folder(const fs::path& folder, const nlohmann::json& row, const Max78Case& c) {
  auto simulation = Simulation::make(c.plan(), {.everything = true});
  ASSERT_TRUE(simulation.ok()) << to_text(simulation.error());
  const auto result = simulation->run(c.sample);
  ASSERT_TRUE(result.ok());
  const std::string name = row["name"];
  const auto made = make_rtl(c.plan(), c.sample, outputs_of(c.plan(), *result), name);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  const auto meta = nlohmann::json::parse(read_text(folder / "meta.json"));
  EXPECT_EQ(made->name, meta["folder"].get<std::string>());
  EXPECT_EQ(made->timeout, meta["run_test"]["timeout_ms"].get<int64_t>());
  const std::string run_file = text_of(*made, meta["run_test"]["file"]);
  for (const auto& path : meta["run_test"]["paths"]) {
    const std::string define =
        "`define " + path[0].get<std::string>() + " " + path[1].get<std::string>() + "\n";
    EXPECT_NE(run_file.find(define), std::string::npos) << define;
  }
  EXPECT_TRUE(to_text(made->program) == gunzip(folder / "program.txt.gz")) << "program";
  if (fs::exists(folder / "expected.txt.gz")) {
    EXPECT_TRUE(to_text(made->answer) == gunzip(folder / "expected.txt.gz")) << "answer";
  }
  if (fs::exists(folder / "memories.txt.gz")) {
    EXPECT_TRUE(memories_of(*made) == gunzip(folder / "memories.txt.gz")) << "memories";
  }
  // The reference does not count without --verbose.
  if (fs::exists(folder / "files" / "latency.txt.gz") && !row.contains("quiet")) {
    EXPECT_EQ(text_of(*made, "latency.txt"), gunzip(folder / "files" / "latency.txt.gz"));
  }
  if (meta.contains("autogen")) {
    EXPECT_EQ(made->list_line, meta["autogen"]["line"].get<std::string>());
  }
  if (!c.options.rtl.camera.csv.empty()) {
    const std::string& csv = c.options.rtl.camera.csv;
    EXPECT_TRUE(text_of(*made, csv) == gunzip(folder / "files" / (csv + ".gz"))) << csv;
  }
  for (const auto& file : meta["files"]) {
    const std::string wanted = file;
    const bool log = wanted.ends_with(".csv") || wanted.ends_with(".npy") ||
                     wanted.ends_with(".log") || wanted == "log.txt" || wanted.ends_with(".ld");
    if (!log) {
      EXPECT_NE(text_of(*made, wanted), "(absent)") << wanted;
    }
  }
  same_logs(folder, c, *result);
}

TEST_F(Max78Rtl, FoldersAreEqual) {
  for (const auto& row : rows_) {
    SCOPED_TRACE(row["name"].get<std::string>());
    const auto device =
        row["device"] == "MAX78000" ? ai8x::Device::max78000 : ai8x::Device::max78002;
    const auto c = load_case(row, device, row["options"]);
    ASSERT_EQ(c->refused, "");
    ASSERT_TRUE(synthesize(c->sample, c->options).ok());
    same_folder(root() / row["name"].get<std::string>(), row, *c);
  }
}

// The machine runs what was written, and finds the words that were written.
TEST_F(Max78Rtl, MachineReadsFoldersBack) {
  size_t equal = 0;
  for (const auto& row : rows_) {
    const std::string name = row["name"];
    if (name != "conv1x1-preload" && name != "mnist-rtl" && name != "m2-depthwise-result" &&
        name != "csv-888" && name != "m2-csv-565-sync") {
      continue;
    }
    SCOPED_TRACE(name);
    const auto device =
        row["device"] == "MAX78000" ? ai8x::Device::max78000 : ai8x::Device::max78002;
    const auto c = load_case(row, device, row["options"]);
    ASSERT_EQ(c->refused, "");
    ASSERT_TRUE(synthesize(c->sample, c->options).ok());
    auto simulation = Simulation::make(c->plan(), {.trace = false});
    ASSERT_TRUE(simulation.ok());
    const auto result = simulation->run(c->sample);
    ASSERT_TRUE(result.ok());
    const auto made = make_rtl(c->plan(), c->sample, outputs_of(c->plan(), *result), name);
    ASSERT_TRUE(made.ok());
    Device found = Device::max78000;
    const auto test = read_rtl(made->files, found);
    ASSERT_TRUE(test.ok()) << to_text(test.error());
    EXPECT_EQ(found, c->plan().chip->device);
    Machine machine(found, {});
    const Status played = play(as_text(test->program, found), machine);
    ASSERT_TRUE(played.ok()) << to_text(played.error());
    const Comparison words = compare(machine, test->expected, 4);
    EXPECT_GT(words.words, 0U);
    EXPECT_EQ(words.different, 0U);
    ++equal;
  }
  EXPECT_EQ(equal, 5U);
}

// One line for each access, whatever loop or table makes it; without polls, which the C has in
// loops and the program once for all.
std::vector<std::string> accesses_of(const Program& program) {
  std::vector<std::string> lines;
  const auto line = [&lines](Access a) {
    a.words.clear();
    lines.push_back(to_text(Program{{{"f", {std::move(a)}}}}));
  };
  for (const Function& f : program.functions) {
    for (const Access& a : f.accesses) {
      if (a.kind == Access::Kind::poll || a.kind == Access::Kind::idle) continue;
      if (a.kind == Access::Kind::fifo) {
        for (size_t i = 0; i < a.words.size(); ++i) {
          line({.address = a.addresses[i % a.addresses.size()], .value = a.words[i]});
        }
        continue;
      }
      line(a);
      for (size_t i = 0; i < a.words.size(); ++i) {
        line({.address = a.address + 4 * static_cast<uint32_t>(i + 1), .value = a.words[i]});
      }
    }
  }
  return lines;
}

// The C of every folder makes the accesses of its program, one after the other.
TEST_F(Max78Rtl, SourcesMakeTheSameProgram) {
  size_t read = 0;
  for (const auto& row : rows_) {
    const std::string name = row["name"];
    SCOPED_TRACE(name);
    const auto device =
        row["device"] == "MAX78000" ? ai8x::Device::max78000 : ai8x::Device::max78002;
    const auto c = load_case(row, device, row["options"]);
    ASSERT_EQ(c->refused, "");
    if (!c->options.rtl.camera.csv.empty()) continue;  // what a camera gives is not in the C
    // Sleeps several times; the recorded program lists the interrupt's function once.
    if (c->options.one_shot) continue;
    ASSERT_TRUE(synthesize(c->sample, c->options).ok());
    auto simulation = Simulation::make(c->plan(), {.trace = false});
    ASSERT_TRUE(simulation.ok());
    const auto result = simulation->run(c->sample);
    ASSERT_TRUE(result.ok());
    const auto made = make_rtl(c->plan(), c->sample, outputs_of(c->plan(), *result), name);
    ASSERT_TRUE(made.ok());
    std::vector<CFile> sources;
    for (const ProjectFile& f : made->files) sources.push_back({f.name, f.text});
    const auto program = read_c_program(sources);
    ASSERT_TRUE(program.ok()) << to_text(program.error());
    std::vector<std::string> theirs = accesses_of(program->program);
    const std::vector<std::string> ours = accesses_of(made->program);
    // With the byte swapper the comparison is a part of the program.
    if (program->checks > 0 && theirs.size() > ours.size()) theirs.resize(ours.size());
    const auto [a, b] = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
    EXPECT_TRUE(theirs == ours) << ours.size() << " and " << theirs.size() << ", first at "
                                << a - ours.begin() << ": " << (a == ours.end() ? "" : *a)
                                << " here " << (b == theirs.end() ? "" : *b);
    ++read;
  }
  EXPECT_EQ(read, kFolders - 3);
}

}  // namespace
}  // namespace edgetwin::golden
