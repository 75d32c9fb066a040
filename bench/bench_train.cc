// Steps of training beside the same arithmetic on PyTorch (train_peer.py), in one run and in turns:
// bench_train [PYTHON [SECONDS [NETWORK]]]. PYTHON is an interpreter that has PyTorch; without one,
// or where it lacks PyTorch, our own numbers stand alone. NETWORK is a part of the name of the only
// one to measure.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "train/engine/fast.h"
#include "train/engine/memory.h"
#include "train/losses/losses.h"
#include "train/math/random.h"
#include "train/network/model.h"
#include "train/network/parameters.h"
#include "train/optim/optimizer.h"

namespace edgetwin::train {
namespace {

constexpr int kItems = 256, kRounds = 3;

struct BenchLayer {
  const char* op;
  int in, out, kernel, pad;
  char pool;  // m: largest, a: mean, n: none
  int size;
};

struct BenchNetwork {
  const char* name;
  MapShape input;
  std::vector<BenchLayer> layers;
};

const BenchNetwork kNetworks[] = {
    {"ai85net5",
     {1, {28, 28}},
     {{"conv2d", 1, 60, 3, 1, 'n', 0},
      {"conv2d", 60, 60, 3, 2, 'm', 2},
      {"conv2d", 60, 56, 3, 1, 'm', 2},
      {"conv2d", 56, 12, 3, 1, 'a', 2},
      {"linear", 192, 10, 1, 0, 'n', 0}}},
    {"cats-dogs 64",
     {3, {64, 64}},
     {{"conv2d", 3, 16, 3, 1, 'n', 0},
      {"conv2d", 16, 32, 3, 1, 'm', 2},
      {"conv2d", 32, 64, 3, 1, 'm', 2},
      {"conv2d", 64, 32, 3, 1, 'm', 2},
      {"conv2d", 32, 32, 3, 1, 'm', 2},
      {"conv2d", 32, 16, 3, 1, 'n', 0},
      {"linear", 256, 2, 1, 0, 'n', 0}}},
    {"kws20",
     {128, {128, 1}},
     {{"conv1d", 128, 100, 1, 0, 'n', 0},
      {"conv1d", 100, 96, 3, 0, 'n', 0},
      {"conv1d", 96, 64, 3, 1, 'm', 2},
      {"conv1d", 64, 48, 3, 0, 'n', 0},
      {"conv1d", 48, 64, 3, 1, 'm', 2},
      {"conv1d", 64, 96, 3, 0, 'n', 0},
      {"conv1d", 96, 100, 3, 1, 'a', 2},
      {"conv1d", 100, 64, 6, 1, 'm', 2},
      {"linear", 256, 21, 1, 0, 'n', 0}}},
};

Network network_of(const BenchNetwork& bench) {
  Network network;
  network.input = bench.input;
  MapShape shape = bench.input;
  for (const BenchLayer& l : bench.layers) {
    NetworkLayer layer;
    layer.name = "layer" + std::to_string(network.layers.size());
    layer.sources = {static_cast<int>(network.layers.size()) - 1};
    const bool flat = l.op == std::string("linear");
    const bool row = l.op == std::string("conv1d");
    LayerSpec& spec = layer.spec;
    spec.op = flat ? ai8x::Operator::linear : row ? ai8x::Operator::conv1d : ai8x::Operator::conv2d;
    if (l.pool != 'n') {
      spec.pooling = l.pool == 'm' ? ai8x::Pooling::max : ai8x::Pooling::average;
      spec.pool.size = spec.pool.stride = {l.size, row ? 1 : l.size};
    }
    spec.flatten = flat;
    spec.window.kernel = {l.kernel, row ? 1 : l.kernel};
    spec.window.pad = {l.pad, row ? 0 : l.pad};
    spec.window.first = l.out;
    spec.window.second = l.in;
    spec.wide = &l == &bench.layers.back();
    if (!spec.wide) spec.activation = ai8x::Activation::relu;
    layer.is_output = spec.wide;
    layer.input = shape;
    shape = {l.out, spec.output_of(shape.size)};
    layer.output = shape;
    network.layers.push_back(layer);
  }
  return network;
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Rates {
  double processor = 0, clock = 0;  // items per second
};

class Steps {
 public:
  Steps(const BenchNetwork& bench, bool quantized, int threads) : pool_(threads) {
    model_.network = network_of(bench);
    initialize(model_, 1);
    model_.quantized = quantized;
    const MapShape& in = bench.input;
    input_ = Maps(kItems, in.size.h, in.size.w, in.c);
    Random random(1, Purpose::augmentation);
    for (float& v : input_.values) v = static_cast<float>(random.below(256)) / 128 - 1;
    const auto classes = static_cast<uint64_t>(bench.layers.back().out);
    for (int i = 0; i < kItems; ++i) {
      labels_.push_back(static_cast<int64_t>(random.below(classes)));
    }
  }

  // After a first step that warms up, at least this long.
  Rates run(double seconds) {
    step();
    const auto begun = std::chrono::steady_clock::now();
    const double processor = processor_seconds();
    std::chrono::duration<double> passed{};
    double items = 0;
    while (passed.count() < seconds) {
      step();
      items += kItems;
      passed = std::chrono::steady_clock::now() - begun;
    }
    return {items / (processor_seconds() - processor), items / passed.count()};
  }

 private:
  void step() {
    Recording recording;
    forward(model_, input_, true, recording, pool_);
    const size_t last = model_.network.layers.size() - 1;
    Loss loss = cross_entropy(recording.outputs[last], labels_);
    std::vector<std::pair<size_t, Maps>> gradients;
    gradients.emplace_back(last, std::move(loss.gradient));
    const auto own = backward(model_, recording, std::move(gradients), pool_);
    for_each_parameter(model_, &own, [&](const ParameterRef& p) {
      optimizer_.step(p.name, *p.values, *p.gradient);
    });
  }

  ThreadPool pool_;
  Model model_;
  Optimizer optimizer_{{.kind = OptimizerKind::sgd, .rate = 0.05}};
  Maps input_;
  std::vector<int64_t> labels_;
};

// Nothing where the interpreter or its PyTorch is missing.
std::optional<Rates> peer(const std::string& python, const BenchNetwork& bench, bool quantized,
                          int threads, int steps) {
  const MapShape& in = bench.input;
  std::string command =
      "OMP_NUM_THREADS=" + std::to_string(threads) + " '" + python + "' " EDGETWIN_TRAIN_PEER " " +
      (quantized ? "qat " : "float ") + std::to_string(kItems) + " " + std::to_string(steps) + " " +
      std::to_string(threads) + " " + std::to_string(in.c) + "x" + std::to_string(in.size.h);
  if (in.size.w > 1) command += "x" + std::to_string(in.size.w);
  for (const BenchLayer& l : bench.layers) {
    char text[96];
    std::snprintf(text, sizeof text, " %s:%d:%d:%d:%d:%c:%d", l.op, l.in, l.out, l.kernel, l.pad,
                  l.pool, l.size);
    command += text;
  }
  std::FILE* answer = popen((command + " 2>/dev/null").c_str(), "r");
  if (answer == nullptr) return std::nullopt;
  Rates rates;
  const bool read = std::fscanf(answer, "%lf %lf", &rates.processor, &rates.clock) == 2;
  pclose(answer);
  return read ? std::optional(rates) : std::nullopt;
}

double median_of(const std::vector<Rates>& all, double Rates::*what) {
  std::vector<double> values;
  for (const Rates& r : all) values.push_back(r.*what);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

Rates median_of(const std::vector<Rates>& all) {
  return {median_of(all, &Rates::processor), median_of(all, &Rates::clock)};
}

void measure(const BenchNetwork& bench, bool quantized, const std::string& python, double seconds) {
  std::vector<Rates> one, two, other;
  Steps alone(bench, quantized, 1), both(bench, quantized, 2);
  for (int round = 0; round < kRounds; ++round) {
    one.push_back(alone.run(seconds));
    two.push_back(both.run(seconds));
    const int steps = std::max(2, static_cast<int>(one.back().processor * seconds / kItems / 2));
    if (python.empty()) continue;
    if (const auto rates = peer(python, bench, quantized, 1, steps)) other.push_back(*rates);
  }
  const Rates own = median_of(one), threads = median_of(two);
  std::printf("%-13s %-5s %9.0f  %9.0f %5.2f", bench.name, quantized ? "qat" : "float",
              own.processor, threads.clock, threads.clock / own.clock);
  if (other.empty()) {
    std::printf("          -     -\n");
  } else {
    const Rates them = median_of(other);
    std::printf("  %9.0f %5.2f\n", them.processor, own.processor / them.processor);
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace edgetwin::train

int main(int argc, char** argv) {
  edgetwin::train::keep_freed_memory();  // as `train` does
  const std::string python = argc > 1 ? argv[1] : "python3";
  const double seconds = argc > 2 ? std::atof(argv[2]) : 4;
  std::printf(
      "items per second, batch 256: one thread (of processor), two threads (of the clock, times "
      "one), PyTorch (of processor, one thread), times PyTorch\n");
  const std::string only = argc > 3 ? argv[3] : "";
  for (const auto& network : edgetwin::train::kNetworks) {
    if (std::string(network.name).find(only) == std::string::npos) continue;
    edgetwin::train::measure(network, false, python, seconds);
    edgetwin::train::measure(network, true, python, seconds);
  }
  return 0;
}
