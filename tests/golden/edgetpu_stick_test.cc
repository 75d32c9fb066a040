// The virtual stick, driven by the driver, gives what the twin gives of the model that was
// compiled: byte for byte, for every public pair that the twin can compute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/rng.h"
#include "golden/edgetpu_pairs.h"
#include "golden/golden.h"
#include "targets/edgetpu/driver/session.h"
#include "targets/edgetpu/params/patch.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::golden {
namespace {

using edgetpu::DeviceJob;
using edgetpu::DeviceModel;
using edgetpu::DeviceSession;
using edgetpu::VirtualBus;

Result<darwinn::File> load_compiled(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  return darwinn::read(data, path.string());
}

Bytes random_bytes(size_t size, uint32_t seed) {
  XorShift32 rng(seed);
  Bytes bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(rng.byte());
  return bytes;
}

// A stick on a bus of its own that knows one pair, opened by the driver.
struct Bench {
  edgetpu::JumpingClock clock;
  VirtualBus bus;
  std::unique_ptr<DeviceSession> session;
  std::shared_ptr<const DeviceModel> model;

  // With the source the graph computes, without it the machine.
  Status open(const EdgetpuPair& pair, bool with_source = true) {
    EDGETWIN_TRY_ASSIGN(darwinn::File file, load_compiled(pair.compiled));
    std::shared_ptr<const Graph> graph;
    if (with_source) {
      EDGETWIN_TRY_ASSIGN(graph, load_graph(pair.source));
    }
    EDGETWIN_TRY_ASSIGN(model, DeviceModel::make(file));
    EDGETWIN_TRY(bus.learn(std::move(file), graph, pair.compiled.filename().string()));
    edgetpu::DeviceOptions options;
    options.clock = &clock;
    EDGETWIN_TRY_ASSIGN(session, DeviceSession::open(bus, "1-1", options));
    return Ok{};
  }

