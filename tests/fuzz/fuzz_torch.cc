// Any bytes as a checkpoint: plain data or an error. What was read can be written and comes back,
// can be matched to a network, and can be quantized.
#include <cstdlib>

#include "formats/ai8x/parameters.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/torch/checkpoint.h"
#include "targets/max78/quantize/quantize.h"

namespace {

using namespace edgetwin;

constexpr int64_t kMaxElements = 100'000;  // of all tensors: beyond that the run is only slow

const ai8x::Network& network() {
  static const ai8x::Network made = *ai8x::read_network(
      "arch: net\ndataset: d\nlayers:\n"
      "  - {processors: 1, out_offset: 0, op: conv2d, kernel_size: 1x1, pad: 0}\n"
      "  - {processors: 1, out_offset: 0, op: convtranspose2d}\n",
      "net.yaml", ai8x::Device::max78002);
  return made;
}

void compare(const torch::Checkpoint& a, const torch::Checkpoint& b) {
  const auto left = a.state_dict();
  const auto right = b.state_dict();
  if (left.ok() != right.ok()) std::abort();
  if (!left.ok()) return;
  if (left->size() != right->size()) std::abort();
  for (size_t i = 0; i < left->size(); ++i) {
    const Tensor x = a.tensor((*left)[i].tensor);
    const Tensor y = b.tensor((*right)[i].tensor);
    if ((*left)[i].name != (*right)[i].name || x.dtype != y.dtype || !(x.shape == y.shape) ||
        x.data != y.data) {
      std::abort();
    }
  }
}

void check(const ai8x::Report& report, bool has_value) {
  if (report.ok() != has_value) std::abort();
  for (const Finding& f : report.findings) {
    if (f.id.empty() || to_text(f).empty()) std::abort();
  }
}

// A pickle by itself: an array has as many bytes as its shape and type say.
void check_pickle(ByteSpan bytes) {
  const auto pickle = torch::Checkpoint::read_pickle(bytes, "fuzz");
  if (!pickle.ok()) return to_text(pickle.error()).empty() ? std::abort() : void();
  const torch::Node& root = pickle->node(pickle->root());
  for (const torch::NodeId item : root.items) {
    const torch::Node& array = pickle->node(item);
    if (array.kind != torch::NodeKind::array || array.items.empty()) continue;
    size_t size = byte_size(pickle->node(array.items[1]).dtype);
    for (const torch::NodeId side : pickle->node(array.items[0]).items) {
      size *= static_cast<size_t>(pickle->node(side).integer);
    }
    if (size != pickle->node(array.items[2]).text.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  check_pickle(bytes);
  auto checkpoint = torch::Checkpoint::read(to_bytes(bytes), "fuzz");
  if (!checkpoint.ok()) return to_text(checkpoint.error()).empty() ? std::abort(), 0 : 0;
  if (const auto state = checkpoint->state_dict(); state.ok()) {
    int64_t elements = 0;
    for (const auto& entry : *state) elements += checkpoint->shape(entry.tensor).elements();
    if (elements > kMaxElements) return 0;
  }
  if (const auto written = torch::write(*checkpoint); written.ok()) {
    const auto again = torch::Checkpoint::read(*written, "again");
    if (!again.ok()) std::abort();
    compare(*checkpoint, *again);
    if (*torch::write(*again) != *written) std::abort();
  }
  const auto parameters = ai8x::read_checkpoint(network(), *checkpoint);
  check(parameters.report, parameters.parameters.has_value());
  max78::QuantizeOptions options;
  options.method = static_cast<max78::ClipMethod>(size % 5);
  const auto quantized = max78::quantize(std::move(*checkpoint), options);
  check(quantized.report, quantized.checkpoint.has_value());
  return 0;
}
