// The options of the vendor's loader, and what they do to a program.
#include "targets/max78/options/options.h"
#include "targets/max78/options/option_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "formats/ai8x/read_yaml.h"
#include "source_dir.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/plan/make_plan.h"
#include "targets/max78/rules/document.h"

namespace edgetwin::max78 {
namespace {

TEST(Max78Options, TableIsWellFormed) {
  std::set<std::string_view> names;
  for (const OptionInfo& row : all_options()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.name.starts_with('-')) << row.name;
    const bool refused = row.kind == OptionInfo::Kind::refused;
    const bool renamed = row.kind == OptionInfo::Kind::renamed;
    EXPECT_EQ(refused || renamed, !row.reason.empty()) << row.name;
    EXPECT_FALSE(row.reason.ends_with('.')) << row.name;
    if (row.kind == OptionInfo::Kind::takes_value || row.values > 0) continue;
    const std::string name(row.name);
    if (needs_rtl(name)) {
      EXPECT_FALSE(options_from({name}).ok()) << name;
      std::vector<std::string> words{"--rtl", name};
      if (name == "--test-bist") words.push_back("--zero-sram");
      if (needs_camera(name)) {
        EXPECT_FALSE(options_from(words).ok()) << name;
        words.insert(words.end(), {"--fast-fifo", "--input-csv", "c.csv"});
      }
      EXPECT_TRUE(options_from(words).ok()) << name;
    } else {
      EXPECT_EQ(options_from({name}).ok(), !refused) << name;
    }
  }
  EXPECT_GT(names.size(), 150U);
}

TEST(Max78Options, RulesArePinnedInTheDocument) {
  const auto bytes = read_file(source_dir() + "/docs/max78-rules.md");
  ASSERT_TRUE(bytes.ok()) << to_text(bytes.error());
  EXPECT_EQ(std::string(as_text(*bytes)), rules_markdown()) << "run the target update_docs";
}

TEST(Max78Options, OfParameters) {
  const auto all = options_from({"--no-bias"});
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->parameters.no_bias);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--no-bias", "0,12", "--ignore-bn"},
        std::vector<std::string>{"--no-bias=0,12", "--ignore-bn"}}) {
    const auto some = options_from(words);
    ASSERT_TRUE(some.ok());
    EXPECT_FALSE(some->parameters.no_bias);
    EXPECT_EQ(some->parameters.no_bias_layers, (std::vector<int>{0, 12}));
    EXPECT_TRUE(some->parameters.ignore_batch_norm);
  }
  EXPECT_EQ(options_from({"--skip-checkpoint-layers", "3"})->parameters.skip_checkpoint_layers, 3);
  EXPECT_FALSE(options_from({"--no-bias=0,,1"}).ok());
  EXPECT_FALSE(options_from({"--no-bias=200"}).ok());
}

TEST(Max78Options, NameTheNearest) {
  const auto options = options_from({"--softmx"});
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().hint, "Is it --softmax?");
  EXPECT_EQ(options_from({"--numerics", "max7800x-document"})->arithmetic, Arithmetic::document);
  EXPECT_FALSE(options_from({"--numerics", "document"}).ok());
}

TEST(Max78Options, SynthesizeASample) {
  Tensor sample = Tensor::zeros(DType::int8, {2, 1, 6}).value();
  const int8_t values[] = {1, -1, 0, 0, 0, 0, 10, 127, 0, 0, 0, 0};
  std::copy(std::begin(values), std::end(values), sample.as<int8_t>().begin());
  // Words of a pixel are 0x0a01 and 0x7fff; 0x0102 is added block by block.
  const auto options = options_from({"--synthesize-input", "0x102", "--synthesize-words", "2"});
  ASSERT_TRUE(options.ok());
  ASSERT_TRUE(synthesize(sample, *options).ok());
  const auto got = sample.as<int8_t>();
  const std::vector<int8_t> expected = {1, -1, 3, 1, 5, 3, 10, 127, 11, -127, 12, -126};
  EXPECT_EQ(std::vector<int8_t>(got.begin(), got.end()), expected);
  EXPECT_FALSE(
      synthesize(sample, *options_from({"--synthesize-input", "1", "--synthesize-words", "4"}))
          .ok());
}

// One layer of a 1x1 kernel on the large chip.
struct OneLayer {
  ai8x::Network network;
  ai8x::Parameters parameters;
  Planning planning;
  const Plan& plan() const { return *planning.placed; }
};