  // Dense outputs of the host. An error of the driver carries what the stick complained of.
  Result<std::vector<Bytes>> run(const std::shared_ptr<const DeviceModel>& of,
                                 const std::vector<Bytes>& inputs) {
    DeviceJob job;
    job.model = of;
    for (size_t i = 0; i < inputs.size(); ++i) {
      EDGETWIN_TRY_ASSIGN(Bytes device, of->to_device(i, inputs[i]));
      job.inputs.push_back(std::move(device));
    }
    for (const auto& port : of->outputs()) job.outputs.emplace_back(port.buffer_bytes);
    Status status = session->run(job);
    EDGETWIN_TRY(bus.verdict());
    EDGETWIN_TRY(std::move(status));
    std::vector<Bytes> outputs;
    for (size_t i = 0; i < of->outputs().size(); ++i) {
      outputs.push_back(of->to_host(i, job.outputs[i]));
    }
    return outputs;
  }
};

// The tensors of the source at the borders of what the chip computes, by the twin.
struct Twin {
  std::vector<Bytes> inputs, outputs;
};

Result<Twin> twin(const std::shared_ptr<const Graph>& graph, const DeviceModel& model,
                  uint32_t seed) {
  exec::Options options;
  options.numerics = "edgetpu";
  options.keep_all = true;
  EDGETWIN_TRY_ASSIGN(exec::Session session, exec::Session::create(graph, options));
  for (size_t i = 0; i < graph->inputs.size(); ++i) {
    const auto size = static_cast<size_t>(session.tensor(graph->inputs[i]).data.size());
    EDGETWIN_TRY(session.set_input(i, random_bytes(size, seed + static_cast<uint32_t>(i))));
  }
  session.reset_variables();
  EDGETWIN_TRY(session.run());
  const auto take = [&](const std::vector<edgetpu::LayerPort>& ports, std::vector<Bytes>& to) {
    for (const edgetpu::LayerPort& port : ports) {
      for (size_t v = 0; v < graph->values.size(); ++v) {
        if (graph->values[v].name != port.name) continue;
        to.push_back(to_bytes(session.bytes(static_cast<ValueId>(v))));
        break;
      }
    }
  };
  Twin t;
  take(model.inputs(), t.inputs);
  take(model.outputs(), t.outputs);
  return t;
}

// The source has an operator that the twin refuses: there is nothing to compare with.
bool not_computed(const Result<Twin>& t) {
  return !t.ok() && t.error().code == ErrorCode::op_unsupported;
}

TEST(EdgetpuStick, EveryPairGivesTheBytesOfTheTwin) {
  NEED_MODELS();
  size_t equal = 0;
  for (const EdgetpuPair& pair : edgetpu_pairs()) {
    const std::string name = pair.compiled.filename().string();
    SCOPED_TRACE(name);
    Bench bench;
    const Status opened = bench.open(pair);
    // Its transfers are not announced, by which the graph's inputs and outputs would be found.
    if (name.starts_with("keras_lstm_mnist")) continue;
    ASSERT_TRUE(opened.ok()) << to_text(opened.error());
    const auto graph = load_graph(pair.source);
    ASSERT_TRUE(graph.ok());
    const auto expected = twin(*graph, *bench.model, 7);
    if (not_computed(expected)) continue;
    ASSERT_TRUE(expected.ok()) << to_text(expected.error());
    const auto got = bench.run(bench.model, expected->inputs);
    ASSERT_TRUE(got.ok()) << to_text(got.error());
    ASSERT_EQ(got->size(), expected->outputs.size());
    for (size_t i = 0; i < got->size(); ++i) {
      EXPECT_TRUE((*got)[i] == expected->outputs[i]) << bench.model->outputs()[i].name;
    }
    EXPECT_TRUE(bench.bus.stick().findings().empty())
        << bench.bus.stick().findings().front().message;
    ++equal;
  }
  EXPECT_GT(equal, 40U);
}

// Nothing but the instructions and the uploaded bytes tell the device what to compute. The largest
// networks are left to the tests of the machine itself.
TEST(EdgetpuStick, TheInstructionsGiveTheBytesOfTheTwin) {
  NEED_MODELS();
  size_t equal = 0;
  for (const EdgetpuPair& pair : edgetpu_pairs()) {
    const std::string name = pair.compiled.filename().string();
    constexpr size_t kLarge = 2'000'000;
    if (name.starts_with("keras_lstm_mnist") || fs::file_size(pair.compiled) > kLarge) continue;
    SCOPED_TRACE(name);
    Bench bench;
    const Status opened = bench.open(pair, false);
    ASSERT_TRUE(opened.ok()) << to_text(opened.error());
    const auto graph = load_graph(pair.source);
    ASSERT_TRUE(graph.ok());
    const auto expected = twin(*graph, *bench.model, 7);
    if (not_computed(expected)) continue;
    ASSERT_TRUE(expected.ok()) << to_text(expected.error());
    const auto got = bench.run(bench.model, expected->inputs);
    ASSERT_TRUE(got.ok()) << to_text(got.error());
    for (size_t i = 0; i < got->size(); ++i) {
      EXPECT_TRUE((*got)[i] == expected->outputs[i]) << bench.model->outputs()[i].name;
    }
    ++equal;
  }
  EXPECT_GT(equal, 15U);
}

// Every weight and bias of a network becomes another one; the blob is made from them by the rules
// of the layout, and nothing but the blob tells the stick.
struct Changed {
  std::shared_ptr<const Graph> graph;
  Bytes parameters;
  size_t layers = 0;
};

Result<Changed> change_weights(const EdgetpuPair& pair, uint32_t seed) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, load_compiled(pair.compiled));
  EDGETWIN_TRY_ASSIGN(const auto graph, load_graph(pair.source));
  const edgetpu::Located located = edgetpu::locate(file, *graph);
  Graph other = *graph;
  Changed changed;
  size_t blob = 0;
  while (located.blobs[blob].type != darwinn::ExecutableType::parameter_caching) ++blob;
  changed.parameters = to_bytes(located.blobs[blob].bytes);
  XorShift32 rng(seed);
  for (const edgetpu::Piece& p : located.pieces) {
    if (p.kind != edgetpu::PieceKind::layer || p.blob != blob) continue;
    const edgetpu::ReferenceLayer& l = located.layers[p.layer];
    edgetpu::BlockContent content = l.content;
    content.scales = l.effective_scales(p.output_scale > 0 ? p.output_scale : l.output_scales[0]);
    for (std::byte& b : content.weights) b ^= static_cast<std::byte>(rng.byte() & 0x1fU);
    for (int32_t& b : content.bias) b += static_cast<int32_t>(rng.next() % 64);
    const Bytes block = write_block(p.shape, content);
    std::copy(block.begin(), block.end(),
              changed.parameters.begin() + static_cast<std::ptrdiff_t>(p.offset));
    const Op& op = graph->ops[l.op];
    other.value(op.inputs[1]).constant =
        std::make_shared<const Bytes>(to_model_order(l, content.weights));
    if (p.shape.has_bias) {
      other.value(op.inputs[2]).constant =
          std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(content.bias))));
    }
    ++changed.layers;
  }
  changed.graph = std::make_shared<const Graph>(std::move(other));
  return changed;
}

