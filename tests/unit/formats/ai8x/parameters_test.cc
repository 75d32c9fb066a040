#include "formats/ai8x/parameters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "formats/ai8x/read_yaml.h"
#include "formats/torch/torch_files.h"
#include "tensor/npy.h"

namespace edgetwin::ai8x {
namespace {

using torch::checkpoint_of;
using torch::floats;
using Entries = std::vector<std::pair<std::string, Tensor>>;

Network network_of(const std::vector<std::string>& layers, Device device = Device::max78000,
                   const std::string& arch = "net") {
  std::string yaml = "arch: " + arch + "\ndataset: d\nlayers:\n";
  for (const std::string& layer : layers) {
    yaml += "  - {processors: 1, out_offset: 0, " + layer + "}\n";
  }
  auto network = read_network(yaml, "net.yaml", device);
  EXPECT_TRUE(network.ok()) << to_text(network.error());
  return std::move(*network);
}

Tensor filled(const Shape& shape, float value) {
  return floats(shape, std::vector<float>(static_cast<size_t>(shape.elements()), value));
}
Tensor counted(const Shape& shape, float first = 1) {
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (float& v : values) v = first++;
  return floats(shape, values);
}

Parameters good(const ParameterReading& reading) {
  if (reading.parameters) return *reading.parameters;
  ADD_FAILURE() << to_text(reading.report.errors().front());
  return {};
}

std::vector<std::string> ids(const std::vector<Finding>& errors) {
  std::vector<std::string> out;
  for (const Finding& error : errors) out.emplace_back(error.id);
  return out;
}
using Strings = std::vector<std::string>;

const std::string kOne = "op: conv2d, kernel_size: 1x1, pad: 0";

TEST(Ai8xCheckpoint, WeightsBiasAndShift) {
  const Network network = network_of({kOne, "op: passthrough", kOne + ", output_shift: 2"});
  const auto file = checkpoint_of({{"c1.output_shift", filled({1}, -2)},
                                   {"c1.weight_bits", filled({1}, 4)},
                                   {"c1.op.weight", counted({2, 3, 1, 1})},
                                   {"c2.op.weight", counted({1, 2, 1, 1}, -3)},
                                   {"c1.op.bias", floats({2}, {24, -17})},
                                   {"c2.output_shift", filled({1}, -5)}});
  const auto reading = read_checkpoint(network, file);
  EXPECT_EQ(reading.arch, "net");
  EXPECT_EQ(reading.epoch, 7);
  const Parameters parameters = good(reading);
  ASSERT_EQ(parameters.layers.size(), 3U);
  const LayerParameters& first = parameters.layers[0];
  EXPECT_EQ(first.source, "c1.op.weight");
  EXPECT_EQ(first.weights, (std::vector<int8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(first.out_channels, 2);
  EXPECT_EQ(first.in_channels, 3);
  EXPECT_EQ(first.quantization, 4);
  EXPECT_EQ(first.output_shift, -2 + 8 - 4);
  EXPECT_EQ(first.bias, (std::vector<int8_t>{3, -3}));  // floor(x / 2^3)
  EXPECT_FALSE(parameters.layers[1].has_weights());
  EXPECT_EQ(parameters.layers[2].output_shift, 2);  // the description's comes first
  EXPECT_TRUE(parameters.layers[2].bias.empty());
}

TEST(Ai8xCheckpoint, TransposedIsTurned) {
  const Network network = network_of({"op: convtranspose2d"});
  const auto file = checkpoint_of({{"up.op.weight", counted({2, 1, 3, 3})}});  // in, out, y, x
  const Parameters parameters = good(read_checkpoint(network, file));
  const LayerParameters& up = parameters.layers[0];
  EXPECT_EQ(up.out, 1);
  EXPECT_EQ(up.in, 2);
  EXPECT_EQ(up.weight(0, 0, 0, 0), 9);
  EXPECT_EQ(up.weight(0, 0, 2, 2), 1);
  EXPECT_EQ(up.weight(0, 1, 0, 1), 17);
}

TEST(Ai8xCheckpoint, Groups) {
  const Network network = network_of({"op: conv2d, groups: 4"}, Device::max78002);
  const Parameters parameters =
      good(read_checkpoint(network, checkpoint_of({{"d.op.weight", counted({4, 1, 3, 3})}})));
  EXPECT_EQ(parameters.layers[0].in_channels, 4);
  EXPECT_EQ(parameters.layers[0].out_channels, 4);
  EXPECT_EQ(parameters.layers[0].in, 1);
}

TEST(Ai8xCheckpoint, BinaryAndZero) {
  const auto file = checkpoint_of(
      {{"a.op.weight", floats({1, 2, 1, 1}, {1, -1})}, {"b.op.weight", filled({1, 1, 1, 1}, 0)}});
  const Parameters on87 = good(read_checkpoint(network_of({kOne, kOne}, Device::max78002), file));
  EXPECT_EQ(on87.layers[0].quantization, kBinary);
  EXPECT_EQ(on87.layers[0].output_shift, 7);
  EXPECT_EQ(on87.layers[1].quantization, 1);
  const auto on85 = read_checkpoint(network_of({kOne, kOne}), file);
  EXPECT_EQ(good(on85).layers[0].quantization, 8);
  EXPECT_EQ(ids(on85.report.warnings()), Strings{"MAX78-PAR-32"});
}

TEST(Ai8xCheckpoint, WeightSource) {
  const Network network = network_of({kOne + ", name: a", kOne + ", weight_source: a"});
  const auto file = checkpoint_of(
      {{"c.op.weight", counted({1, 1, 1, 1}, 5)}, {"c.output_shift", filled({1}, 1)}});
  const Parameters parameters = good(read_checkpoint(network, file));
  EXPECT_EQ(parameters.layers[1].weights, std::vector<int8_t>{5});
  EXPECT_EQ(parameters.layers[1].output_shift, 1);
}

TEST(Ai8xCheckpoint, Options) {
  const auto file = checkpoint_of({{"x.op.weight", counted({1, 1, 1, 1}, 5)},
                                   {"y.op.weight", counted({1, 1, 1, 1}, 6)},
                                   {"y.op.bias", filled({1}, 256)}});
  const Network network = network_of({kOne});
  ParameterOptions options;
  options.skip_checkpoint_layers = 1;
  const Parameters with = good(read_checkpoint(network, file, options));
  EXPECT_EQ(with.layers[0].bias, std::vector<int8_t>{2});
  EXPECT_TRUE(with.layers[0].bias_given);
  options.no_bias_layers = {0};
  const Parameters without = good(read_checkpoint(network, file, options));
  EXPECT_TRUE(without.layers[0].bias.empty());
  EXPECT_FALSE(without.layers[0].bias_given);
  EXPECT_EQ(ids(read_checkpoint(network, file).report.of(Severity::note)), Strings{"MAX78-PAR-34"});
}

struct Bad {
  Entries entries;
  const char* id;
};

TEST(Ai8xCheckpoint, Errors) {
  const std::vector<Bad> all = {
      {{}, "MAX78-PAR-03"},
      {{{"c.op.weight", filled({3}, 1)}}, "MAX78-PAR-05"},
      {{{"c.bn.weight", filled({3}, 1)}}, "MAX78-PAR-04"},
      {{{"c.op.weight", filled({1, 1, 3, 3}, 1)}}, "MAX78-PAR-06"},
      {{{"c.op.weight", filled({1, 1, 1, 1}, 200)}}, "MAX78-PAR-07"},
      {{{"c.op.weight", filled({1, 1, 1, 1}, 1e30F)}}, "MAX78-PAR-07"},
      {{{"c.op.weight", filled({1, 1, 1, 1}, std::nanf(""))}}, "MAX78-PAR-07"},
      {{{"c.op.weight", filled({1, 1, 1, 1}, 9)}, {"c.weight_bits", filled({1}, 4)}},
       "MAX78-PAR-07"},
      {{{"c.op.weight", filled({1, 1, 1, 1}, 9)}, {"c.weight_bits", filled({1}, 7)}},
       "MAX78-PAR-07"},
      {{{"c.op.weight", filled({1, 1, 1, 1}, 9)}, {"c.op.bias", filled({1}, 40000)}},
       "MAX78-PAR-08"},
      {{{"c.op.weight", filled({1, 1, 1, 1}, 9)}, {"c.op.bias", filled({2}, 1)}}, "MAX78-PAR-08"},
      {{{"c.op.weight", filled({1, 1, 1, 1}, 9)}, {"c.output_shift", filled({2}, 1)}},
       "MAX78-PAR-09"},
  };
  const Network network = network_of({kOne});
  for (const Bad& bad : all) {
    const auto reading = read_checkpoint(network, checkpoint_of(bad.entries));
    ASSERT_FALSE(reading.report.errors().empty()) << bad.id;
    EXPECT_EQ(ids(reading.report.errors())[0], bad.id);
    EXPECT_FALSE(reading.parameters);
  }
  EXPECT_EQ(
      ids(read_checkpoint(network, checkpoint_of({{"c.op.weight", filled({1, 1}, 1)}}, "other"))
              .report.errors()),
      Strings{"MAX78-PAR-02"});
  EXPECT_EQ(ids(read_checkpoint(network, torch::Checkpoint::make("empty")).report.errors()),
            (Strings{"MAX78-PAR-01", "MAX78-PAR-01"}));
}

TEST(Ai8xCheckpoint, OrderWarnings) {
  const Network network = network_of({kOne + ", name: one", kOne + ", name: two"});
  const auto swapped = checkpoint_of(
      {{"two.op.weight", counted({5, 4, 1, 1})}, {"one.op.weight", counted({4, 3, 1, 1})}});
  EXPECT_EQ(ids(read_checkpoint(network, swapped).report.warnings()),
            (Strings{"MAX78-PAR-33", "MAX78-PAR-33", "MAX78-PAR-33"}));
  const auto right = checkpoint_of(
      {{"one.op.weight", counted({4, 3, 1, 1})}, {"two.op.weight", counted({5, 4, 1, 1})}});
  EXPECT_EQ(ids(read_checkpoint(network, right).report.warnings()), Strings{});
  const auto floating = checkpoint_of(
      {{"one.op.weight", filled({4, 3, 1, 1}, 0.5F)}, {"two.op.weight", counted({5, 4, 1, 1})}});
  EXPECT_EQ(ids(read_checkpoint(network, floating).report.warnings()),
            (Strings{"MAX78-PAR-32", "MAX78-PAR-31"}));
}

TEST(Ai8xCheckpoint, MatchText) {
  const Network network = network_of({kOne + ", name: a", "op: add", kOne + ", weight_source: a"});
  const auto file =
      checkpoint_of({{"c.op.weight", counted({1, 2, 1, 1}, 5)}, {"c.op.bias", filled({1}, 128)}});
  EXPECT_EQ(match_text(network, good(read_checkpoint(network, file))),
            "layer 0 'a': conv2d 1x1, 2 -> 1 channels, 8 bits, shift 0, bias; from c.op.weight\n"
            "layer 1: passthrough\n"
            "layer 2: conv2d 1x1, 2 -> 1 channels, 8 bits, shift 0, bias; from c.op.weight"
            " (weight_source)\n");
}

// --- .npy arrays

Bytes row(const std::vector<Tensor>& tensors) {
  Bytes out;
  for (const Tensor& tensor : tensors) {
    const auto bytes = write_npy(tensor);
    EXPECT_TRUE(bytes.ok());
    out.insert(out.end(), bytes->begin(), bytes->end());
  }
  return out;
}

Tensor integers(const Shape& shape, const std::vector<int64_t>& values) {
  Tensor out;
  out.dtype = DType::int64;
  out.shape = shape;
  out.data = to_bytes(std::as_bytes(std::span(values)));
  return out;
}

ParameterReading arrays(const Network& network, const std::vector<Tensor>& weights,
                        const std::vector<Tensor>& bias = {}) {
  return read_arrays(network, row(weights), "w.npy", row(bias), "b.npy");
}

TEST(Ai8xArrays, OneArrayHasTheLayersFirst) {
  const Network network = network_of({kOne, kOne}, Device::max78000, "test");
  const auto both = integers({2, 1, 2, 1, 1}, {1, 2, 3, -4});
  const Parameters parameters = good(arrays(network, {both}, {integers({1}, {-7})}));
  EXPECT_EQ(parameters.layers[0].weights, (std::vector<int8_t>{1, 2}));
  EXPECT_EQ(parameters.layers[1].weights, (std::vector<int8_t>{3, -4}));
  EXPECT_EQ(parameters.layers[0].bias, std::vector<int8_t>{-7});
  EXPECT_TRUE(parameters.layers[1].bias.empty());
  EXPECT_TRUE(parameters.layers[0].bias_given);
  EXPECT_FALSE(parameters.layers[1].bias_given);
}

TEST(Ai8xArrays, FewerBits) {
  const auto with = [](const std::string& bits, const std::vector<int64_t>& values) {
    const Network network =
        network_of({kOne + ", quantization: " + bits}, Device::max78002, "test");
    const auto n = static_cast<int64_t>(values.size());
    return good(arrays(network, {integers({1, 1, n, 1, 1}, values)})).layers[0];
  };
  EXPECT_EQ(with("4", {127, -128, 16, -1}).weights, (std::vector<int8_t>{7, -8, 1, -1}));
  EXPECT_EQ(with("4", {7, -8}).weights, (std::vector<int8_t>{7, -8}));
  EXPECT_EQ(with("4", {8, -8}).weights, (std::vector<int8_t>{4, -4}));
  EXPECT_EQ(with("1", {0, -1}).weights, (std::vector<int8_t>{0, -1}));
  EXPECT_EQ(with("1", {1, -1}).weights, (std::vector<int8_t>{0, -1}));
  EXPECT_EQ(with("binary", {0, -1, 5}).weights, (std::vector<int8_t>{1, -1, 1}));
  EXPECT_EQ(with("binary", {0, -1, 5}).output_shift, 7);
  EXPECT_EQ(with("2", {1, -2}).output_shift, 6);
}

TEST(Ai8xArrays, Errors) {
  const Network network = network_of({kOne, kOne}, Device::max78000, "test");
  const auto one = integers({1, 1, 1, 1}, {1});
  EXPECT_EQ(ids(arrays(network, {}).report.errors()), Strings{"MAX78-PAR-03"});
  EXPECT_EQ(ids(arrays(network, {integers({1, 1, 1, 1, 1}, {1})}).report.errors()),
            Strings{"MAX78-PAR-03"});
  EXPECT_EQ(ids(arrays(network, {one, integers({1, 1, 1, 1}, {128})}).report.errors()),
            Strings{"MAX78-PAR-07"});
  EXPECT_EQ(ids(arrays(network, {one, filled({1, 1, 1, 1}, 0.5F)}).report.errors()),
            Strings{"MAX78-PAR-10"});
  EXPECT_EQ(ids(arrays(network, {one, one}, {integers({2}, {1, 2})}).report.errors()),
            Strings{"MAX78-PAR-08"});
  EXPECT_EQ(ids(arrays(network, {one, one}, {integers({1}, {128})}).report.errors()),
            Strings{"MAX78-PAR-08"});
  EXPECT_EQ(ids(arrays(network, {one, one, one}).report.warnings()), Strings{"MAX78-PAR-34"});
  const Bytes broken = to_bytes(as_byte_span("no array"));
  EXPECT_EQ(ids(read_arrays(network, broken, "w.npy", {}, "").report.errors()),
            Strings{"FMT-NPY-01"});
}

}  // namespace
}  // namespace edgetwin::ai8x
