// Layers whose sums binary32 could round: their quantized forward pass equals the chip's integers.
#include "train/layers/exact_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "noise_run.h"
#include "train/engine/fast.h"
#include "train/layers/integer.h"
#include "train/layers/stages.h"
#include "train/layers/weights.h"
#include "train/run/run.h"
#include "train/run/setup.h"
#include "train/run/twin.h"

namespace edgetwin::train {
namespace {

constexpr int kChannels = 512, kOutputs = 32;

int between(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<uint64_t>(high - low + 1)));
}

// Opposite taps cancel each other in the middle of a picture, whose channels are constant: the sum
// is small there, and its parts are beyond 2^24.
struct CancellingLayer {
  LayerSpec spec;
  LayerParameters parameters;
  LayerQuantization quantization{.output_shift = 0};
  IntMaps integers{2, 3, 3, kChannels};
  Maps input{2, 3, 3, kChannels};

  explicit CancellingLayer(bool wide, bool transposed = false) {
    Random random(5, Purpose::weights);
    spec.op = transposed ? ai8x::Operator::conv_transpose2d : ai8x::Operator::conv2d;
    spec.wide = wide;
    Window& v = spec.window;
    v.kernel = {3, 3};
    v.pad = {1, 1};
    v.first = transposed ? kChannels : kOutputs;
    v.second = transposed ? kOutputs : kChannels;
    parameters.weights.resize(v.weights());
    for (size_t row = 0; row < v.weights() / 9; ++row) {
      float* w = parameters.weights.data() + row * 9;
      for (int t = 0; t < 4; ++t) {
        w[t] = static_cast<float>(between(random, 110, 127)) / 128;
        w[8 - t] = -w[t];
      }
      w[4] = static_cast<float>(between(random, -1, 1)) / 128;
    }
    for (int f = 0; f < kOutputs; ++f) {
      parameters.bias.push_back(static_cast<float>(between(random, -8, 8)) / 128);
    }
    for (int item = 0; item < 2; ++item) {
      for (int c = 0; c < kChannels; ++c) {
        const int level = between(random, 100, 127);
        for (int p = 0; p < 9; ++p) integers.at(item, p / 3, p % 3)[c] = level;
      }
    }
    for (size_t i = 0; i < input.values.size(); ++i) {
      input.values[i] = static_cast<float>(integers.values[i]) / kGrid;
    }
  }

  WeightScale scale() const {
    return weight_scale(parameters.weights, parameters.bias, quantization);
  }
  IntMaps of_chip(ThreadPool& pool) const {
    const IntMaps* source = &integers;
    return integer_forward(spec, std::span(&source, 1),
                           {.weights = quantized_integers(parameters.weights, scale()),
                            .bias = quantized_integers(parameters.bias, scale()),
                            .shift = chip_shift(scale(), quantization),
                            .bits = quantization.bits},
                           pool);
  }
  Maps trained(Tape& tape, ThreadPool& pool) {
    const Maps* source = &input;
    return forward(spec, std::span(&source, 1), parameters,
                   {.quantization = quantization, .training = false}, tape, pool);
  }
  // Without digits, whatever the sums are.
  Maps in_binary32(Tape& tape, ThreadPool& pool) const {
    tape.phase = {.quantization = quantization, .training = false};
    tape.scale = scale();
    tape.weights = quantized(parameters.weights, scale());
    tape.bias = quantized(parameters.bias, scale());
    const ItemHook finish = [&](Maps& maps, int first, int last) {
      output_stage(spec, tape.phase, output_scale(spec, tape), maps, tape.mask, first, last);
    };
    tape.mask = Mask(static_cast<size_t>(integers.n * 9 * kOutputs));
    return spec.transposed()
               ? scatter(input, tape.weights, tape.bias, spec.window, {3, 3}, pool, finish)
               : gather(input, tape.weights, tape.bias, spec.window, pool, finish);
  }
};

std::vector<float> reals(const IntMaps& integers, float unit) {
  std::vector<float> result;
  for (const int32_t v : integers.values) result.push_back(static_cast<float>(v) / unit);
  return result;
}

std::vector<float> values(const Maps& maps) { return {maps.values.begin(), maps.values.end()}; }