TEST(EdgetpuStick, OtherWeightsInEveryLayerOfEveryModel) {
  NEED_MODELS();
  size_t layers = 0;
  for (const EdgetpuPair& pair : edgetpu_pairs()) {
    const std::string name = pair.compiled.filename().string();
    // Drivers over USB do not run it.
    if (name.starts_with("keras_lstm")) continue;
    // One of each family is enough.
    if (name.starts_with("color") && !name.starts_with("color_red")) continue;
    SCOPED_TRACE(name);
    const auto changed = change_weights(pair, 5);
    ASSERT_TRUE(changed.ok()) << to_text(changed.error());
    Bench bench;
    const Status opened = bench.open(pair);
    ASSERT_TRUE(opened.ok()) << to_text(opened.error());
    const auto other = bench.model->with_parameters(changed->parameters);
    ASSERT_TRUE(other.ok()) << to_text(other.error());
    const auto expected = twin(changed->graph, *bench.model, 21);
    if (not_computed(expected)) continue;
    ASSERT_TRUE(expected.ok()) << to_text(expected.error());
    const auto got = bench.run(*other, expected->inputs);
    ASSERT_TRUE(got.ok()) << to_text(got.error());
    for (size_t i = 0; i < got->size(); ++i) {
      EXPECT_TRUE((*got)[i] == expected->outputs[i]) << bench.model->outputs()[i].name;
    }
    layers += changed->layers;
  }
  EXPECT_GT(layers, 150U);
}

EdgetpuPair dense_256() {
  const fs::path folder = edgetpu_models() / "libredgetpu";
  return {folder / "dense_256_edgetpu.tflite", folder / "dense_256.tflite"};
}

constexpr size_t kSide = 256;
constexpr std::byte kZero{128};  // of weights

// Dense 256 with other weights: int8 in rows of outputs, put where the chip looks for them.
class WeightProbe : public ::testing::Test {
 protected:
  void SetUp() override {
    NEED_MODELS();
    pair_ = dense_256();
    const Status opened = bench_.open(pair_);
    ASSERT_TRUE(opened.ok()) << to_text(opened.error());
    const auto file = load_compiled(pair_.compiled);
    const auto graph = load_graph(pair_.source);
    ASSERT_TRUE(file.ok() && graph.ok());
    const auto located = edgetpu::locate(*file, **graph);
    ASSERT_EQ(located.pieces.size(), 1U);
    shape_ = located.pieces[0].shape;
    const auto content = edgetpu::content_of(located, 0);
    ASSERT_TRUE(content.ok());
    content_ = *content;
    zero_in_ = bench_.model->inputs()[0].zero_point;
    zero_out_ = bench_.model->outputs()[0].zero_point;
    // One multiplier for all, so that outputs can be compared; a power of two is exact.
    std::fill(content_.scales.begin(), content_.scales.end(), kMultiplier);
  }

