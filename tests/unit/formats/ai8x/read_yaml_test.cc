#include "formats/ai8x/read_yaml.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/ai8x/yaml_scalar.h"

namespace edgetwin::ai8x {
namespace {

constexpr Device k85 = Device::max78000;
constexpr Device k87 = Device::max78002;

// A description of one layer with the given further lines.
std::string one_layer(const std::string& lines) {
  return "arch: net\ndataset: data\nlayers:\n  - processors: 0xf\n    out_offset: 0x1000\n" + lines;
}

NetworkReading read(const std::string& yaml, Device device = k85) {
  return read_network_report(yaml, "net.yaml", device);
}

Layer layer_of(const std::string& lines, Device device = k85) {
  const NetworkReading reading = read(one_layer(lines), device);
  if (reading.network) return reading.network->layers[0];
  ADD_FAILURE() << to_text(reading.report.errors().front());
  return {};
}

// "MAX78-NET-07@6:9" for every error.
std::vector<std::string> errors_of(const std::string& yaml, Device device = k85) {
  std::vector<std::string> out;
  for (const Finding& error : read(yaml, device).report.errors()) {
    out.push_back(std::string(error.id) + "@" + std::to_string(error.place.line.value_or(0)) + ":" +
                  std::to_string(error.place.column.value_or(0)));
  }
  return out;
}

std::vector<std::string> layer_errors(const std::string& lines, Device device = k85) {
  return errors_of(one_layer(lines), device);
}

std::vector<std::string> warnings_of(const std::string& lines, Device device = k85) {
  std::vector<std::string> out;
  for (const Finding& warning : read(one_layer(lines), device).report.warnings()) {
    out.push_back(std::string(warning.id) + " " + warning.place.field);
  }
  return out;
}

using Strings = std::vector<std::string>;

TEST(Ai8xYaml, Defaults) {
  const Layer conv = layer_of("    op: conv2d\n");
  EXPECT_EQ(conv.kernel, (Size2{3, 3}));
  EXPECT_EQ(conv.pad, (Size2{1, 1}));
  EXPECT_EQ(conv.stride, (Size2{1, 1}));
  EXPECT_EQ(conv.operands, 1);
  EXPECT_EQ(conv.output_width, 8);
  EXPECT_EQ(conv.next_sequence, kStop);
  EXPECT_FALSE(conv.in_offset || conv.quantization || conv.output_shift || conv.in_sequences);
  const Layer one = layer_of("    op: Conv1d\n");
  EXPECT_EQ(one.kernel, (Size2{9, 1}));
  EXPECT_EQ(one.pad, (Size2{1, 0}));
  const Layer up = layer_of("    op: ConvTranspose2d\n");
  EXPECT_EQ(up.stride, (Size2{2, 2}));
  EXPECT_EQ(up.output_pad, 1);
  EXPECT_EQ(layer_of("    op: mlp\n").pad, (Size2{0, 0}));
  EXPECT_EQ(layer_of("    op: none\n").kernel, (Size2{1, 1}));
  const Layer add = layer_of("    op: add\n");
  EXPECT_EQ(add.op, Operator::none);
  EXPECT_EQ(add.eltwise, Eltwise::add);
  EXPECT_EQ(add.operands, 2);
}

TEST(Ai8xYaml, OneDimensionalPaddingStaysWithItsLayer) {
  // In the vendor's loader the second layer would lose its padding in one direction.
  const auto reading = read(
      "arch: a\ndataset: d\nlayers:\n"
      "  - {processors: 1, out_offset: 0, op: conv1d, kernel_size: 3}\n"
      "  - {processors: 1, out_offset: 0, op: conv2d}\n");
  ASSERT_TRUE(reading.network);
  EXPECT_EQ(reading.network->layers[1].pad, (Size2{1, 1}));
}

TEST(Ai8xYaml, Processors) {
  const auto map = [](const std::string& value) {
    const auto reading =
        read("arch: a\ndataset: d\nlayers:\n  - {out_offset: 0, processors: " + value + "}\n");
    return reading.network ? reading.network->layers[0].processors : 0;
  };
  EXPECT_EQ(map("0xffffffffffffffff"), ~uint64_t{0});
  EXPECT_EQ(map("0x0000.0000.0000.0111"), 0x111U);
  EXPECT_EQ(map("'0000_0000_0000_0f0f'"), 0xf0fU);
  EXPECT_EQ(map("0x0000_00f0"), 0xf0U);
  EXPECT_EQ(map("15"), 15U);
  EXPECT_EQ(map("0010"), 8U);  // YAML 1.1: octal
  EXPECT_EQ(map("0x1ffffffffffffffff"), 0U);
  EXPECT_EQ(map("'1.0000.0000.0000.0000'"), 0U);
  EXPECT_EQ(map("0"), 0U);
  EXPECT_EQ(map("-1"), 0U);
}

TEST(Ai8xYaml, Values) {
  const Layer layer = layer_of(
      "    name: Conv1\n    in_dim: 40\n    in_crop: [1, 2]\n    avg_pool: [2, 3]\n"
      "    pool_stride: 2\n    quantization: bin\n    activation: ReLU\n    in_sequences: input\n"
      "    bias_group: [0, 3]\n    data_format: big\n    output_width: 32\n    flatten: yes\n"
      "    output_shift: -3\n    tcalc: off\n    kernel_size: 1x1\n    read_gap: 1\n    output: "
      "1\n",
      k87);
  EXPECT_EQ(layer.name, "Conv1");
  EXPECT_EQ(layer.in_dim, (Size2{40, 1}));
  EXPECT_EQ(layer.in_crop, (std::array<int, 2>{1, 2}));
  EXPECT_EQ(layer.pooling, Pooling::average);
  EXPECT_EQ(layer.pool, (Size2{2, 3}));
  EXPECT_EQ(layer.pool_stride, (Size2{2, 2}));
  EXPECT_EQ(layer.quantization, kBinary);
  EXPECT_EQ(layer.activation, Activation::relu);
  EXPECT_EQ(layer.in_sequences, std::vector<int>{kInput});
  EXPECT_EQ(layer.bias_group, (std::vector<int>{0, 3}));
  EXPECT_TRUE(layer.big_data);
  EXPECT_EQ(layer.output_width, 32);
  EXPECT_TRUE(layer.flatten);
  EXPECT_EQ(layer.output_shift, -3);
  EXPECT_EQ(layer.tcalc, false);
  EXPECT_EQ(layer.kernel, (Size2{1, 1}));
  EXPECT_EQ(layer.in_skip, 1);
  EXPECT_TRUE(layer.output);
  EXPECT_EQ(layer.at(Key::avg_pool).line, 9);
}

TEST(Ai8xYaml, References) {
  const auto reading = read(
      "arch: a\ndataset: d\n"
      "data_buffer:\n  - {processors: 1, dim: 4, channels: 1, offset: 0, name: Buf}\n"
      "layers:\n"
      "  - {processors: 1, out_offset: 0, name: First}\n"
      "  - {processors: 1, out_offset: 0, in_sequences: [first, -1], next_sequence: last}\n"
      "  - {processors: 1, out_offset: 0, weight_source: first}\n"
      "  - {processors: 1, out_offset: 0, name: LAST, in_sequences: buf, in_offset: 0, in_dim: 4,"
      " in_channels: 1, next_sequence: stop}\n",
      k87);
  ASSERT_TRUE(reading.network) << to_text(reading.report.errors().front());
  const auto& layers = reading.network->layers;
  EXPECT_EQ(layers[0].next_sequence, 1);
  EXPECT_EQ(layers[1].in_sequences, (std::vector<int>{0, kInput}));
  EXPECT_EQ(layers[1].next_sequence, 3);
  EXPECT_EQ(layers[1].simulated_sequence, 3);
  EXPECT_EQ(layers[2].weight_source, 0);
  EXPECT_FALSE(layers[2].takes_weights());
  EXPECT_EQ(layers[3].in_sequences, std::vector<int>{kDataBuffer});
  EXPECT_EQ(layers[3].next_sequence, kStop);
}

TEST(Ai8xYaml, SequencesWithGaps) {
  const auto reading = read(
      "arch: a\ndataset: d\nlayers:\n"
      "  - {processors: 1, out_offset: 0, sequence: 4, name: b, in_sequences: [1]}\n"
      "  - {processors: 1, out_offset: 0, in_sequences: [b]}\n"
      "  - {processors: 2, out_offset: 0, sequence: 0}\n"
      "  - {processors: 4, out_offset: 0, sequence: 2}\n");
  ASSERT_TRUE(reading.network) << to_text(reading.report.errors().front());
  const auto& layers = reading.network->layers;
  EXPECT_EQ(layers[0].processors, 2U);
  EXPECT_EQ(layers[1].sequence, 2);
  EXPECT_EQ(layers[2].name, "b");
  EXPECT_EQ(layers[3].in_sequences, std::vector<int>{2});
  const auto& warnings = reading.report.warnings();
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const Finding& warning) {
    return warning.id == info(ErrorCode::ai8x_numbering).id && warning.place.line == 4;
  }));
}