TEST(TrainExactSums, ALayerBeyondTheLimitEqualsTheChip) {
  ThreadPool pool(2);
  for (const bool transposed : {false, true}) {
    CancellingLayer layer(false, transposed);
    const std::vector<float> chip = reals(layer.of_chip(pool), kGrid);
    Tape tape, plain;
    EXPECT_EQ(values(layer.trained(tape, pool)), chip) << transposed;
    EXPECT_TRUE(can_round(layer.spec, layer.input, tape));
    EXPECT_TRUE(tape.sums.values.empty());
    // What the digits are for.
    EXPECT_NE(values(layer.in_binary32(plain, pool)), chip) << transposed;
    use_plain_loops(true);
    Tape slow;
    EXPECT_EQ(values(layer.trained(slow, pool)), chip) << transposed;
    EXPECT_EQ(slow.mask, tape.mask);
    use_plain_loops(false);
  }
}

TEST(TrainExactSums, WideSumsKeepTheirIntegers) {
  ThreadPool pool(1);
  CancellingLayer layer(true);
  const IntMaps chip = layer.of_chip(pool);
  Tape tape;
  // The output is one rounding of the integers.
  EXPECT_EQ(values(layer.trained(tape, pool)), reals(chip, 128 * 128));
  EXPECT_EQ(tape.sums.values, chip.values);
  const auto beyond = [](int32_t v) { return static_cast<int32_t>(static_cast<float>(v)) != v; };
  EXPECT_TRUE(std::any_of(chip.values.begin(), chip.values.end(), beyond));
}

// Each output reads `count` weights of 128, one of which is 127; with a bias of 1 their magnitudes
// are 128 times `count`.
void fill(CancellingLayer& layer, std::ptrdiff_t count) {
  constexpr std::ptrdiff_t kRow = std::ptrdiff_t{kChannels} * 9;
  for (int f = 0; f < kOutputs; ++f) {
    const auto at = layer.parameters.weights.begin() + f * kRow;
    for (std::ptrdiff_t i = 0; i < kRow; ++i) at[i] = i < count ? -1.0F : 0.0F;
    at[f] = -127.0F / 128;
    layer.parameters.bias[static_cast<size_t>(f)] = 1.0F / 128;
  }
  for (size_t i = 0; i < layer.input.values.size(); ++i) {
    layer.integers.values[i] = i % 7 == 0 ? 127 : static_cast<int32_t>(i % 3) - 128;
    layer.input.values[i] = static_cast<float>(layer.integers.values[i]) / kGrid;
  }
}

TEST(TrainExactSums, BothWaysAgreeAtTheLimit) {
  ThreadPool pool(1);
  for (const bool wide : {false, true}) {
    CancellingLayer layer(wide);
    layer.spec.activation = wide ? ai8x::Activation::none : ai8x::Activation::abs;
    const float unit = wide ? 128 * 128 : 128;
    fill(layer, wide ? 512 : 1024);
    Tape tape, plain;
    const std::vector<float> trained = values(layer.trained(tape, pool));
    EXPECT_EQ(largest_magnitudes(layer.spec, tape.weights, tape.bias, 128), exact_magnitudes(wide));
    EXPECT_FALSE(can_round(layer.spec, layer.input, tape));
    EXPECT_EQ(trained, reals(layer.of_chip(pool), unit));
    EXPECT_EQ(values(layer.in_binary32(plain, pool)), trained);
    const Maps digits = forward_by_digits(layer.spec, layer.input, {3, 3}, 1, tape, pool);
    EXPECT_EQ(values(digits), trained);
    EXPECT_EQ(tape.mask, plain.mask);
    layer.parameters.bias[0] = 2.0F / 128;
    EXPECT_EQ(values(layer.trained(tape, pool)), reals(layer.of_chip(pool), unit));
    EXPECT_TRUE(can_round(layer.spec, layer.input, tape));
    // Not on the grid: there are no integers.
    layer.input.values[0] = 0.3F;
    EXPECT_FALSE(can_round(layer.spec, layer.input, tape));
  }
}

// Sums from 2^23 to 2^24 are exact in binary32, and half of one more is not: odd ones were rounded.
TEST(TrainExactSums, WideSumsAreNotRoundedUp) {
  ThreadPool pool(1);
  CancellingLayer layer(true);
  fill(layer, 1024);
  Tape tape, plain;
  const IntMaps chip = layer.of_chip(pool);
  EXPECT_LE(*std::max_element(chip.values.begin(), chip.values.end()), 1 << 24);
  EXPECT_EQ(values(layer.trained(tape, pool)), reals(chip, 128 * 128));
  EXPECT_NE(values(layer.in_binary32(plain, pool)), reals(chip, 128 * 128));
}

