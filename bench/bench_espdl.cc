// Speed of the convolution kernels with the arithmetic of ESP-DL beside that of TensorFlow Lite, on
// the layers of MobileNetV2 and YOLO26n, in one run with one thread.
//
//   bench_espdl [--isa NAME] [--rounds N] [--layers]
//
// A layer of 16 bits is measured against the 8-bit one of the same shape. `lanes` are the
// saturating ones of 20 bits, in the same layers with 8 bits, and `plain` their definition.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "espdl_layers.h"
#include "kernels/i16/conv.h"
#include "kernels/lanes/conv.h"
#include "operands.h"

namespace edgetwin::bench {
namespace {

struct Options {
  kernels::Isa isa = kernels::best_isa();
  int rounds = 15;
  bool layers = false;
};

using Clock = std::chrono::steady_clock;

double seconds(const std::function<void()>& run, int repeats) {
  const auto start = Clock::now();
  for (int i = 0; i < repeats; ++i) run();
  return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
}

// Best time of each, sampled in turns.
std::vector<double> measure(const std::vector<std::function<void()>>& runs, int rounds) {
  std::vector<double> best;
  std::vector<int> repeats;
  for (const auto& run : runs) {
    run();
    best.push_back(seconds(run, 1));
    repeats.push_back(std::clamp(static_cast<int>(5e-4 / best.back()), 1, 1000));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      best[i] = std::min(best[i], seconds(runs[i], repeats[i]));
    }
  }
  return best;
}

// Operands with weights near zero more often than far from it, as those of networks are.
struct EspdlOperands {
  std::vector<int16_t> in, weights;
  std::vector<int8_t> in8, weights8;
  std::vector<int64_t> bias;
  std::vector<int32_t> bias8;
  std::vector<int> shifts, shifts8;

  explicit EspdlOperands(const ConvLayer& layer) {
    XorShift32 random(1);
    const auto word = [&] { return static_cast<int>(random.next() >> 16) - 32768; };
    for (std::size_t i = 0; i < layer.in_size(); ++i) {
      in.push_back(static_cast<int16_t>(word()));
      in8.push_back(static_cast<int8_t>(in.back() >> 8));
    }
    for (std::size_t i = 0; i < layer.weights_size(); ++i) {
      weights.push_back(static_cast<int16_t>((word() + word() + word()) / 3));
      weights8.push_back(static_cast<int8_t>(weights.back() >> 8));
    }
    const double taps = static_cast<double>(layer.weights_size()) / layer.window.out_c;
    const int growth = static_cast<int>(std::lround(std::log2(taps) / 2));
    for (int c = 0; c < layer.window.out_c; ++c) {
      bias8.push_back(static_cast<int32_t>(random.next() % 2000) - 1000);
      bias.push_back(int64_t{bias8.back()} << 16);
      shifts.push_back(13 + growth + c % 2);
      shifts8.push_back(5 + growth + c % 2);
    }
  }
};

struct Times {
  double macs = 0, affine = 0, shift = 0, lanes = 0, plain = 0;
  void add(const Times& t) {
    macs += t.macs;
    affine += t.affine;
    shift += t.shift;
    lanes += t.lanes;
    plain += t.plain;
  }
};

// Everything that is run for one layer.
class LayerRunner {
 public:
  LayerRunner(const EspdlLayer& what, const Options& options)
      : layer_(what.layer), affine_(what.layer, false), espdl_(what.layer), pool_(1) {
    using numerics::Rounding;
    add8(affine_.spec(layer_), affine_.in.data(), options.isa);
    if (what.wide) {
      add16(options.isa);
    } else {
      kernels::Conv8Spec spec = affine_.spec(layer_);
      spec.input_zero_point = 0;
      spec.weights = espdl_.weights8.data();
      spec.bias = espdl_.bias8.data();
      spec.shift_tail = kernels::ShiftTail{espdl_.shifts8, Rounding::half_even, -128, 127};
      add8(spec, espdl_.in8.data(), options.isa);
    }
    add_lanes(options.isa);
    add_lanes(kernels::Isa::plain);
  }

  Times measure(int rounds) {
    const std::vector<double> fast = bench::measure({runs_[0], runs_[1], runs_[2]}, rounds);
    return {layer_.macs(), fast[0], fast[1], fast[2], bench::measure({runs_[3]}, 0)[0]};
  }

 private:
  std::byte* scratch(std::size_t bytes) {
    scratches_.emplace_back(bytes);
    return scratches_.back().data();
  }
  std::shared_ptr<std::vector<int16_t>> output() const {
    return std::make_shared<std::vector<int16_t>>(layer_.out_size());
  }

