// The host's work of the robotics modules beside the times that a Python package takes for the same
// (NumPy, measured by its makers' own scripts on a desktop): sums and correlation of optical flow,
// tiled outputs made dense, parameter blobs of square matrices from real numbers.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "base/rng.h"
#include "formats/darwinn/relayout.h"
#include "robotics/blob.h"
#include "robotics/flow/flow_stage.h"

namespace edgetwin::robotics {
namespace {

Bytes random_bytes(size_t count, uint32_t seed) {
  XorShift32 random(seed);
  Bytes bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.byte());
  return bytes;
}

// The best of several rounds, in milliseconds; others share the machine.
double milliseconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 30;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    int count = 0;
    const auto start = Clock::now();
    std::chrono::duration<double, std::milli> passed{};
    do {
      work();
      ++count;
      passed = Clock::now() - start;
    } while (passed.count() < 5.0);
    best = std::min(best, passed.count() / count);
  }
  return best;
}

void report(const char* name, double ours, double python) {
  std::printf("%-24s %10.5f ms   Python %7.3f ms   %7.1f times as fast\n", name, ours, python,
              python / ours);
}

void flow(const char* name, int side, int pool, double python) {
  auto stage = FlowStage::make({side, side, 8, 0, pool, 4, 0.1, true});
  const auto size = static_cast<size_t>(side) * static_cast<size_t>(side) * 8;
  const Bytes a = random_bytes(size, 1), b = random_bytes(size, 2);
  double sum = 0.0;
  report(name, milliseconds([&] { sum += stage->compute(a, b)->vx; }), python);
  if (sum > 1e300) std::puts("");
}

// Four tiles of 32 x 32 positions.
darwinn::Layer tiled() {
  darwinn::Layer l;
  l.name = "features";
  l.y_dim = l.x_dim = 64;
  l.z_dim = 8;
  l.size_bytes = 64 * 64 * 8;
  darwinn::OutputLayout o;
  for (int i = 0; i < 64; ++i) {
    o.y_tile.push_back(i / 32 * 2);
    o.x_tile.push_back(i / 32);
    o.y_local.push_back(i % 32);
    o.x_local.push_back(i % 32 * 8);
    o.x_row_size.push_back(32 * 8);
  }
  o.tile_offset = {0, 8192, 16384, 24576};
  l.layout = o;
  return l;
}

void relayout(double python) {
  const auto made = darwinn::Relayout::make(tiled());
  if (!made.ok()) return;
  const Bytes from = random_bytes(made->tiled_bytes(), 3);
  Bytes to(made->dense_bytes());
  report("relayout 64x64x8", milliseconds([&] { made->to_dense(from, to); }), python);
}

void blob(const char* name, size_t n, double python) {
  XorShift32 random(4);
  std::vector<float> w(n * n);
  for (float& v : w) v = static_cast<float>(random.byte()) / 128.0F - 1.0F;
  const Bytes overhead = random_bytes(blob_groups(n) * kBlobOverhead, 5);
  Bytes to(blob_bytes(n));
  report(name, milliseconds([&] {
           const Status written = write_quantized_blob(n, w, 0.0085F, 0, overhead, std::span(to));
           if (!written.ok()) std::puts("failed");
         }),
         python);
}

}  // namespace
}  // namespace edgetwin::robotics

int main() {
  using namespace edgetwin::robotics;
  flow("flow 64 standard", 64, 4, 0.22);
  flow("flow 64 pooled", 16, 1, 0.061);
  flow("flow 128 standard", 128, 4, 0.71);
  relayout(1.47);
  blob("blob 256", 256, 1.7);
  blob("blob 512", 512, 6.8);
  blob("blob 1024", 1024, 15.9);
  return 0;
}
