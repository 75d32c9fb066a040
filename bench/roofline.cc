// Operators of whole networks against what this processor can do at most: products per second where
// an operator has products, bytes per second of all that it reads and writes. Both limits are
// measured in the same run: the dot product out of registers, and copies in the cache and in
// memory.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "exec/session.h"
#include "graph/op_kind.h"
#include "runner.h"
#include "twin/network_impl.h"

namespace edgetwin::bench {
namespace {

constexpr int kRounds = 15;

struct Peaks {
  double products = 0, cache = 0, memory = 0;  // per second; of copies bytes read and written
};

// The best of some copies of `bytes` bytes.
double copy_rate(size_t bytes, int times) {
  std::vector<char> from(bytes, 1), to(bytes, 2);
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
      std::memcpy(to.data(), from.data(), bytes);
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    best = std::max(best, 2.0 * static_cast<double>(bytes) * times / time.count());
  }
  return best;
}

Peaks measure_peaks() {
  constexpr size_t kInCache = size_t{128} << 10, kInMemory = size_t{64} << 20;
  return {dot_product_peak(kernels::best_isa()), copy_rate(kInCache, 2000),
          copy_rate(kInMemory, 1)};
}

struct Sum {
  int count = 0;
  double seconds = 0, products = 0, bytes = 0;
};
using Sums = std::map<std::string, Sum>;

double bytes_of(const exec::Session& session, const Op& op) {
  double bytes = 0;
  const auto add = [&](ValueId id) {
    if (id < 0) return;
    const Value& v = session.graph().values[static_cast<size_t>(id)];
    bytes +=
        static_cast<double>(session.shape(id).elements()) * static_cast<double>(byte_size(v.dtype));
  };
  for (const ValueId id : op.inputs) add(id);
  for (const ValueId id : op.outputs) add(id);
  return bytes;
}

Status fill_inputs(exec::Session& session) {
  for (size_t i = 0; i < session.graph().inputs.size(); ++i) {
    const ValueId id = session.graph().inputs[i];
    const Value& v = session.graph().values[static_cast<size_t>(id)];
    Bytes data(static_cast<size_t>(session.shape(id).elements()) * byte_size(v.dtype));
    // Real numbers stay small ones: their upper bytes are 0.
    const size_t step = v.dtype == DType::float32 ? 4 : 1;
    for (size_t k = 0; k < data.size(); k += step) data[k] = static_cast<std::byte>(k * 37 % 251);
    EDGETWIN_TRY(session.set_input(i, data));
  }
  return Ok{};
}

// Adds the least time of each operator.
Status measure_network(const std::string& file, Sums& sums) {
  EDGETWIN_TRY_ASSIGN(const edgetwin::Network network, edgetwin::Network::open(file));
  if (!network.impl().loaded) return Error(ErrorCode::usage, "not a graph").in_file(file);
  EDGETWIN_TRY_ASSIGN(
      exec::Session session,
      exec::Session::create(network.impl().loaded->graph(), {.numerics = network.numerics()}));
  EDGETWIN_TRY(fill_inputs(session));
  std::vector<double> least(session.steps().size(), 1e9);
  for (int round = 0; round < kRounds; ++round) {
    EDGETWIN_TRY(session.run([&](size_t step, std::chrono::nanoseconds elapsed) {
      least[step] = std::min(least[step], 1e-9 * static_cast<double>(elapsed.count()));
    }));
  }
  for (size_t i = 0; i < least.size(); ++i) {
    const exec::Step& step = session.steps()[i];
    if (step.folded || least[i] > 1e8) continue;
    const Op& op = session.graph().ops[step.op_index];
    Sum& sum = sums[std::string(info(op.kind).name) + (step.path == "plain" ? ", plain" : "")];
    ++sum.count;
    sum.seconds += least[i];
    sum.products += static_cast<double>(step.macs);
    sum.bytes += bytes_of(session, op);
  }
  return Ok{};
}

void print(const Sums& sums, const Peaks& p) {
  std::vector<std::pair<std::string, Sum>> rows(sums.begin(), sums.end());
  std::ranges::sort(
      rows, [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  std::printf("%-34s %6s %9s %8s %6s %8s %6s\n", "operator", "count", "ms", "GMAC/s", "%", "GB/s",
              "%");
  for (const auto& [kind, s] : rows) {
    const double products = s.products / s.seconds, bytes = s.bytes / s.seconds;
    std::printf("%-34s %6d %9.3f %8.2f %6.1f %8.2f %6.1f\n", kind.c_str(), s.count, s.seconds * 1e3,
                products * 1e-9, p.products > 0 ? 100 * products / p.products : 0.0, bytes * 1e-9,
                100 * bytes / p.memory);
  }
}

int run(int count, char** files) {
  if (count == 0) {
    std::puts("usage: bench_roofline MODEL...");
    return 2;
  }
  const Peaks peaks = measure_peaks();
  std::printf(
      "peaks: %.1f GMAC/s of products, copies %.1f GB/s in the cache and %.1f GB/s in memory\n",
      peaks.products * 1e-9, peaks.cache * 1e-9, peaks.memory * 1e-9);
  Sums sums;
  for (int i = 0; i < count; ++i) {
    const Status measured = measure_network(files[i], sums);
    if (measured.ok()) continue;
    std::printf("%s\n", to_text(measured.error()).c_str());
    return 1;
  }
  print(sums, peaks);
  return 0;
}

}  // namespace
}  // namespace edgetwin::bench

int main(int argc, char** argv) { return edgetwin::bench::run(argc - 1, argv + 1); }
