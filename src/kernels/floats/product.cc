#include <algorithm>

#include "kernels/arm/tables.h"
#include "kernels/floats/sums.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const FloatTable& float_table(Isa isa) {
#if defined(__x86_64__)
  static const bool fma = (__builtin_cpu_init(), __builtin_cpu_supports("fma") != 0);
  if (isa == Isa::avx512_vnni && available(isa)) return *avx512_floats();
  const bool avx2 = isa == Isa::avx2 || isa == Isa::avx_vnni || isa == Isa::avx512_vnni;
  if (avx2 && fma && available(Isa::avx2)) return *avx2_floats();
#elif defined(__aarch64__)
  if (isa != Isa::plain && available(isa)) return *neon_floats();
#else
  (void)isa;
#endif
  return *plain_floats();
}

int64_t float_scratch(const FloatTable& table) { return kFloatDepth * kFloatPanels * table.width; }

namespace {

void start_columns(const FloatProduct& p, int64_t row_begin, int64_t row_end, int64_t begin,
                   int64_t end) {
  for (int64_t r = row_begin; r < row_end; ++r) {
    float* c = p.c + r * p.c_row;
    if (p.column_start != nullptr) {
      std::copy(p.column_start + begin, p.column_start + end, c + begin);
    } else {
      std::fill(c + begin, c + end, 0.0F);
    }
  }
}

// Panels [0, count) of one block of the depth, for all rows. Rows are outside: a few rows of a stay
// in the nearest cache while the panels pass.
void multiply_block(const FloatTable& table, const FloatProduct& p, int64_t row_begin,
                    int64_t row_end, int64_t column, int64_t end, int64_t k_begin, int64_t depth,
                    const float* panels, int64_t panel_size) {
  for (int64_t r = row_begin; r < row_end; r += table.rows) {
    FloatTile t;
    t.a = p.a + r * p.a_row + k_begin;
    t.a_row = p.a_row;
    t.depth = depth;
    t.c_row = p.c_row;
    t.rows = static_cast<int>(std::min<int64_t>(table.rows, row_end - r));
    t.row_start = k_begin == 0 && p.row_start != nullptr ? p.row_start + r : nullptr;
    t.b = panels;
    for (int64_t j = column; j < end; j += table.width, t.b += panel_size) {
      t.c = p.c + r * p.c_row + j;
      t.columns = static_cast<int>(std::min<int64_t>(table.width, end - j));
      table.tile(t);
    }
  }
}

}  // namespace

void float_product(const FloatTable& table, const FloatProduct& p, int64_t row_begin,
                   int64_t row_end, int64_t begin, int64_t end, float* scratch,
                   const PackColumns& pack) {
  if (p.row_start == nullptr) start_columns(p, row_begin, row_end, begin, end);
  const int64_t step = kFloatPanels * table.width;
  for (int64_t column = begin; column < end; column += step) {
    const int64_t last = std::min(end, column + step);
    for (int64_t k = 0; k < p.k; k += kFloatDepth) {
      const int64_t depth = std::min(kFloatDepth, p.k - k);
      const int64_t size = depth * table.width;
      float* to = scratch;
      for (int64_t j = column; j < last; j += table.width, to += size) pack(k, k + depth, j, to);
      multiply_block(table, p, row_begin, row_end, column, last, k, depth, scratch, size);
    }
  }
}

void float_product_packed(const FloatTable& table, const FloatProduct& p, const float* packed,
                          int64_t begin, int64_t end) {
  start_columns(p, 0, p.m, begin, end);
  const int64_t size = p.k * table.width;
  multiply_block(table, p, 0, p.m, begin, end, 0, p.k, packed + begin / table.width * size, size);
}

std::vector<float> pack_transposed(const FloatTable& table, const float* b, int64_t n, int64_t k) {
  const int64_t panels = (n + table.width - 1) / table.width;
  std::vector<float> packed(static_cast<size_t>(panels * k * table.width), 0.0F);
  for (int64_t panel = 0; panel < panels; ++panel) {
    const int64_t first = panel * table.width;
    const int64_t columns = std::min<int64_t>(table.width, n - first);
    float* to = packed.data() + first * k;
    for (int64_t i = 0; i < k; ++i, to += table.width) {
      for (int64_t j = 0; j < columns; ++j) to[j] = b[(first + j) * k + i];
    }
  }
  return packed;
}

}  // namespace edgetwin::kernels
