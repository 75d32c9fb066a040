// Arguments of `quantize` for float networks.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace edgetwin::cli {

struct QuantizeNetworkArguments {
  std::vector<std::string> calibrate, shapes, layer_bits, weight_bits;
  std::vector<float> mean, std;
  std::vector<std::string> lut;
  std::vector<std::string> with, without;  // passes
  std::string resize = "bilinear", method, like, html, plot;
  int bits = 8, step = 256, samples = 32, steps = 0, threads = 1;
  bool high_precision = false, analyse = false, search = false;
  std::optional<double> decibels;
  std::optional<int64_t> most_bytes;
};

void add_quantize_network(CLI::App* verb, QuantizeNetworkArguments& a);

}  // namespace edgetwin::cli