// Of 18,432 weights of 8 each the sum of a digit to the base 16 could be rounded too.
TEST(TrainExactSums, ManyProductsHaveMoreDigits) {
  ThreadPool pool(1);
  LayerSpec spec;
  spec.op = ai8x::Operator::linear;
  spec.wide = true;
  spec.window.first = 2;
  spec.window.second = 18'432;
  LayerParameters parameters;
  parameters.weights.assign(spec.window.weights(), 8.0F / 128);
  parameters.weights[1] = 7.0F / 128;
  parameters.weights[18'432] = -1;
  IntMaps integers(1, 1, 1, 18'432);
  Maps input(1, 1, 1, 18'432);
  for (size_t i = 0; i < integers.values.size(); ++i) {
    integers.values[i] = i % 5 == 0 ? 126 : 127;
    input.values[i] = static_cast<float>(integers.values[i]) / kGrid;
  }
  const LayerQuantization quantization{.output_shift = 0};
  const Maps* source = &input;
  Tape tape;
  forward(spec, std::span(&source, 1), parameters,
          {.quantization = quantization, .training = false}, tape, pool);
  const IntMaps* whole = &integers;
  const WeightScale scale = weight_scale(parameters.weights, {}, quantization);
  const IntMaps chip = integer_forward(
      spec, std::span(&whole, 1),
      {.weights = quantized_integers(parameters.weights, scale), .bias = {}, .shift = 0}, pool);
  EXPECT_GT(chip.values[0], 1 << 24);
  EXPECT_EQ(tape.sums.values, chip.values);
}

constexpr const char* kLargeNetwork = R"(arch: large
dataset: noise
layers:
  - name: conv1
    processors: 0x1
    data_format: CHW
    op: conv2d
    kernel_size: 3x3
    pad: 0
    activate: ReLU
    out_channels: 64
    out_offset: 0x2000
  - name: conv2
    processors: 0xffffffffffffffff
    op: conv2d
    kernel_size: 3x3
    pad: 1
    max_pool: 2
    pool_stride: 2
    activate: ReLU
    out_channels: 128
    out_offset: 0
  - name: conv3
    processors: 0xffffffffffffffff
    op: conv2d
    kernel_size: 3x3
    pad: 0
    out_channels: 4
    output_width: 32
    out_offset: 0x2000
)";

// Every output of the last layer is beyond 2^24, some are odd: the comparison is of integers.
TEST(TrainExactSums, TheTwinIsComparedWithWholeIntegers) {
  const TestFolder folder;
  write_all(folder);
  ASSERT_TRUE(
      write_file(folder / "net.yaml", as_byte_span(std::string(kLargeNetwork)), Overwrite::yes)
          .ok());
  RunSettings s = run_settings(folder, "a", 1);
  s.norm = NormKind::none;
  s.overrides.clear();
  auto setup = set_up(s);
  ASSERT_TRUE(setup.ok()) << to_text(setup.error());
  Random random(3, Purpose::weights);
  for (LayerParameters& p : setup->model.parameters) {
    for (float& w : p.weights) w = static_cast<float>(between(random, 122, 127)) / 128;
    for (float& b : p.bias) b = static_cast<float>(between(random, 122, 127)) / 128;
  }
  start_quantization(setup->model);
  const auto quantized = quantized_checkpoint(setup->network, setup->model);
  ASSERT_TRUE(quantized.ok()) << to_text(quantized.error());
  ThreadPool pool(1);
  std::vector<float> real;
  std::vector<int32_t> sums;
  evaluate(setup->model, setup->objective, setup->data.test, all_indices(setup->data.test.items()),
           pool, [&](const Maps& some, const IntMaps& exact) {
             for (const float v : to_planes(some)) real.push_back(v);
             for (const int32_t v : to_planes(exact)) sums.push_back(v);
           });
  ASSERT_EQ(sums.size(), real.size());
  EXPECT_TRUE(
      std::any_of(sums.begin(), sums.end(), [](int32_t v) { return v > 1 << 24 && v % 2; }));
  const auto compared =
      compare_with_twin(s, *setup, setup->model, *quantized, {.real = real, .sums = sums});
  ASSERT_TRUE(compared.ok()) << to_text(compared.error());
  EXPECT_EQ(compared->equal, 30);
  // One unit of 2^25 is seen.
  sums.back() += 1;
  const auto other =
      compare_with_twin(s, *setup, setup->model, *quantized, {.real = real, .sums = sums});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().id(), "TRAIN-RUN-02");
}

}  // namespace
}  // namespace edgetwin::train