  Result<Bytes> run(const Bytes& weights, const Bytes& input) {
    edgetpu::BlockContent content = content_;
    content.weights = weights;
    EDGETWIN_TRY_ASSIGN(const auto model,
                        bench_.model->with_parameters(write_block(shape_, content)));
    EDGETWIN_TRY_ASSIGN(std::vector<Bytes> outputs, bench_.run(model, {input}));
    return std::move(outputs[0]);
  }

  Bytes nothing() const { return Bytes(kSide, static_cast<std::byte>(zero_in_)); }
  std::byte in(int value) const { return static_cast<std::byte>(zero_in_ + value); }
  std::byte out(int value) const { return static_cast<std::byte>(zero_out_ + value); }

  static constexpr float kMultiplier = 1.0F / 128;
  int zero_in_ = 0, zero_out_ = 0;
  EdgetpuPair pair_;
  Bench bench_;
  edgetpu::BlockShape shape_;
  edgetpu::BlockContent content_;
};

// A single weight in row and column: the output of the row follows the input of the column.
TEST_F(WeightProbe, OneWeightMovesOneOutput) {
  XorShift32 rng(3);
  Bytes weights(kSide * kSide, kZero);
  for (int i = 0; i < 500; ++i) {
    const size_t row = rng.next() % kSide;
    const size_t column = rng.next() % kSide;
    weights[row * kSide + column] = std::byte{255};
    Bytes input = nothing();
    input[column] = in(100);
    const auto output = run(weights, input);
    ASSERT_TRUE(output.ok()) << to_text(output.error());
    Bytes expected(kSide, out(0));
    // 100 * 127 / 128 = 99.2
    expected[row] = out(99);
    ASSERT_TRUE(*output == expected) << row << " " << column;
    weights[row * kSide + column] = kZero;
  }
}

TEST_F(WeightProbe, AByteSweepIsAnsweredLinearly) {
  Bytes input = nothing();
  input[17] = in(64);
  for (int byte = 255; byte >= 0; byte = byte == 255 ? 224 : byte - 32) {
    Bytes weights(kSide * kSide, kZero);
    weights[5 * kSide + 17] = static_cast<std::byte>(byte);
    const auto output = run(weights, input);
    ASSERT_TRUE(output.ok()) << to_text(output.error());
    // 64 / 128 of the weight; of 255 the half is 63.5, rounded to even.
    EXPECT_EQ((*output)[5], out(byte == 255 ? 64 : (byte - 128) / 2)) << byte;
  }
}

TEST_F(WeightProbe, ShiftMatricesRotateTheInput) {
  Bytes input = nothing();
  XorShift32 rng(11);
  for (std::byte& b : input) b = in(static_cast<int>(rng.next() % 200) - 100);
  for (const size_t shift : {size_t{1}, kSide - 1}) {
    // 64 times a multiplier of 1 / 64.
    std::fill(content_.scales.begin(), content_.scales.end(), 1.0F / 64);
    Bytes weights(kSide * kSide, kZero);
    for (size_t row = 0; row < kSide; ++row) {
      weights[row * kSide + (row + kSide - shift) % kSide] = std::byte{128 + 64};
    }
    const auto output = run(weights, input);
    ASSERT_TRUE(output.ok()) << to_text(output.error());
    for (size_t row = 0; row < kSide; ++row) {
      const std::byte from = input[(row + kSide - shift) % kSide];
      ASSERT_EQ((*output)[row], out(std::to_integer<int>(from) - zero_in_)) << row;
    }
  }
}

}  // namespace
}  // namespace edgetwin::golden