  void add8(kernels::Conv8Spec spec, const void* in, kernels::Isa isa) {
    spec.isa = isa;
    const std::shared_ptr<kernels::PackedConv> conv = kernels::PackedConv::make(spec);
    runs_.push_back([=, this, out = output(), memory = scratch(conv->scratch_bytes(1))] {
      conv->run(in, out->data(), memory, pool_);
    });
  }
  void add16(kernels::Isa isa) {
    kernels::Conv16Spec spec;
    spec.window = layer_.window;
    spec.depthwise = layer_.depthwise;
    spec.weights = espdl_.weights.data();
    spec.bias = espdl_.bias.data();
    spec.tail = {espdl_.shifts, numerics::Rounding::half_even, -32768, 32767};
    spec.isa = isa;
    const std::shared_ptr<kernels::PackedConv16> conv = kernels::PackedConv16::make(spec);
    runs_.push_back([=, this, out = output(), memory = scratch(conv->scratch_bytes(1))] {
      conv->run(espdl_.in.data(), out->data(), memory, pool_);
    });
  }
  void add_lanes(kernels::Isa isa) {
    kernels::LaneSpec spec;
    spec.window = layer_.window;
    spec.depthwise = layer_.depthwise;
    spec.weights = espdl_.weights8.data();
    spec.lane_start = spec.wide_start = espdl_.bias8.data();
    spec.tail = {espdl_.shifts8, numerics::Rounding::half_up, -128, 127};
    spec.channel_end = layer_.window.out_c;
    spec.isa = isa;
    const std::shared_ptr<kernels::LaneConv> conv = kernels::LaneConv::make(spec);
    runs_.push_back([=, this, out = output(), memory = scratch(conv->scratch_bytes(1))] {
      conv->run(espdl_.in8.data(), reinterpret_cast<int8_t*>(out->data()), memory, pool_);
    });
  }

  ConvLayer layer_;
  Operands affine_;
  EspdlOperands espdl_;
  ThreadPool pool_;
  std::vector<std::vector<std::byte>> scratches_;
  std::vector<std::function<void()>> runs_;
};

void print_line(const char* what, const Times& t) {
  const auto gmacs = [&](double time) { return t.macs / time * 1e-9; };
  std::printf("%-28s %8.1f %9.3f ms %8.1f %9.3f ms %8.1f %7.2f %8.1f %6.1f\n", what, t.macs * 1e-6,
              t.affine * 1e3, gmacs(t.affine), t.shift * 1e3, gmacs(t.shift), t.affine / t.shift,
              gmacs(t.lanes), t.plain / t.lanes);
}

int compare(const Options& options) {
  std::printf("%s, one thread, GMAC/s\n%-28s %8s %12s %8s %12s %8s %7s %8s %6s\n",
              std::string(kernels::name(options.isa)).c_str(), "", "MMAC", "affine", "", "shift",
              "", "ratio", "lanes", "/plain");
  Times all, narrow, wide;
  for (const bool yolo : {false, true}) {
    Times network;
    for (const EspdlLayer& layer : yolo ? yolo26n() : mobilenet_v2()) {
      const Times t = LayerRunner(layer, options).measure(options.rounds);
      if (options.layers) print_line((layer.layer.name + (layer.wide ? " 16" : "")).c_str(), t);
      network.add(t);
      (layer.wide ? wide : narrow).add(t);
    }
    print_line(yolo ? "YOLO26n/512" : "MobileNetV2/224", network);
    all.add(network);
  }
  print_line("all layers of 8 bits", narrow);
  print_line("all layers of 16 bits", wide);
  print_line("all", all);
  return 0;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--layers") {
      options.layers = true;
    } else if (arg == "--isa" && i + 1 < argc && kernels::isa_by_name(argv[i + 1])) {
      options.isa = *kernels::isa_by_name(argv[++i]);
    } else if (arg == "--rounds" && i + 1 < argc) {
      options.rounds = std::max(1, std::atoi(argv[++i]));
    } else {
      return false;
    }
  }
  return kernels::available(options.isa) && options.isa != kernels::Isa::plain;
}

}  // namespace
}  // namespace edgetwin::bench

int main(int argc, char** argv) {
  edgetwin::bench::Options options;
  if (!edgetwin::bench::parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: bench_espdl [--isa NAME] [--rounds N] [--layers]\n");
    return 2;
  }
  return edgetwin::bench::compare(options);
}
