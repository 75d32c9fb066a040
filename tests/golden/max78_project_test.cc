// Generated C projects: they compile without a warning, and run against memory in place of the chip
// (tests/firmware/max78): the same words arrive, and unloading gives the recorded results.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>

#include "golden/max78_cases.h"
#include "source_dir.h"
#include "targets/max78/project/project.h"

namespace edgetwin::golden {
namespace {

using namespace max78;  // NOLINT

class Max78Project : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
    if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no C compiler";
    folder_ = fs::temp_directory_path() / ("edgetwin_max78_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void write_project(const Max78Case& c) {
    auto simulation = Simulation::make(c.plan(), {.trace = false});
    ASSERT_TRUE(simulation.ok());
    const auto result = simulation->run(c.sample);
    ASSERT_TRUE(result.ok());
    const auto compiled = compile(c.plan(), c.sample, outputs_of(c.plan(), *result));
    ASSERT_TRUE(compiled.ok());
    const auto files = make_project(c.plan(), *compiled, {.name = "test"});
    ASSERT_TRUE(files.ok());
    for (const ProjectFile& f : *files) std::ofstream(folder_ / f.name) << f.text;
  }

  int run(const std::string& command) {
    return std::system(("cd " + folder_.string() + " && " + command + " > log.txt 2>&1").c_str());
  }
  std::string log() const { return read_text(folder_ / "log.txt"); }
  static std::string includes() { return "-I. -I" + source_dir() + "/tests/firmware/max78"; }

  fs::path folder_;
};

// Words of memory after a register program, up to the start.
std::map<std::string, std::string> memory_after(const std::string& program) {
  std::map<std::string, uint32_t> memory;
  std::map<std::string, std::string> text;
  std::stringstream lines(program);
  uint64_t burst = 0;
  int64_t left = 0;
  const auto set = [&](uint64_t address, const std::string& value) {
    char name[16];
    snprintf(name, sizeof(name), "%08lx", static_cast<unsigned long>(address));
    if (value == "00000000") {
      text.erase(name);
    } else {
      text[name] = value;
    }
  };
  for (std::string line; std::getline(lines, line) && line != "fn CNN_ISR";) {
    std::stringstream words(line);
    std::string kind, address, value;
    if (left > 0) {
      while (words >> value) {
        set(burst, value);
        burst += 4;
        --left;
      }
      continue;
    }
    words >> kind >> address >> value;
    if (kind == "w") set(std::stoull(address, nullptr, 16), value);
    if (kind == "burst") {
      burst = std::stoull(address, nullptr, 16);
      left = std::stoll(value);
    }
  }
  return text;
}

std::map<std::string, std::string> memory_of(const std::string& dump) {
  std::map<std::string, std::string> text;
  std::stringstream lines(dump);
  for (std::string address, value; lines >> address >> value;) text[address] = value;
  return text;
}

size_t result_bytes(const Plan& plan) {
  int64_t bytes = 0;
  for (const int i : output_layers(plan)) {
    const LayerPlan& l = plan.layer(i);
    bytes += int64_t{l.out_channels} * l.out_dim.h * l.out_dim.w * l.output_width / 8;
  }
  return static_cast<size_t>(bytes);
}

TEST_F(Max78Project, RunsAgainstMemory) {
  int ran = 0;
  for (const auto& row : max78_cases()) {
    const std::string name = row["name"];
    if (row["device"] != "MAX78000" ||
        !fs::exists(max78_root() / row["goldens"].get<std::string>() / "unload.npy"))
      continue;
    const auto c = load_case(row, ai8x::Device::max78000, row["options"]);
    SCOPED_TRACE(name);
    ASSERT_EQ(c->refused, "");
    if (c->options.use_fifo() || c->options.riscv || c->options.zero_sram) continue;
    // Every sixth of the small networks, and all of the large ones' kinds.
    if (row["set"] == "synthetic" && ran % 6 != 0 && name.find('.') == std::string::npos) {
      ++ran;
      continue;
    }
    ++ran;
    ASSERT_NO_FATAL_FAILURE(write_project(*c));
    ASSERT_EQ(
        run("cc -std=gnu11 -O0 -Wall -Wextra -Werror " + includes() +
            " -o test main.c cnn.c softmax.c " + source_dir() + "/tests/firmware/max78/host.c"),
        0)
        << log();
    ASSERT_EQ(run("./test"), 0) << log();
    EXPECT_NE(log().find("PASS"), std::string::npos) << log();
    const fs::path goldens = max78_root() / row["goldens"].get<std::string>();
    EXPECT_TRUE(memory_of(read_text(folder_ / "memory.txt")) ==
                memory_after(gunzip(goldens / "program.txt.gz")));
    const auto unloaded = load_npy(goldens / "unload.npy");
    ASSERT_TRUE(unloaded.ok());
    const std::string bytes = read_text(folder_ / "unload.bin");
    const size_t size =
        result_bytes(c->plan());  // the recording fills the last word with something
    ASSERT_GE(bytes.size(), size);
    ASSERT_GE(unloaded->data.size(), size);
    EXPECT_EQ(std::memcmp(bytes.data(), unloaded->data.data(), size), 0);
  }
  EXPECT_GE(ran, 60);
}

TEST_F(Max78Project, OtherFormsCompile) {
  for (const auto& row : max78_cases()) {
    const std::string name = row["name"];
    const auto words = row["options"].get<std::vector<std::string>>();
    const bool special = std::find(words.begin(), words.end(), "--fifo") != words.end() ||
                         std::find(words.begin(), words.end(), "--riscv") != words.end() ||
                         row["device"] == "MAX78002" || row["unload_order"] == "none";
    if (!special || name.starts_with("test-layers")) continue;
    SCOPED_TRACE(name);
    const auto device =
        row["device"] == "MAX78000" ? ai8x::Device::max78000 : ai8x::Device::max78002;
    const auto c = load_case(row, device, words);
    ASSERT_NO_FATAL_FAILURE(write_project(*c));
    // Other compilers do not know RISC-V's form of an interrupt handler.
    const std::string main =
        c->options.riscv ? "'-Dinterrupt(x)=unused' main_riscv.c main.c" : "main.c";
    ASSERT_EQ(run("cc -std=gnu11 -O0 -fsyntax-only -Wall -Wextra -Werror " + includes() + " " +
                  main + " cnn.c softmax.c"),
              0)
        << log();
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry.path());
  }
}

