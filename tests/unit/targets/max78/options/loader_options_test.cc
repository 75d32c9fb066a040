// Options of the vendor's loader that change registers, the project or files beside it.
#include <gtest/gtest.h>

#include <algorithm>

#include "targets/max78/generate/generate.h"
#include "targets/max78/logs/log_files.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/project/project.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {
namespace {

constexpr std::string_view kTwoLayers =
    "arch: net\ndataset: x\nlayers:\n"
    "  - op: conv2d\n    kernel_size: 3x3\n    pad: 1\n    processors: 0x3\n    out_channels: 4\n"
    "    out_offset: 0x1000\n    activate: ReLU\n"
    "  - op: conv2d\n    max_pool: 2\n    pool_stride: 2\n    kernel_size: 1x1\n    pad: 0\n"
    "    processors: 0xf\n    out_channels: 3\n    out_offset: 0x2000\n";

std::unique_ptr<LoadedNetwork> two_layers(const std::vector<std::string>& words,
                                          Device device = Device::max78000) {
  NetworkSources s;
  s.device = device;
  const auto bytes = std::as_bytes(std::span(kTwoLayers));
  s.description = Source::bytes("net.yaml", {bytes.begin(), bytes.end()});
  s.weights = Source::file("xs32:3");
  s.bias = Source::file("xs32:3");
  s.sample = Source::file("xs32:9");
  s.shape = SampleShape{2, 4, 6};
  const auto options = options_from(words);
  EXPECT_TRUE(options.ok()) << (options.ok() ? "" : to_text(options.error()));
  if (options.ok()) s.options = *options;
  Loading loading = load_network(s);
  EXPECT_TRUE(loading.ok());
  return std::move(loading.network);
}

std::vector<ProjectFile> project_of(const std::vector<std::string>& words,
                                    Device device = Device::max78000) {
  const auto network = two_layers(words, device);
  const auto files = make_project(network->plan(), *compile(*network), {.name = "net"});
  EXPECT_TRUE(files.ok()) << (files.ok() ? "" : to_text(files.error()));
  return files.ok() ? *files : std::vector<ProjectFile>{};
}

std::string file_of(const std::vector<ProjectFile>& files, const std::string& name) {
  const auto found =
      std::ranges::find_if(files, [&](const ProjectFile& f) { return f.name == name; });
  return found == files.end() ? "" : found->text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Max78LoaderOptions, WaitStates) {
  const auto network =
      two_layers({"--ready-sel", "2", "--ready-sel-fifo", "1", "--ready-sel-aon", "3"});
  const std::string init = to_text({{cnn_init(network->plan())}});
  EXPECT_TRUE(contains(init, "w 50001000 00000003")) << init;
  EXPECT_TRUE(contains(init, "w 50100000 0010000c")) << init;
  const std::string start = to_text({{cnn_start(network->plan())}});
  EXPECT_TRUE(contains(start, "w 50100000 0010000d")) << start;
  EXPECT_FALSE(options_from({"--ready-sel", "4"}).ok());
}

TEST(Max78LoaderOptions, RowMemoryIsCleared) {
  const auto network = two_layers({"--init-tram"});
  const Function init = cnn_init(network->plan());
  const auto rows = std::ranges::count_if(
      init.accesses, [](const Access& a) { return a.words.size() == 3072 - 1; });
  EXPECT_EQ(rows, 16);
  EXPECT_TRUE(contains(file_of(project_of({"--init-tram"}), "cnn.c"),
                       "clear32((volatile uint32_t *) 0x50110000, 3072);"));
  // The machine takes it, and computes the same.
  const auto machine = run_machine(*network, network->sample);
  ASSERT_TRUE(machine.ok()) << to_text(machine.error());
  EXPECT_EQ(machine->outputs[0].data, simulate(*network, network->sample)->outputs[0].data);
}

TEST(Max78LoaderOptions, RegistersOfUnusedLayersAreCleared) {
  const auto plain = two_layers({});
  const auto network = two_layers({"--zero-unused"});
  const auto zeros = [](const LoadedNetwork& n) {
    const Function f = cnn_configure(n.plan());
    return std::ranges::count_if(f.accesses, [](const Access& a) { return a.value == 0; });
  };
  EXPECT_EQ(zeros(*plain), 0);
  EXPECT_EQ(zeros(*network), 30 * 20);  // layers 2 to 31, 20 registers each
  const auto machine = run_machine(*network, network->sample);
  ASSERT_TRUE(machine.ok());
  EXPECT_EQ(machine->outputs[0].data, simulate(*plain, plain->sample)->outputs[0].data);
}

TEST(Max78LoaderOptions, OffsetOfTheInput) {
  const auto network = two_layers({"--input-offset", "0x400"});
  EXPECT_EQ(network->plan().layer(0).in_offset, 0x400);
  const Function input = load_input(network->plan(), network->sample);
  EXPECT_EQ(input.accesses.front().address, 0x50400400U);
  EXPECT_FALSE(options_from({"--input-offset", "3"}).ok());
}

TEST(Max78LoaderOptions, NamesOfFiles) {
  const auto files =
      project_of({"--c-filename", "app", "--api-filename", "net.c", "--weight-filename", "w.h",
                  "--sample-filename", "in.h", "--sample-output-filename", "out.h"});
  for (const char* name : {"app.c", "net.c", "w.h", "in.h", "out.h"}) {
    EXPECT_FALSE(file_of(files, name).empty()) << name;
  }
  EXPECT_TRUE(contains(file_of(files, "app.c"), "#include \"in.h\"\n#include \"out.h\""));
  EXPECT_TRUE(contains(file_of(files, "net.c"), "#include \"w.h\""));
  EXPECT_TRUE(contains(file_of(files, "Makefile"), "SRCS += app.c net.c softmax.c"));
  for (const char* name : {"../w.h", "a b", "", "none", "-x"}) {
    EXPECT_FALSE(options_from({"--weight-filename", name}).ok()) << name;
  }
  const auto network = two_layers({"--api-filename", "main.c"});
  EXPECT_FALSE(make_project(network->plan(), *compile(*network), {}).ok());
}

TEST(Max78LoaderOptions, DefinitionsAndDebugger) {
  const auto files = project_of(
      {"--define-default-arm", "A B=1", "--define", "C", "--eclipse-openocd-args", "-f my.cfg"});
  EXPECT_TRUE(contains(file_of(files, "Makefile"), "PROJ_CFLAGS += -DA -DB=1 -DC\n"));
  EXPECT_TRUE(contains(file_of(files, "net.launch"), "value=\"-f my.cfg\""));
  EXPECT_TRUE(contains(file_of(project_of({}), "Makefile"),
                       "PROJ_CFLAGS += -DMXC_ASSERT_ENABLE -DARM_MATH_CM4\n"));
}

TEST(Max78LoaderOptions, WritesAreReadBack) {
  const std::string small = file_of(project_of({"--verify-writes"}), "cnn.c");
  EXPECT_TRUE(contains(small,
                       "  *((volatile uint32_t *) 0x50100008) = 0x00000001;\n"
                       "  if (*((volatile uint32_t *) 0x50100008) != 0x00000001) return "
                       "CNN_FAIL;\n"))
      << small;
  EXPECT_TRUE(contains(small, "[i] != bias_0[i]) return CNN_FAIL;"));
  const std::string large = file_of(project_of({"--verify-writes"}, Device::max78002), "cnn.c");
  EXPECT_FALSE(contains(large, "if (*((volatile uint32_t *) 0x5100000c) != "));  // the memory test
  EXPECT_TRUE(contains(large, "if (*((volatile uint32_t *) 0x51000008) != "));   // layers
}

TEST(Max78LoaderOptions, NamesOfClasses) {
  const auto network = two_layers({"--softmax"});
  const auto files = make_project(network->plan(), *compile(*network),
                                  {.name = "net", .labels = {"a\"b", "c\\", "d\n"}});
  ASSERT_TRUE(files.ok());
  const std::string main = file_of(*files, "main.c");
  EXPECT_TRUE(contains(main, "\"a\\\"b\",\n  \"c\\\\\",\n  \"d \",\n")) << main;
  EXPECT_TRUE(contains(main, "class %d (%s): %d.%d%%"));
}

TEST(Max78LoaderOptions, FilesBesideTheProject) {
  const auto network = two_layers({"--log-intermediate", "--log-pooling", "--debug-computation",
                                   "--sample-numpy-filename", "result"});
  const auto run = simulate(*network, network->sample, {.everything = true});
  ASSERT_TRUE(run.ok());
  const auto files = log_files(network->plan(), run->layers);
  ASSERT_TRUE(files.ok());
  const auto text = [&](const std::string& name) {
    const auto found =
        std::ranges::find_if(*files, [&](const LogFile& f) { return f.name == name; });
    return found == files->end() ? std::string() : std::string(as_text(found->data));
  };
  // A word for each pixel of both layers; the first one of layer 0.
  const std::string output = text("output.csv");
  EXPECT_EQ(std::ranges::count(output, '\n'), 24 + 6);
  EXPECT_TRUE(output.starts_with("w,400,")) << output.substr(0, 40);
  EXPECT_TRUE(contains(output, ",0,0-3,0,0\n"));
  EXPECT_TRUE(contains(output, ",1,0-2,1,2\n"));
  const std::string config = text("config.csv");
  EXPECT_EQ(std::ranges::count(config, '\n'), 2);
  EXPECT_EQ(std::ranges::count(config, ','), 2 * 29);
  EXPECT_TRUE(config.starts_with("l,0,800,0,0,8,3,0,0,0,conv2d,conv2d,none,1,2,4x6,4x6,4x6,no,"));
  EXPECT_EQ(std::ranges::count(text("pooling/unpooled-0-L1-ch3.csv"), '\n'), 4);
  EXPECT_EQ(std::ranges::count(text("pooling/pooled-0-L1-ch3.csv"), '\n'), 2);
  EXPECT_EQ(text("data.npy").substr(1, 5), "NUMPY");
  const std::string npy = text("result.npy");
  const auto result = read_npy(std::as_bytes(std::span(npy)), "result.npy");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->shape, (Shape{3, 2, 3}));
}

