// How fast the parameters of a dense layer of 1024 x 1024 are made, beside copying as many bytes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "targets/edgetpu/params/block.h"

namespace {

using namespace edgetwin;

template <class Work>
double best_microseconds(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < 400; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> t = std::chrono::steady_clock::now() - begin;
    best = std::min(best, t.count());
  }
  return best;
}

}  // namespace

int main() {
  const edgetpu::BlockShape shape{.out = 1024, .in = 1024, .has_scale = true, .has_zero = true};
  edgetpu::BlockContent content;
  content.weights.resize(static_cast<size_t>(shape.weights()));
  for (size_t i = 0; i < content.weights.size(); ++i) {
    content.weights[i] = static_cast<std::byte>(i * 31 % 251);
  }
  content.scales.assign(1024, 0.25F);
  content.zero_points = {128};
  Bytes to(static_cast<size_t>(shape.bytes()));
  const Bytes from = edgetpu::write_block(shape, content);
  const double copy = best_microseconds([&] {
    std::memcpy(to.data(), from.data(), to.size());
    asm volatile("" : : "r"(to.data()) : "memory");
  });
  const double build = best_microseconds([&] {
    edgetpu::write_block(shape, content, to.data());
    asm volatile("" : : "r"(to.data()) : "memory");
  });
  const double read = best_microseconds([&] {
    const auto again = edgetpu::read_block(shape, to, 128);
    asm volatile("" : : "r"(again->weights.data()) : "memory");
  });
  std::printf("dense 1024 x 1024, %zu bytes\n", to.size());
  std::printf(
      "  memcpy  %8.1f us\n  write   %8.1f us, %.2f of memcpy's speed\n  read    %8.1f us\n", copy,
      build, copy / build, read);
  return to == from ? 0 : 1;
}
