// Time of quantizing a network of MobileNetV2's size with random weights: 224 x 224, 8 samples.
//
//   bench_quantize [--threads N] [--bits 8|16] [--method NAME] [--samples N] [--to espdl|tflite]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/rng.h"
#include "quantize/espdl/quantize.h"
#include "quantize/tflite/quantize.h"
#include "transform/tflite_form/form.h"

namespace edgetwin::bench {
namespace {

class Network {
 public:
  Network() {
    graph.layout = Layout::nchw;
    ValueId x = value("x", {1, 3, 224, 224});
    graph.inputs = {x};
    x = clip(conv(x, 32, 3, 2, false));
    struct Stage {
      int64_t expand, channels, repeats, stride;
    };
    constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                 {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    for (const Stage& s : kStages) {
      for (int64_t i = 0; i < s.repeats; ++i)
        x = block(x, s.expand, s.channels, i == 0 ? s.stride : 1);
    }
    x = clip(conv(x, 1280, 1, 1, false));
    PoolAttrs pool;
    pool.padding.kind = Padding::Kind::given;
    pool.stride_h = pool.stride_w = 1;
    x = op(OpKind::average_pool_2d, "GlobalAveragePool", {x}, {1, 1280, 1, 1}, pool);
    x = op(OpKind::flatten, "Flatten", {x}, {1, 1280}, AxisAttrs{1});
    FullyConnectedAttrs fc;
    fc.keep_num_dims = true;
    graph.outputs = {op(OpKind::fully_connected, "Gemm",
                        {x, weights({1000, 1280}, 1280), weights({1000}, 1280)}, {1, 1000}, fc)};
  }

  std::vector<quantize::Sample> samples(size_t count) {
    std::vector<quantize::Sample> all(count);
    for (auto& s : all) {
      s.push_back(*Tensor::zeros(DType::float32, graph.value(graph.inputs[0]).shape));
      for (float& x : s[0].as<float>()) x = number() * 2.0F;
    }
    return all;
  }

  Graph graph;

 private:
  float number() { return static_cast<float>(rng_.next() >> 8) / 8388608.0F - 1.0F; }

  ValueId value(const std::string& name, Shape shape) {
    Value v;
    v.name = name;
    v.shape = shape;
    graph.values.push_back(std::move(v));
    return static_cast<ValueId>(graph.values.size() - 1);
  }
  ValueId constant(Shape shape, const std::vector<float>& values) {
    const ValueId id = value("p" + std::to_string(graph.values.size()), shape);
    Bytes data(values.size() * sizeof(float));
    std::memcpy(data.data(), values.data(), data.size());
    graph.value(id).constant = std::make_shared<const Bytes>(std::move(data));
    return id;
  }
  ValueId weights(Shape shape, int64_t inputs) {
    std::vector<float> values(static_cast<size_t>(shape.elements()));
    const float scale = 2.5F / std::sqrt(static_cast<float>(inputs));
    for (float& x : values) x = number() * scale;
    return constant(shape, values);
  }
  ValueId op(OpKind kind, const char* type, std::vector<ValueId> inputs, Shape shape, Attrs attrs) {
    Op o;
    o.kind = kind;
    o.type = type;
    o.name = type + std::to_string(graph.ops.size());
    o.inputs = std::move(inputs);
    o.outputs = {value(o.name + "_o", shape)};
    o.attrs = std::move(attrs);
    graph.ops.push_back(std::move(o));
    return graph.ops.back().outputs[0];
  }
  ValueId conv(ValueId x, int64_t n, int64_t k, int stride, bool depthwise) {
    const Shape in = graph.value(x).shape;
    const int64_t c = depthwise ? 1 : in[1];
    Conv2DAttrs a;
    a.padding.kind = Padding::Kind::given;
    a.padding.top = a.padding.left = a.padding.bottom = a.padding.right = static_cast<int>(k / 2);
    a.stride_h = a.stride_w = stride;
    const Shape out{1, n, (in[2] + stride - 1) / stride, (in[3] + stride - 1) / stride};
    return op(depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d, "Conv",
              {x, weights({n, c, k, k}, c * k * k), weights({n}, c * k * k)}, out, a);
  }
  ValueId clip(ValueId x) {
    const Shape shape = graph.value(x).shape;
    return op(OpKind::clip, "Clip", {x, constant({}, {0.0F}), constant({}, {6.0F})}, shape,
              NoAttrs{});
  }
  ValueId block(ValueId x, int64_t expand, int64_t channels, int64_t stride) {
    const int64_t in = graph.value(x).shape[1];
    ValueId y = expand == 1 ? x : clip(conv(x, in * expand, 1, 1, false));
    y = clip(conv(y, in * expand, 3, static_cast<int>(stride), true));
    y = conv(y, channels, 1, 1, false);
    if (stride != 1 || in != channels) return y;
    return op(OpKind::add, "Add", {x, y}, graph.value(y).shape, BinaryAttrs{});
  }

  XorShift32 rng_{1};
};

struct Choices {
  quantize::Settings settings = quantize::like_upstream(espdl::Target::esp32p4, 8);
  size_t samples = 8;
  bool to_tflite = false;
};

Choices choices_of(int argc, char** argv) {
  Choices c;
  c.settings.threads = 2;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], text = argv[i + 1];
    if (option == "--threads") c.settings.threads = std::stoi(text);
    if (option == "--bits") c.settings.bits = std::stoi(text);
    if (option == "--samples") c.samples = static_cast<size_t>(std::stoi(text));
    if (option == "--to") c.to_tflite = text == "tflite";
    if (option == "--method") {
      if (const auto m = quantize::method_by_name(text)) c.settings.method = *m;
    }
  }
  c.settings.steps = static_cast<int>(c.samples);
  return c;
}

// The operators that come out.
Result<size_t> quantize_once(const Network& network, const std::vector<quantize::Sample>& data,
                             const Choices& c) {
  if (!c.to_tflite) {
    EDGETWIN_TRY_ASSIGN(const quantize::Quantized q,
                        quantize::quantize_espdl(network.graph, data, c.settings));
    return q.graph.ops.size();
  }
  EDGETWIN_TRY_ASSIGN(const Graph form, transform::to_tflite_form(network.graph));
  EDGETWIN_TRY_ASSIGN(
      const quantize::TfliteQuantized q,
      quantize::quantize_tflite(form, quantize::to_tflite_samples(network.graph, data),
                                {.threads = c.settings.threads}));
  return q.model.main().ops.size();
}

int run(int argc, char** argv) {
  const Choices choices = choices_of(argc, argv);
  Network network;
  const auto data = network.samples(choices.samples);
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const auto operators = quantize_once(network, data, choices);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (!operators.ok()) {
      std::fputs(to_text(operators.error()).c_str(), stderr);
      return 1;
    }
    best = std::min(best, time.count());
    std::printf("round %d  %.3f s, %zu operators\n", round, time.count(), *operators);
  }
  std::printf("best     %.3f s with %d threads%s\n", best, choices.settings.threads,
              choices.to_tflite ? "" : "; upstream took 6.9 s");
  return 0;
}

}  // namespace
}  // namespace edgetwin::bench

int main(int argc, char** argv) { return edgetwin::bench::run(argc, argv); }