TEST(Ai8xYaml, AllErrorsAtOnce) {
  const std::string yaml =
      "arch: a\n"
      "colour: red\n"
      "layers:\n"
      "  - out_offset: 0\n"
      "    kernel: 3x3\n"
      "    op: conv3d\n"
      "    pad: -1\n"
      "    pad: 1\n"
      "  - processors: 0\n"
      "    out_offset: 0x80000\n"
      "    output_width: 16\n";
  EXPECT_EQ(errors_of(yaml),
            (Strings{"MAX78-NET-05@1:1", "MAX78-NET-04@2:1", "MAX78-NET-05@4:5", "MAX78-NET-04@5:5",
                     "MAX78-NET-07@6:9", "MAX78-NET-08@7:10", "MAX78-NET-03@8:5",
                     "MAX78-NET-13@9:17", "MAX78-NET-14@10:17", "MAX78-NET-07@11:19"}));
  EXPECT_FALSE(read(yaml).network);
  EXPECT_EQ(read(yaml).report.errors()[3].hint, "did you mean 'kernel_size'?");
  const auto first = read_network(yaml, "net.yaml", k85);
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().details.back(), "and 9 further errors in this file");
}

TEST(Ai8xYaml, ErrorText) {
  EXPECT_EQ(to_text(read(one_layer("    name: head\n    op: conv2d\n    kernel_size: 5x5\n"))
                        .report.errors()[0]),
            "error[MAX78-NET-17]: kernel_size is '5x5'; conv2d takes 1x1 or 3x3\n"
            "  --> net.yaml:8, layer 0 'head', field kernel_size\n");
}