std::unique_ptr<OneLayer> one_layer(const std::vector<std::string>& words, bool zero_bias) {
  auto one = std::make_unique<OneLayer>();
  one->network = ai8x::read_network(
                     "arch: test\ndataset: x\nlayers:\n  - op: conv2d\n    kernel_size: 1x1\n    "
                     "pad: 0\n    processors: 0x1\n    out_offset: 0x2000\n    activate: none\n",
                     "x.yaml", ai8x::Device::max78002)
                     .value();
  one->parameters.layers.resize(1);
  ai8x::LayerParameters& l = one->parameters.layers[0];
  l.weights = {3};
  l.out = l.in = l.in_channels = l.out_channels = 1;
  l.output_shift = 0;
  l.bias_given = zero_bias;
  one->planning = make_plan(one->network, one->parameters, {1, 4, 4}, *options_from(words));
  return one;
}

TEST(Max78Options, AZeroBiasIsABiasForTheMemoryTest) {
  EXPECT_NE(to_text({{cnn_init(one_layer({}, true)->plan())}}).find("w 5100000c 00001c80"),
            std::string::npos);
  EXPECT_NE(to_text({{cnn_init(one_layer({}, false)->plan())}}).find("w 5100000c 00001880"),
            std::string::npos);
}

TEST(Max78Options, PowerDownUnusedGroups) {
  const std::string program = to_text({{cnn_start(one_layer({"--powerdown"}, false)->plan())}});
  EXPECT_NE(program.find("w 50001000 0000e000"), std::string::npos) << program;
}

// The four groups take turns: output o is computed by group o % 4, from column o / 4 on.
TEST(Max78Options, FastFifoOfFourGroups) {
  auto one = one_layer({}, false);
  one->network.layers[0].kernel = {3, 3};
  one->network.layers[0].pad = {1, 1};
  ai8x::LayerParameters& l = one->parameters.layers[0];
  l.out = l.out_channels = 8;
  l.kernel = {3, 3};
  for (int8_t o = 0; o < 8; ++o) l.bias.push_back(static_cast<int8_t>(10 + o));
  l.weights.assign(8 * 9, 0);
  for (size_t o = 0; o < 8; ++o) l.weights[9 * o] = static_cast<int8_t>(o + 1);
  one->planning = make_plan(one->network, one->parameters, {1, 4, 4},
                            *options_from({"--fast-fifo-quad", "--riscv"}));
  ASSERT_FALSE(has_errors(one->planning.findings)) << one->planning.findings.front().message;
  EXPECT_EQ(one->plan().layer(0).hw_processors, 0x0001000100010001U);
  EXPECT_EQ(one->plan().groups.size(), 4U);
  EXPECT_EQ(one->plan().layer(0).kern_len, 2);
  for (int o = 0; o < 8; ++o) {
    const auto& memory = one->plan().kernels[static_cast<size_t>(16 * (o % 4))];
    const auto column = static_cast<size_t>(one->plan().layer(0).kern_offs + o / 4);
    EXPECT_EQ(memory.columns[column][0], o + 1) << o;
    EXPECT_EQ(one->plan().biases[static_cast<size_t>(o % 4)][static_cast<size_t>(o / 4)], 10 + o);
  }
  // Every group is told that it has biases, and the master that all four are there.
  const std::string program = to_text({{cnn_configure(one->plan()), cnn_start(one->plan())}});
  for (const char* post : {"5110004c", "5210004c", "5310004c", "5410004c"}) {
    EXPECT_NE(program.find(std::string("w ") + post + " 00001000"), std::string::npos) << program;
  }
  EXPECT_NE(program.find("w 51000000 80d08809"), std::string::npos) << program;
}

TEST(Max78Options, FifoWithoutWaiting) {
  const Tensor sample = Tensor::zeros(DType::int8, {1, 4, 4}).value();
  const auto waits = one_layer({"--fifo"}, false),
             blind = one_layer({"--fifo", "--no-fifo-wait"}, false);
  EXPECT_NE(to_text({{load_input(waits->plan(), sample)}}).find("poll"), std::string::npos);
  EXPECT_EQ(to_text({{load_input(blind->plan(), sample)}}).find("poll"), std::string::npos);
}

}  // namespace
}  // namespace edgetwin::max78
