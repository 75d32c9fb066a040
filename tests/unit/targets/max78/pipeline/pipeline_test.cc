// Files to results: a network loaded from bytes, computed by the twin and by the machine.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/project/project.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {
namespace {

constexpr const char* kDescription = R"(arch: test
dataset: x
layers:
  - name: first
    op: conv2d
    kernel_size: 3x3
    pad: 1
    processors: 0x3
    out_offset: 0x2000
    activate: ReLU
  - op: conv2d
    max_pool: 2
    pool_stride: 2
    kernel_size: 3x3
    pad: 1
    processors: 0xf
    output_processors: 0x7
    out_offset: 0
    output_width: 32
    activate: None
)";

Bytes weights() {
  XorShift32 random(7);
  Bytes all;
  for (const Shape& shape : {Shape{4, 2, 3, 3}, Shape{3, 4, 3, 3}}) {
    auto t = Tensor::zeros(DType::int8, shape);
    for (std::byte& b : t->data) b = static_cast<std::byte>(random.byte());
    const auto npy = write_npy(*t);
    all.insert(all.end(), npy->begin(), npy->end());
  }
  return all;
}

Bytes text_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

NetworkSources sources() {
  NetworkSources s;
  s.device = Device::max78000;
  s.description = Source::bytes("net.yaml", text_bytes(kDescription));
  s.weights = Source::bytes("weights.npy", weights());
  s.shape = SampleShape{2, 6, 8};
  s.sample_seed = 3;
  return s;
}

void expect_equal(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_TRUE(a.data == b.data);
}

TEST(Max78Pipeline, TwinAndMachineAgreeOnEveryInput) {
  const Loading loading = load_network(sources());
  ASSERT_TRUE(loading.ok());
  const LoadedNetwork& network = *loading.network;
  EXPECT_EQ(network.sample.shape, (Shape{2, 6, 8}));
  EXPECT_EQ(result_name(network, 0), "layer 0 'first'");
  for (const uint32_t seed : {3U, 4U}) {
    const Tensor input = generated_input({2, 6, 8}, seed);
    const auto twin = simulate(network, input);
    ASSERT_TRUE(twin.ok()) << to_text(twin.error());
    const auto machine = run_machine(network, input);
    ASSERT_TRUE(machine.ok()) << to_text(machine.error());
    ASSERT_EQ(twin->outputs.size(), 1U);
    ASSERT_EQ(machine->outputs.size(), 1U);
    EXPECT_EQ(twin->outputs[0].dtype, DType::int32);
    expect_equal(machine->outputs[0], twin->outputs[0]);
    ASSERT_EQ(twin->layers.size(), 2U);
    ASSERT_EQ(machine->layers.size(), 2U);
    for (size_t i = 0; i < 2; ++i) expect_equal(machine->layers[i].out, twin->layers[i].out);
    EXPECT_EQ(machine->layers_done, 2);
  }
}

TEST(Max78Pipeline, InputsDiffer) {
  const Loading loading = load_network(sources());
  ASSERT_TRUE(loading.ok());
  const auto a = run_machine(*loading.network, generated_input({2, 6, 8}, 3));
  const auto b = run_machine(*loading.network, generated_input({2, 6, 8}, 4));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_FALSE(a->outputs[0].data == b->outputs[0].data);
}

TEST(Max78Pipeline, CompilesToTextAndProject) {
  const Loading loading = load_network(sources());
  ASSERT_TRUE(loading.ok());
  const auto compiled = compile(*loading.network);
  ASSERT_TRUE(compiled.ok()) << to_text(compiled.error());
  ASSERT_NE(compiled->program.find("cnn_load_weights"), nullptr);
  EXPECT_EQ(compiled->program.find("cnn_load_weight"), nullptr);
  EXPECT_FALSE(compiled->expected.empty());
  const auto files = make_project(loading.network->plan(), *compiled, {});
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files->size(), 10U);
  // The machine agrees with the known answer that the project has.
  const auto program = as_text(compiled->program, Device::max78000);
  Machine machine(Device::max78000);
  ASSERT_TRUE(play(program, machine).ok());
  EXPECT_TRUE(compare(machine, compiled->expected).equal());
  // A program without its functions makes no project.
  CompiledNetwork empty;
  EXPECT_FALSE(make_project(loading.network->plan(), empty, {}).ok());
}

TEST(Max78Pipeline, SaysWhichStepStopped) {
  NetworkSources s = sources();
  s.description = Source::bytes("net.yaml", text_bytes("arch: test\nlayers: 3\n"));
  Loading l = load_network(s);
  EXPECT_FALSE(l.ok());
  EXPECT_FALSE(l.failure);
  EXPECT_EQ(l.step, LoadStep::description);
  EXPECT_EQ(l.network, nullptr);
  s = sources();
  s.weights = Source();
  l = load_network(s);
  ASSERT_TRUE(l.failure);
  EXPECT_EQ(l.failure->code, ErrorCode::usage);
  EXPECT_EQ(l.step, LoadStep::parameters);
  s = sources();
  s.sample_seed.reset();
  l = load_network(s);
  ASSERT_TRUE(l.failure);
  EXPECT_EQ(l.failure->code, ErrorCode::input_missing);
  EXPECT_EQ(l.step, LoadStep::input);
  // Its size is enough for what only judges.
  EXPECT_TRUE(load_network(s, SampleNeed::size_only).ok());
  s = sources();
  s.shape = SampleShape{3, 6, 8};
  l = load_network(s);
  EXPECT_FALSE(l.ok());
  EXPECT_EQ(l.step, LoadStep::plan);
  EXPECT_NE(l.network, nullptr);
  EXPECT_TRUE(has_errors(l.findings));
}

TEST(Max78Pipeline, RefusesAProgramOfTheOtherDevice) {
  const Loading loading = load_network(sources());
  ASSERT_TRUE(loading.ok());
  ProgramText program;
  program.device = Device::max78002;
  const auto run = run_machine(*loading.network, program);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::max78_program_text);
}

}  // namespace
}  // namespace edgetwin::max78