struct Rule {
  const char* lines;
  const char* expected;  // id@line:column; "" where nothing is wrong
  Device device = k85;
};

TEST(Ai8xYaml, Rules) {
  const std::vector<Rule> rules = {
      {"    op: conv2d\n    operation: conv2d\n", "MAX78-NET-09@7:5"},
      {"    activate: relu\n    activation: relu\n", "MAX78-NET-09@7:5"},
      {"    read_gap: 0\n    in_skip: 0\n", "MAX78-NET-09@7:5"},
      {"    name: stop\n", "MAX78-NET-10@6:11"},
      {"    name: INPUT\n", "MAX78-NET-10@6:11"},
      {"    name: [a]\n", "MAX78-NET-06@6:11"},
      {"    sequence: 32\n", "MAX78-NET-11@6:15"},
      {"    sequence: 32\n", "", k87},
      {"    sequence: 128\n", "MAX78-NET-11@6:15", k87},
      {"    output_processors: 0\n", "MAX78-NET-13@6:24"},
      {"    output_processors: xyz\n", "MAX78-NET-06@6:24"},
      {"    in_dim: [1, 2, 3]\n", "MAX78-NET-06@6:13"},
      {"    in_dim: [7]\n", ""},
      {"    in_dim: 0\n", "MAX78-NET-08@6:13"},
      {"    in_dim: big\n", "MAX78-NET-06@6:13"},
      {"    max_pool: [2]\n    pool_stride: 1\n", "MAX78-NET-06@6:15"},
      {"    in_crop: 1\n", "MAX78-NET-06@6:14"},
      {"    in_skip: 1\n", "MAX78-NET-21@6:14"},
      {"    in_skip: 1\n", "", k87},
      {"    in_sequences: [nobody]\n", "MAX78-NET-12@6:20"},
      {"    in_sequences: [3]\n", "MAX78-NET-12@6:20"},
      {"    in_sequences: []\n", "MAX78-NET-06@6:19"},
      {"    in_sequences: 0\n", "MAX78-NET-12@6:19"},
      {"    output_shift: 1.5\n", "MAX78-NET-06@6:19"},
      {"    quantization: 3\n", "MAX78-NET-07@6:19"},
      {"    quantization: binary\n", "MAX78-NET-21@6:19"},
      {"    data_format: nchw\n", "MAX78-NET-07@6:18"},
      {"    activate: gelu\n", "MAX78-NET-07@6:15"},
      {"    eltwise: mul\n", "MAX78-NET-07@6:14"},
      {"    op: add\n    eltwise: sub\n", "MAX78-NET-07@7:14"},
      {"    operands: 2\n", "MAX78-NET-16@6:15"},
      {"    op: add\n    operands: 17\n", "MAX78-NET-08@7:15"},
      {"    op: add\n    operands: 16\n", ""},
      {"    pool_first: false\n", "MAX78-NET-19@6:17"},
      {"    op: add\n    max_pool: 2\n    pool_stride: 2\n    pool_first: false\n", ""},
      {"    pool_dilation: 2\n", "MAX78-NET-19@6:20", k87},
      {"    pad: two\n", "MAX78-NET-06@6:10"},
      {"    output_pad: -1\n", "MAX78-NET-08@6:17"},
      {"    kernel_size: 9\n    op: conv1d\n", ""},
      {"    kernel_size: '4'\n    op: conv1d\n", ""},
      {"    kernel_size: 10\n    op: conv1d\n", "MAX78-NET-17@6:18"},
      {"    kernel_size: 3x3\n    op: conv1d\n", "MAX78-NET-17@6:18"},
      {"    kernel_size: 1x1\n    op: convtranspose2d\n", "MAX78-NET-17@6:18"},
      {"    kernel_size: 1x1\n    op: linear\n", "MAX78-NET-17@6:18"},
      {"    kernel_size: 1x1\n    op: passthrough\n", "MAX78-NET-17@6:18"},
      {"    kernel_size: 3\n    op: passthrough\n", ""},
      {"    stride: [1, 2]\n", "MAX78-NET-18@6:13"},
      {"    stride: 2\n    max_pool: 2\n    pool_stride: 2\n", "MAX78-NET-18@6:13"},
      {"    stride: 1\n    op: convtranspose2d\n", "MAX78-NET-18@6:13"},
      {"    stride: [2, 2]\n    op: convtranspose2d\n", ""},
      {"    dilation: 2\n    op: add\n", "MAX78-NET-20@6:15"},
      {"    groups: 4\n", "MAX78-NET-21@6:13"},
      {"    conv_groups: 4\n", "", k87},
      {"    flatten: 'false'\n", "MAX78-NET-06@6:14"},
      {"    bypass: true\n", "MAX78-NET-21@6:13"},
      {"    bias_group: 4\n", "MAX78-NET-08@6:17"},
      {"    calcx4: true\n", "MAX78-NET-21@6:13"},
      {"    readahead: true\n", "MAX78-NET-21@6:16"},
      {"    next_sequence: 0\n", "MAX78-NET-21@6:20"},
      {"    next_sequence: 1\n", ""},
      {"    weight_source: 0\n", "MAX78-NET-12@6:20"},
      {"    weight_source: x\n", "MAX78-NET-12@6:20"},
      {"    buffer_shift: 1\n    op: none\n", "MAX78-NET-22@6:19"},
      {"    buffer_shift: 1\n    in_sequences: -1\n", "MAX78-NET-22@6:19"},
      {"    buffer_shift: 0\n    in_sequences: -1\n    op: none\n", "MAX78-NET-08@6:19"},
      {"    buffer_insert: 1\n", ""},
  };
  for (const Rule& rule : rules) {
    const Strings expected = *rule.expected == '\0' ? Strings{} : Strings{rule.expected};
    EXPECT_EQ(layer_errors(rule.lines, rule.device), expected) << rule.lines;
  }
}

