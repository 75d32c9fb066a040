// Speed of the convolution kernels on the layers of MobileNet v1, beside XNNPACK in the same run.
//
//   bench_conv [--type int8|uint8] [--isa NAME] [--network NAME] [--layer PART] [--rounds N]
//   [--json] bench_conv --threads N      how much faster N threads are than one
//
// Ours and theirs take turns, sample by sample; the best sample of each counts, as whatever else
// the machine does can only slow a sample down.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "runner.h"

namespace edgetwin::bench {
namespace {

struct Options {
  bool is_unsigned = false;
  kernels::Isa isa = kernels::best_isa();
  std::string network, layer;
  int rounds = 15;
  int threads = 1;
  bool json = false;
};

using Clock = std::chrono::steady_clock;

double seconds(Runner& runner, int repeats) {
  const auto start = Clock::now();
  for (int i = 0; i < repeats; ++i) runner.run();
  return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
}

// Best time of each runner, sampled in turns.
std::vector<double> measure(const std::vector<Runner*>& runners, int rounds) {
  std::vector<double> best;
  std::vector<int> repeats;
  for (Runner* runner : runners) {
    runner->run();
    const double once = seconds(*runner, 3);
    best.push_back(once);
    repeats.push_back(std::clamp(static_cast<int>(5e-4 / once), 1, 1000));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      best[i] = std::min(best[i], seconds(*runners[i], repeats[i]));
    }
  }
  return best;
}

struct Line {
  ConvLayer layer;
  double ours = 0, theirs = 0;  // seconds; 0: not measured
  int largest_difference = 0;

  double gmacs(double time) const { return time > 0 ? layer.macs() / time * 1e-9 : 0; }
  double ratio() const { return theirs / ours; }
};

int largest_difference(const Runner& a, const Runner& b, bool is_unsigned) {
  int largest = 0;
  for (std::size_t i = 0; i < a.result().size(); ++i) {
    const int flip = is_unsigned ? 0 : 0x80;
    largest = std::max(largest, std::abs((a.result()[i] ^ flip) - (b.result()[i] ^ flip)));
  }
  return largest;
}

Line measure_layer(const ConvLayer& layer, const Options& options, ThreadPool& pool) {
  const Operands operands(layer, options.is_unsigned);
  const auto ours = our_runner(layer, operands, options.isa, pool);
  Line line{layer};
  if (ours == nullptr) return line;
  const auto theirs = xnnpack_runners(layer, operands);
  std::vector<Runner*> runners = {ours.get()};
  for (const auto& runner : theirs) runners.push_back(runner.get());
  const std::vector<double> best = measure(runners, options.rounds);
  line.ours = best[0];
  if (best.size() > 1) {
    line.theirs = *std::min_element(best.begin() + 1, best.end());
    line.largest_difference = largest_difference(*ours, *theirs[0], options.is_unsigned);
  }
  return line;
}

struct Summary {
  double log_sum = 0, least = 1e9, ours = 0, theirs = 0;
  int count = 0;

