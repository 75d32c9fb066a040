// --top-level None: lists of words instead of a program, written and read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/max78/drawn_network.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/rtl/rtl.h"

namespace edgetwin::max78 {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTwoOutputs = R"(arch: test
dataset: x
layers:
  - op: conv2d
    kernel_size: 3x3
    pad: 1
    processors: 0x3
    output_processors: 0x70
    out_offset: 0x2000
    activate: ReLU
    out_channels: 3
    output: true
  - op: conv2d
    kernel_size: 3x3
    pad: 1
    processors: 0x70
    output_processors: 0x1f
    out_offset: 0x1000
    out_channels: 5
    output: true
    activate: None
)";

std::unique_ptr<LoadedNetwork> block_network(const std::vector<std::string>& words,
                                             Device device = Device::max78000) {
  NetworkSources s = drawn_sources(kTwoOutputs, words);
  s.device = device;
  s.bias = Source::file("xs32:3");
  return loaded_network(s);
}

Result<RtlFolder> block_folder(const LoadedNetwork& network) {
  const auto run = simulate(network, network.sample);
  return make_rtl(network.plan(), network.sample, run->outputs, "net");
}

std::vector<std::string> names_of(const RtlFolder& folder) {
  std::vector<std::string> names;
  for (const ProjectFile& f : folder.files) names.push_back(f.name);
  return names;
}

size_t different_words(const std::vector<ProjectFile>& files, size_t& words) {
  Device device = Device::max78000;
  const auto test = read_rtl(files, device);
  EXPECT_TRUE(test.ok()) << (test.ok() ? "" : to_text(test.error()));
  if (!test.ok()) return 0;
  Machine machine(device, {});
  const Status done = play(as_text(test->program, device), machine);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : to_text(done.error()));
  const Comparison c = compare(machine, test->expected);
  words = c.words;
  return c.different;
}

TEST(RtlBlock, TheMachinePlaysTheWords) {
  const auto network = block_network({"--rtl", "--top-level", "None"});
  const auto folder = block_folder(*network);
  ASSERT_TRUE(folder.ok()) << to_text(folder.error());
  EXPECT_EQ(names_of(*folder),
            (std::vector<std::string>{"input.mem", "output-0.mem", "output.mem", "run_test.sv"}));
  const std::string& text = folder->files[0].text;
  EXPECT_TRUE(text.starts_with("@0000 50001000\n@0001 00000000\n@0002 50100000\n")) << text;
  EXPECT_THAT(folder->files[3].text, HasSubstr("$readmemh({`TARGET_DIR,\"/input.mem\"}, words);"));
  size_t words = 0;
  EXPECT_EQ(different_words(folder->files, words), 0U);
  EXPECT_EQ(words, 24U + 2U * 24U);  // 4 * 6 pixels of 3 and of 5 channels
}

TEST(RtlBlock, AWrongWordIsNoticed) {
  const auto network = block_network({"--rtl", "--top-level", "None"});
  auto folder = block_folder(*network);
  ASSERT_TRUE(folder.ok());
  for (const size_t file : {1U, 2U}) {
    std::vector<ProjectFile> files = folder->files;
    char& digit = files[file].text[files[file].text.find('\n') + 14];
    digit = digit == '0' ? '1' : '0';
    size_t words = 0;
    EXPECT_EQ(different_words(files, words), 1U);
  }
}

TEST(RtlBlock, LinesThatAreNone) {
  const auto network = block_network({"--rtl", "--top-level", "None"});
  const auto folder = block_folder(*network);
  ASSERT_TRUE(folder.ok());
  for (const char* line :
       {"@0000", "@0001 50000000\n", "@0000 5000000\n", "@0000 5000000x\n", "\n"}) {
    std::vector<ProjectFile> files = {{"input.mem", line}};
    Device device = Device::max78000;
    EXPECT_FALSE(read_rtl(files, device).ok()) << line;
  }
}

TEST(RtlBlock, OtherNames) {
  const auto network = block_network({"--rtl", "--top-level", "None", "--input-filename", "in",
                                      "--output-filename", "out", "--runtest-filename", "r.sv"});
  const auto folder = block_folder(*network);
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(names_of(*folder),
            (std::vector<std::string>{"in.mem", "out-0.mem", "out.mem", "r.sv"}));
}

// What is more than writing has no form: the MAX78002's tests of its memories wait.
TEST(RtlBlock, TheLargeChipWaits) {
  const auto network = block_network({"--rtl", "--top-level", "None"}, Device::max78002);
  const auto folder = block_folder(*network);
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(to_text(folder.error()), HasSubstr("cnn_init"));
}

TEST(RtlBlock, OptionsThatDoNotGoWithIt) {
  const std::vector<std::vector<std::string>> refused = {{"--fifo"},
                                                         {"--riscv"},
                                                         {"--rtl-preload-weights"},
                                                         {"--zero-sram"},
                                                         {"--mlator"},
                                                         {"--stop-start"},
                                                         {"--verify-writes"},
                                                         {"--verify-kernels"},
                                                         {"--mexpress"},
                                                         {"--one-shot"},
                                                         {"--log-intermediate"},
                                                         {"--result-output"},
                                                         {"--sample-output-filename", "a.h"}};
  for (std::vector<std::string> words : refused) {
    const std::string name = words[0];
    words.insert(words.end(), {"--rtl", "--top-level", "None"});
    const auto options = options_from(words);
    ASSERT_FALSE(options.ok()) << name;
    EXPECT_THAT(to_text(options.error()), HasSubstr("--top-level None does not go with"));
  }
  EXPECT_FALSE(options_from({"--rtl", "--input-filename", "x"}).ok());
}

}  // namespace
}  // namespace edgetwin::max78