TEST(Ai8xYaml, Warnings) {
  EXPECT_EQ(warnings_of(""), Strings{"MAX78-NET-31 op"});
  EXPECT_EQ(warnings_of("    op: conv2d\n    max_pool: 2\n"), Strings{"MAX78-NET-31 pool_stride"});
  EXPECT_EQ(warnings_of("    op: conv2d\n    max_pool: 2\n    avg_pool: 3\n    pool_stride: 1\n"),
            Strings{"MAX78-NET-32 avg_pool"});
  EXPECT_EQ(warnings_of("    op: conv2d\n    in_crop: [1, 0]\n"), Strings{"MAX78-NET-34 in_crop"});
  EXPECT_EQ(warnings_of("    op: conv2d\n    next_sequence: 9\n", k87),
            Strings{"MAX78-NET-32 next_sequence"});
  EXPECT_EQ(warnings_of("    op: conv2d\n"), Strings{});
}

TEST(Ai8xYaml, TopLevel) {
  const std::string layers = "layers: [{processors: 1, out_offset: 0}]\n";
  const std::string head = "arch: a\ndataset: d\n";
  EXPECT_EQ(errors_of(head), Strings{"MAX78-NET-05@1:1"});
  EXPECT_EQ(errors_of("- a\n"), Strings{"MAX78-NET-06@1:1"});
  EXPECT_EQ(errors_of(""), Strings{"MAX78-NET-06@0:0"});
  EXPECT_EQ(errors_of(head + "layers: []\n"), Strings{"MAX78-NET-23@3:9"});
  EXPECT_EQ(errors_of(head + "layers: 3\n"), Strings{"MAX78-NET-06@3:9"});
  EXPECT_EQ(errors_of(head + "layers: [3]\n"), Strings{"MAX78-NET-06@3:10"});
  EXPECT_EQ(errors_of(head + layers + "snoop: [1]\n"),
            (Strings{"MAX78-NET-21@4:8", "MAX78-NET-24@4:8"}));
  EXPECT_EQ(errors_of(head + layers + "snoop: [1]\n", k87), Strings{"MAX78-NET-24@4:8"});
  EXPECT_EQ(errors_of(head + layers + "output_map: 0\n"), Strings{"MAX78-NET-13@4:13"});
  EXPECT_EQ(errors_of(head + layers + "unload: [{processors: 1, channels: 2, dim: [1, 2]}]\n"),
            Strings{"MAX78-NET-05@4:10"});
  EXPECT_EQ(errors_of(head + layers +
                      "unload: [{processors: 1, channels: 2, dim: 3, offset: 4, with: 8}]\n"),
            Strings{"MAX78-NET-04@4:58"});
  EXPECT_EQ(errors_of(head + layers + "data_buffer: [{processors: 1}]\n").size(), 4U);
}

