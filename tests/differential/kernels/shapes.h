// Windows that are awkward on purpose, those of real networks, and the instruction sets and seed of
// a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "differential/kernels/random_layer.h"
#include "kernels/core/isa.h"
#include "tensor/window.h"

namespace edgetwin::kernels::test {

inline uint64_t base_seed() {
  const char* text = std::getenv("EDGETWIN_TEST_SEED");
  return text == nullptr ? 20240607U : std::strtoull(text, nullptr, 10);
}

inline std::vector<Isa> fast_isas() {
  std::vector<Isa> isas = available_isas();
  isas.erase(isas.begin());
  return isas;
}

inline Window2D random_window(Random& random, bool depthwise) {
  Window2D w;
  w.batch = random.pick({1, 1, 2, 3});
  w.kernel_h = random.between(1, 5);
  w.kernel_w = random.between(1, depthwise ? 9 : 5);
  if (random.between(0, 2) == 0) w.kernel_h = w.kernel_w = 3;
  w.stride_h = random.pick({1, 1, 2, 3});
  w.stride_w = random.pick({1, 1, 2, 3});
  w.dilation_h = random.pick({1, 1, 1, 2, 3});
  w.dilation_w = random.pick({1, 1, 1, 2, 3});
  w.in_h = random.between(1, 13);
  w.in_w = random.between(1, 37);
  w.in_c = random.pick({1, 2, 3, 4, 5, 8, 12, 15, 16, 17, 31, 33, 64});
  w.out_h = random.between(1, 8);
  w.out_w = random.between(1, 19);
  w.out_c = depthwise ? w.in_c * random.pick({1, 1, 1, 2, 3, 8})
                      : random.pick({1, 3, 5, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 100});
  w.pad_top = random.between(-1, 3);
  w.pad_left = random.between(-1, 3);
  return w;
}

inline Window2D same_window(int size, int in_c, int out_c, int kernel, int stride) {
  Window2D w;
  w.in_h = w.in_w = size;
  w.in_c = in_c;
  w.out_c = out_c;
  w.kernel_h = w.kernel_w = kernel;
  w.stride_h = w.stride_w = stride;
  w.out_h = w.out_w = (size + stride - 1) / stride;
  const int total = std::max(0, (w.out_h - 1) * stride + kernel - size);
  w.pad_top = w.pad_left = total / 2;
  return w;
}

inline std::string describe(const Window2D& w) {
  const auto pair = [](int a, int b) { return std::to_string(a) + "x" + std::to_string(b); };
  return "batch " + std::to_string(w.batch) + " in " + pair(w.in_h, w.in_w) + "x" +
         std::to_string(w.in_c) + " out " + pair(w.out_h, w.out_w) + "x" + std::to_string(w.out_c) +
         " kernel " + pair(w.kernel_h, w.kernel_w) + " stride " + pair(w.stride_h, w.stride_w) +
         " dilation " + pair(w.dilation_h, w.dilation_w) + " pad " + pair(w.pad_top, w.pad_left);
}

}  // namespace edgetwin::kernels::test