// Sum, shift and limits of every element give the result.
TEST(Max78LoaderOptions, SumsBecomeResults) {
  const auto network = two_layers({});
  const auto run = simulate(*network, network->sample, {.everything = true});
  ASSERT_TRUE(run.ok());
  ASSERT_EQ(run->layers.size(), 2U);
  for (const LayerResult& l : run->layers) {
    const LayerPlan& plan = network->plan().layer(l.layer);
    ASSERT_EQ(l.sums.dtype, DType::int32);
    ASSERT_EQ(l.sums.shape, l.out.shape);
    for (int64_t i = 0; i < l.out.shape.elements(); ++i) {
      const auto at = static_cast<size_t>(i);
      const int shift = 7 - plan.shift;
      int64_t q = (int64_t{l.sums.as<int32_t>()[at]} + (int64_t{1} << (shift - 1))) >> shift;
      q = std::clamp<int64_t>(q, plan.activation == ai8x::Activation::relu ? 0 : -128, 127);
      EXPECT_EQ(l.out.as<int8_t>()[at], q) << l.layer << " " << i;
    }
  }
  EXPECT_EQ(run->layers[1].in.shape, (Shape{1, 4, 4, 6}));  // operands, channels, rows, columns
}

}  // namespace
}  // namespace edgetwin::max78