TEST(Ai8xYaml, TooManyLayers) {
  std::string yaml = "arch: a\ndataset: d\nlayers:\n";
  for (int i = 0; i < 40; ++i) yaml += "  - {processors: 1, out_offset: 0}\n";
  EXPECT_EQ(errors_of(yaml), Strings{"MAX78-NET-23@36:5"});
  EXPECT_EQ(errors_of(yaml, k87), Strings{});
  for (int i = 0; i < 2000; ++i) yaml += "  - {processors: 1, out_offset: 0}\n";
  EXPECT_EQ(errors_of(yaml, k87), Strings{"MAX78-NET-23@4:3"});
}

TEST(Ai8xYaml, TwoLayersOfOneNameOrNumber) {
  const std::string head = "arch: a\ndataset: d\nlayers:\n";
  EXPECT_EQ(errors_of(head + "  - {processors: 1, out_offset: 0, name: A}\n"
                             "  - {processors: 1, out_offset: 0, name: a}\n"),
            Strings{"MAX78-NET-10@5:42"});
  EXPECT_EQ(errors_of(head + "  - {processors: 1, out_offset: 0}\n"
                             "  - {processors: 1, out_offset: 0, sequence: 0}\n"),
            Strings{"MAX78-NET-11@5:46"});
  EXPECT_EQ(errors_of(head + "  - {processors: 1, out_offset: 0, in_sequences: 1}\n"
                             "  - {processors: 1, out_offset: 0}\n"),
            Strings{"MAX78-NET-12@4:50"});
  EXPECT_EQ(errors_of(head + "  - {processors: 1, out_offset: 0}\n"
                             "  - {processors: 1, out_offset: 0, data_format: chw}\n"),
            Strings{"MAX78-NET-15@5:49"});
}

