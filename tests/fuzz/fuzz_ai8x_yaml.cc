// Any bytes as a network description: for both devices a network, or errors that can be printed.
#include <cstdlib>

#include "formats/ai8x/parameters.h"
#include "formats/ai8x/read_yaml.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::ai8x;

void check(const Network& network) {
  const auto count = static_cast<int>(network.layers.size());
  if (count == 0 || count > limits(network.device).layers) std::abort();
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.processors == 0 || layer.next_sequence < kStop || layer.next_sequence >= count ||
        layer.simulated_sequence >= count || layer.weight_source.value_or(0) >= count ||
        layer.operands < 1 || layer.operands > 16 || layer.pool.h < 1 || layer.pool.w < 1 ||
        layer.kernel.h < 1 || layer.kernel.h > 9 || layer.groups < 1 || !layer.mark) {
      std::abort();
    }
    for (const int source : layer.in_sequences.value_or(std::vector<int>{})) {
      if (source < kDataBuffer || source >= count) std::abort();
    }
    if (layer_name(network, i).empty() || !place(network, i, Key::op).line) std::abort();
  }
  // No parameters at all: an error unless no layer needs any.
  const auto parameters = read_arrays(network, {}, "w", {}, "b");
  if (parameters.report.ok() != parameters.parameters.has_value()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = as_text(std::as_bytes(std::span(data, size)));
  for (const Device device : {Device::max78000, Device::max78002}) {
    const NetworkReading reading = read_network_report(text, "fuzz.yaml", device);
    if (reading.network.has_value() != reading.report.ok()) std::abort();
    for (const Finding& f : reading.report.findings) {
      if (f.id.empty() || to_text(f).empty()) std::abort();
    }
    if (reading.network) check(*reading.network);
    // The other way in reads the same text again: now and then is enough.
    if (size % 16 == 0 && read_network(text, "fuzz.yaml", device).ok() != reading.report.ok()) {
      std::abort();
    }
  }
  return 0;
}