  void add(const Line& line) {
    log_sum += std::log(line.ratio());
    least = std::min(least, line.ratio());
    ours += line.ours;
    theirs += line.theirs;
    ++count;
  }
  double geometric_mean() const { return std::exp(log_sum / std::max(1, count)); }
};

void print_line(const Line& line, double peak, bool json, bool first) {
  const double ours = line.gmacs(line.ours), theirs = line.gmacs(line.theirs);
  if (json) {
    std::printf(
        "%s\n    {\"layer\": \"%s\", \"gmacs\": %.2f, \"xnnpack_gmacs\": %.2f, "
        "\"ratio\": %.3f, \"peak_share\": %.3f, \"largest_difference\": %d}",
        first ? "" : ",", line.layer.name.c_str(), ours, theirs, line.ratio(), ours * 1e9 / peak,
        line.largest_difference);
    return;
  }
  std::printf("%-26s %9.1f us %8.1f %8.1f %7.2f %7.0f%% %5d\n", line.layer.name.c_str(),
              line.ours * 1e6, ours, theirs, line.ratio(), 100 * ours * 1e9 / peak,
              line.largest_difference);
}

void print_summary(const char* what, const Summary& s, bool json) {
  if (json) {
    std::printf(
        "\n  ], \"geometric_mean\": %.3f, \"least\": %.3f, \"milliseconds\": %.4f, "
        "\"xnnpack_milliseconds\": %.4f}",
        s.geometric_mean(), s.least, s.ours * 1e3, s.theirs * 1e3);
    return;
  }
  std::printf("%s: geometric mean %.2f, least %.2f; sum of layers %.3f ms, XNNPACK %.3f ms\n\n",
              what, s.geometric_mean(), s.least, s.ours * 1e3, s.theirs * 1e3);
}

int compare(const Options& options) {
  const double peak = dot_product_peak(options.isa);
  ThreadPool pool(1);
  Summary all;
  const char* type = options.is_unsigned ? "uint8" : "int8";
  const std::string isa(kernels::name(options.isa));
  if (options.json) {
    std::printf("{\"isa\": \"%s\", \"type\": \"%s\", \"peak_gmacs\": %.1f, \"networks\": [",
                isa.c_str(), type, peak * 1e-9);
  } else {
    std::printf("%s, %s, one thread; peak of the dot product %.0f GMAC/s%s\n", isa.c_str(), type,
                peak * 1e-9, have_xnnpack() ? "" : "; built without XNNPACK: nothing to compare");
  }
  bool first_network = true;
  for (const Network& network : kNetworks) {
    if (!options.network.empty() && options.network != network.name) continue;
    if (options.json) {
      std::printf("%s\n  {\"network\": \"%s\", \"layers\": [", first_network ? "" : ",",
                  network.name);
    } else {
      std::printf("MobileNet v1 %-12s %12s %8s %8s %7s %8s %5s\n", network.name, "time", "GMAC/s",
                  "XNNPACK", "ratio", "of peak", "diff");
    }
    Summary summary;
    for (const ConvLayer& layer : mobilenet_v1(network.quarters, network.resolution)) {
      if (layer.name.find(options.layer) == std::string::npos) continue;
      const Line line = measure_layer(layer, options, pool);
      print_line(line, peak, options.json, summary.count == 0);
      summary.add(line);
      all.add(line);
    }
    print_summary(network.name, summary, options.json);
    first_network = false;
  }
  if (options.json) {
    std::printf("\n], \"geometric_mean\": %.3f, \"least\": %.3f}\n", all.geometric_mean(),
                all.least);
  } else {
    print_summary("all layers", all, false);
  }
  return 0;
}

// The layers of the largest network one after the other, as a run of the network has them.
class WholeNetwork : public Runner {
 public:
  WholeNetwork(const std::vector<ConvLayer>& layers, const std::vector<Operands>& operands,
               kernels::Isa isa, ThreadPool& pool) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      runners_.push_back(our_runner(layers[i], operands[i], isa, pool));
    }
  }
  void run() override {
    for (const auto& runner : runners_) runner->run();
  }
  const std::vector<uint8_t>& result() const override { return runners_.back()->result(); }

 private:
  std::vector<std::unique_ptr<Runner>> runners_;
};

int scale(const Options& options) {
  ThreadPool one(1), many(options.threads);
  for (const Network& network : kNetworks) {
    if (!options.network.empty() && options.network != network.name) continue;
    const auto layers = mobilenet_v1(network.quarters, network.resolution);
    std::vector<Operands> operands;
    for (const ConvLayer& layer : layers) operands.emplace_back(layer, options.is_unsigned);
    WholeNetwork alone(layers, operands, options.isa, one);
    WholeNetwork together(layers, operands, options.isa, many);
    const auto best = measure({&alone, &together}, options.rounds * 10);
    std::printf("%s: one thread %.3f ms, %d threads %.3f ms: %.2f times as fast\n", network.name,
                best[0] * 1e3, options.threads, best[1] * 1e3, best[0] / best[1]);
  }
  return 0;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--json") {
      options.json = true;
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const std::string_view value = argv[++i];
    if (arg == "--type" && (value == "int8" || value == "uint8")) {
      options.is_unsigned = value == "uint8";
    } else if (arg == "--isa" && kernels::isa_by_name(value)) {
      options.isa = *kernels::isa_by_name(value);
    } else if (arg == "--network") {
      options.network = value;
    } else if (arg == "--layer") {
      options.layer = value;
    } else if (arg == "--rounds") {
      options.rounds = std::max(1, std::atoi(argv[i]));
    } else if (arg == "--threads") {
      options.threads = std::max(1, std::atoi(argv[i]));
    } else {
      return std::nullopt;
    }
  }
  return options;
}

}  // namespace
}  // namespace edgetwin::bench

int main(int argc, char** argv) {
  const auto options = edgetwin::bench::parse(argc, argv);
  if (!options) {
    std::fprintf(
        stderr,
        "usage: bench_conv [--type int8|uint8] [--isa NAME] [--network NAME] [--layer PART] "
        "[--rounds N] [--json] [--threads N]\n");
    return 2;
  }
  if (!edgetwin::kernels::available(options->isa) ||
      options->isa == edgetwin::kernels::Isa::plain) {
    std::fprintf(stderr, "bench_conv: this machine has no kernels for that instruction set\n");
    return 4;
  }
  return options->threads > 1 ? edgetwin::bench::scale(*options)
                              : edgetwin::bench::compare(*options);
}