TEST(Ai8xYaml, Malformed) {
  const auto code = [](const std::string& yaml) {
    const auto reading = read(yaml);
    return reading.report.ok() ? std::string() : reading.report.errors()[0].id;
  };
  EXPECT_EQ(code("a: [1"), "MAX78-NET-01");
  EXPECT_EQ(code("a: b: c"), "MAX78-NET-01");
  EXPECT_EQ(code("arch: a\nlayers:\n\t- processors: 1\n"), "MAX78-NET-01");
  EXPECT_EQ(code("--- {a: 1}\n--- {b: 1}\n"), "MAX78-NET-01");
  EXPECT_EQ(code("a: *nobody\n"), "MAX78-NET-01");
  EXPECT_EQ(code("a: &x [*x]\n"), "MAX78-NET-01");
  EXPECT_EQ(code("a: !!python/object:os.system x\n"), "MAX78-NET-01");
  EXPECT_EQ(code(std::string("a: 1\0b", 6)), "MAX78-NET-01");
  EXPECT_EQ(code(std::string(100000, '[')), "MAX78-NET-02");
  EXPECT_EQ(code(std::string(kMaxYamlBytes + 1, '#')), "MAX78-NET-02");
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += (i ? ", *" : "*") + before;
    bomb += "]\n";
  }
  EXPECT_EQ(code(bomb), "MAX78-NET-02");
}

TEST(Ai8xYaml, AliasesAndMerges) {
  const auto reading = read(
      "arch: &n net\ndataset: *n\nlayers:\n"
      "  - &base {processors: 0xf, out_offset: 0x100, op: conv2d, activate: relu}\n"
      "  - {<<: *base, out_offset: 0x200}\n");
  ASSERT_TRUE(reading.network) << to_text(reading.report.errors().front());
  EXPECT_EQ(reading.network->dataset, "net");
  EXPECT_EQ(reading.network->layers[1].out_offset, 0x200);
  EXPECT_EQ(reading.network->layers[1].activation, Activation::relu);
}

TEST(Ai8xYaml, Scalars) {
  const auto integer = [](const std::string& text) {
    YamlNode node;
    node.text = text;
    const auto value = as_integer(node);
    return value ? (value->negative ? "-" : "") + std::to_string(value->size) : "none";
  };
  EXPECT_EQ(integer("0x1F"), "31");
  EXPECT_EQ(integer("-0x1_0"), "-16");
  EXPECT_EQ(integer("017"), "15");
  EXPECT_EQ(integer("0b101"), "5");
  EXPECT_EQ(integer("1_000"), "1000");
  EXPECT_EQ(integer("0"), "0");
  for (const char* text : {"", "-", "0x", "08", "_1", "1.0", "1e3", "3x3", "0xg", "x"}) {
    EXPECT_EQ(integer(text), "none") << text;
  }
  const auto boolean = [](const std::string& text) {
    YamlNode node;
    node.text = text;
    const auto value = as_boolean(node);
    return value ? (*value ? "true" : "false") : "none";
  };
  EXPECT_STREQ(boolean("Yes"), "true");
  EXPECT_STREQ(boolean("OFF"), "false");
  EXPECT_STREQ(boolean("tRUE"), "none");
  EXPECT_STREQ(boolean("y"), "none");
}

// The table of keys: no spelling twice, and every alias names a key.
TEST(Ai8xYaml, KeyTable) {
  std::vector<std::string> spellings;
#define LAYER_KEY(key, kind, low, high, default_text) \
  spellings.push_back(#key);                          \
  EXPECT_LE(low, high) << #key;                       \
  EXPECT_EQ(name(Key::key), #key);
#define ALIAS(spelling, key) spellings.push_back(#spelling);
#include "formats/ai8x/keys.def"
  std::sort(spellings.begin(), spellings.end());
  EXPECT_EQ(std::adjacent_find(spellings.begin(), spellings.end()), spellings.end());
  EXPECT_EQ(spellings.size(), kKeyCount + 7);
}

}  // namespace
}  // namespace edgetwin::ai8x
