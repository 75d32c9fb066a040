// Every network of the reference data: what is read equals what the vendor's loader worked with.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "formats/ai8x/parameters.h"
#include "formats/ai8x/read_yaml.h"

namespace edgetwin::ai8x {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path data_folder() {
  const char* folder = std::getenv("EDGETWIN_SHARED_DATA");
  return folder == nullptr ? fs::path() : fs::path(folder) / "max7800x";
}

std::string all_text(const Report& report) {
  std::string out;
  for (const Finding& error : report.errors()) out += to_text(error);
  return out;
}

Json pair_of(const Size2& size) { return Json::array({size.h, size.w}); }

std::string activation_text(Activation activation) {
  if (activation == Activation::relu) return "ReLU";
  return activation == Activation::abs ? "Abs" : "none";
}

Bytes load(const fs::path& path) {
  auto data = read_file(path);
  EXPECT_TRUE(data.ok()) << path;
  return data.ok() ? std::move(*data) : Bytes{};
}

ParameterReading read_parameters(const Network& network, const Json& test, const fs::path& root) {
  if (test.contains("checkpoint")) {
    const fs::path path = root / test["checkpoint"].get<std::string>();
    auto checkpoint = torch::Checkpoint::read(load(path), path.string());
    EXPECT_TRUE(checkpoint.ok()) << to_text(checkpoint.error());
    return read_checkpoint(network, *checkpoint);
  }
  const std::string weights = test["weights"];
  const std::string bias = test.value("bias", "");
  return read_arrays(network, load(root / weights), weights,
                     bias.empty() ? Bytes{} : load(root / bias), bias);
}

bool has_option(const Json& test, std::string_view option) {
  for (const auto& each : test["options"]) {
    if (each == option) return true;
  }
  return false;
}

// The recorded configuration has the layers that ran, from the first to the last.
void compare_layers(const Network& network, const Json& test, const Json& config) {
  const bool wider = has_option(test, "--output-width");
  for (size_t i = 0; i < config["activation"].size(); ++i) {
    const Layer& layer = network.layers[i];
    SCOPED_TRACE(layer_name(network, i));
    EXPECT_EQ(config["activation"][i], activation_text(layer.activation));
    EXPECT_EQ(config["big_data"][i], layer.big_data);
    EXPECT_EQ(config["bypass"][i], layer.bypass);
    EXPECT_EQ(config["calcx4"][i], layer.calcx4);
    EXPECT_EQ(config["conv_groups"][i], layer.groups);
    EXPECT_EQ(config["flatten"][i], layer.flatten);
    EXPECT_EQ(config["input_skip"][i], layer.in_skip);
    EXPECT_EQ(config["next_sequence"][i], layer.next_sequence);
    EXPECT_EQ(config["operands"][i], layer.operands);
    EXPECT_EQ(config["out_offset"][i], layer.out_offset);
    EXPECT_EQ(config["pool"][i], pair_of(layer.pool));
    EXPECT_EQ(config["pool_average"][i], layer.pooling == Pooling::average);
    EXPECT_EQ(config["pool_dilation"][i], pair_of(layer.pool_dilation));
    EXPECT_EQ(config["pool_first"][i], layer.pool_first);
    EXPECT_EQ(config["pool_stride"][i], pair_of(layer.pool_stride));
    EXPECT_EQ(config["read_ahead"][i], layer.readahead);
    EXPECT_EQ(config["streaming"][i], layer.streaming);
    EXPECT_EQ(config["stride"][i], pair_of(layer.stride));
    EXPECT_EQ(config["write_gap"][i], layer.write_gap);
    EXPECT_EQ(config["dilation"][i], pair_of(layer.dilation));
    EXPECT_EQ(config["padding"][i], pair_of(layer.pad));
    EXPECT_EQ(config["kernel_size"][i], pair_of(layer.kernel));
    EXPECT_EQ(config["eltwise"][i], std::string(name(layer.eltwise)));
    EXPECT_EQ(config["operator"][i], std::string(name(layer.op)));
    if (!wider) {
      EXPECT_EQ(config["output_width"][i], layer.output_width);
    }
    EXPECT_EQ(std::stoull(config["processor_map"][i].get<std::string>(), nullptr, 16),
              layer.processors);
    if (layer.in_offset) {
      EXPECT_EQ(config["in_offset"][i], *layer.in_offset);
    }
    if (layer.in_dim) {
      EXPECT_EQ(config["input_dim"][i], pair_of(*layer.in_dim));
    }
    const Json sources = layer.in_sequences ? Json(*layer.in_sequences) : Json();
    EXPECT_EQ(config["in_sequences"][i], sources);
    const Json groups = layer.bias_group.empty() ? Json() : Json(layer.bias_group);
    EXPECT_EQ(config["bias_group_map"][i], groups);
  }
}

void compare_parameters(const Network& network, const Parameters& parameters, const Json& config) {
  for (size_t i = 0; i < config["activation"].size(); ++i) {
    const LayerParameters& layer = parameters.layers[i];
    SCOPED_TRACE(layer_name(network, i) + " " + layer.source);
    if (layer.has_weights()) {
      EXPECT_EQ(config["output_shift"][i], layer.output_shift.value_or(99));
      EXPECT_EQ(config["quantization"][i], layer.quantization);
      EXPECT_EQ(config["output_channels"][i], layer.out_channels);
      if (!network.layers[i].flatten) {
        EXPECT_EQ(config["input_channels"][i], layer.in_channels);
      }
      EXPECT_EQ(layer.weights.size(), static_cast<size_t>(layer.out) *
                                          static_cast<size_t>(layer.in) *
                                          static_cast<size_t>(layer.kernel.h * layer.kernel.w));
    }
  }
}

TEST(Ai8xGolden, EveryCase) {
  const fs::path root = data_folder();
  if (root.empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  std::ifstream index(root / "cases.json");
  const Json cases = Json::parse(index);
  EXPECT_EQ(cases.size(), 115U);
  for (const Json& test : cases) {
    SCOPED_TRACE(test["name"].get<std::string>());
    const fs::path yaml = root / test["yaml"].get<std::string>();
    const Device device = test["device"] == "MAX78000" ? Device::max78000 : Device::max78002;
    const Bytes text = load(yaml);
    EXPECT_TRUE(looks_like_network(as_text(text)));
    const NetworkReading reading = read_network_report(as_text(text), yaml.string(), device);
    ASSERT_TRUE(reading.network) << all_text(reading.report);
    const ParameterReading parameters = read_parameters(*reading.network, test, root);
    ASSERT_TRUE(parameters.parameters) << all_text(parameters.report);
    ASSERT_EQ(parameters.parameters->layers.size(), reading.network->layers.size());
    std::ifstream meta(root / test["goldens"].get<std::string>() / "meta.json");
    const Json config = Json::parse(meta)["layers_config"];
    compare_layers(*reading.network, test, config);
    compare_parameters(*reading.network, *parameters.parameters, config);
  }
}

// No false alarm on networks that are in order.
TEST(Ai8xGolden, NoOrderWarnings) {
  const fs::path root = data_folder();
  if (root.empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  std::ifstream index(root / "cases.json");
  for (const Json& test : Json::parse(index)) {
    if (!test.contains("checkpoint")) continue;
    SCOPED_TRACE(test["name"].get<std::string>());
    const fs::path yaml = root / test["yaml"].get<std::string>();
    const Bytes text = load(yaml);
    const auto network = read_network(as_text(text), yaml.string(), Device::max78002);
    ASSERT_TRUE(network.ok());
    for (const Finding& warning : read_parameters(*network, test, root).report.warnings()) {
      EXPECT_NE(warning.id, info(ErrorCode::ai8x_order).id) << to_text(warning);
    }
  }
}

}  // namespace
}  // namespace edgetwin::ai8x
