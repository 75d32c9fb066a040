#include "firmware/own_network.h"

#include "base/rng.h"

namespace edgetwin::firmware {
namespace {

constexpr const char* kPlain = R"(arch: test
dataset: own
layers:
  - pad: 1
    activate: ReLU
    out_offset: 0x2000
    processors: 0x0000000000000007
    data_format: HWC
    op: conv2d
  - max_pool: 2
    pool_stride: 2
    pad: 1
    activate: ReLU
    out_offset: 0x0000
    processors: 0x00000000000000ff
    op: conv2d
  - op: mlp
    flatten: true
    out_offset: 0x1000
    output_width: 32
    processors: 0x0000000000ffff00
)";

constexpr const char* kStreaming = R"(arch: test
dataset: own
layers:
  - pad: 1
    activate: ReLU
    out_offset: 0x2000
    processors: 0x0000000000000007
    data_format: HWC
    streaming: true
    op: conv2d
  - max_pool: 2
    pool_stride: 2
    pad: 1
    out_offset: 0x4000
    processors: 0x00000000000000ff
    streaming: true
    op: conv2d
    activate: None
)";

Tensor noise(XorShift32& generator, const Shape& shape) {
  Tensor t = Tensor::zeros(DType::int8, shape).value();
  for (int8_t& v : t.as<int8_t>()) v = static_cast<int8_t>(generator.byte());
  return t;
}

}  // namespace

std::unique_ptr<golden::Max78Case> own_case(OwnNetwork network, max78::Device device,
                                            const std::vector<std::string>& words) {
  const bool plain = network == OwnNetwork::plain;
  XorShift32 generator(2463534242U);
  auto c = std::make_unique<golden::Max78Case>();
  const auto options = max78::options_from(words);
  if (!options.ok()) {
    c->refused = to_text(options.error());
    return c;
  }
  c->options = *options;
  auto description = ai8x::read_network(plain ? kPlain : kStreaming, "own.yaml", device);
  if (!description.ok()) {
    c->refused = to_text(description.error());
    return c;
  }
  c->network = std::move(*description);
  const int64_t size = plain ? 8 : 16;
  std::vector<Shape> shapes = {{8, 3, 3, 3}, {16, 8, 3, 3}};
  if (plain) shapes.push_back({5, 16 * 4 * 4, 1, 1});
  Bytes weights, biases;
  for (const Shape& shape : shapes) {
    const Bytes weight = write_npy(noise(generator, shape)).value();
    weights.insert(weights.end(), weight.begin(), weight.end());
    const Bytes bias = write_npy(noise(generator, {shape[0]})).value();
    biases.insert(biases.end(), bias.begin(), bias.end());
  }
  auto reading = ai8x::read_arrays(c->network, weights, "weights", biases, "bias");
  if (!reading.parameters) {
    c->refused = to_text(reading.report.errors().front());
    return c;
  }
  c->parameters = std::move(*reading.parameters);
  c->sample = noise(generator, {3, size, size});
  c->planning =
      max78::make_plan(c->network, c->parameters, golden::shape_of(c->sample), c->options);
  for (const Finding& f : c->planning.findings) {
    if (f.severity == Severity::error && c->refused.empty()) {
      c->refused = to_text(error_of(f, ErrorCode::max78_rules));
    }
  }
  return c;
}

}  // namespace edgetwin::firmware