// Options that change nothing but the code around the accesses.
TEST_F(Max78Project, OptionsOfTheProjectCompile) {
  const std::vector<std::vector<std::string>> sets = {
      {"--forever", "--deepsleep", "--debugwait", "0", "--softmax"},
      {"--no-wfi", "--switch-delay", "3", "--clock-divider", "8", "--powerdown"},
      {"--define", "A B=1", "--board-name", "FTHR_RevA", "--energy"},
      {"--riscv", "--riscv-exclusive", "--no-kat"},
      {"--fifo", "--no-fifo-wait"}};
  const nlohmann::json cases = max78_cases();
  for (const auto& row : cases) {
    const bool plain = row["name"] == "mnist", fifo = row["name"] == "cats-dogs";
    for (const auto& words : sets) {
      if ((words[0] == "--fifo" ? fifo : plain) == false) continue;
      SCOPED_TRACE(words[0]);
      const auto c = load_case(row, ai8x::Device::max78000, words);
      ASSERT_EQ(c->refused, "");
      ASSERT_NO_FATAL_FAILURE(write_project(*c));
      const std::string main =
          c->options.riscv ? "'-Dinterrupt(x)=unused' main_riscv.c main.c" : "main.c";
      ASSERT_EQ(run("cc -std=gnu11 -O0 -fsyntax-only -Wall -Wextra -Werror " + includes() + " " +
                    main + " cnn.c softmax.c"),
                0)
          << log();
      for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry.path());
    }
  }
}

}  // namespace
}  // namespace edgetwin::golden
