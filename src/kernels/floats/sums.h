// Matrix products and convolutions in float32, channels before the axes of the picture (ONNX's
// order). kernels/core/float_table.h says what is computed; the results do not depend on the
// instruction set or on the number of threads.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "kernels/core/float_table.h"
#include "kernels/core/isa.h"
#include "tensor/window.h"

namespace edgetwin::kernels {

// The definition of these sums, for every processor.
const FloatTable* plain_floats();

// The table of an instruction set; the plain one where the processor lacks what it needs.
const FloatTable& float_table(Isa isa);

// c = a * b: m x n results. b comes packed, panel by panel.
struct FloatProduct {
  int64_t m = 0, n = 0, k = 0;
  const float* a = nullptr;  // m rows of k
  int64_t a_row = 0;
  const float* row_start = nullptr;     // of each row's sums; null: 0, or
  const float* column_start = nullptr;  // of each column's sums
  float* c = nullptr;
  int64_t c_row = 0;
};

inline constexpr int64_t kFloatDepth = 256;  // of a packed block
inline constexpr int64_t kFloatPanels = 4;   // packed together

// Floats that pack_b of float_product writes, per thread.
int64_t float_scratch(const FloatTable& table);

// Puts rows [k_begin, k_end) of columns [column, column + width) side by side: to[k][width]. What
// stands in columns beyond n does not matter, but must be there.
using PackColumns = std::function<void(int64_t k_begin, int64_t k_end, int64_t column, float* to)>;

// Rows [row_begin, row_end) of columns [begin, end); begin is a multiple of the table's width.
void float_product(const FloatTable& table, const FloatProduct& p, int64_t row_begin,
                   int64_t row_end, int64_t begin, int64_t end, float* scratch,
                   const PackColumns& pack);

// The same with all of b packed beforehand: [panel][k][width].
void float_product_packed(const FloatTable& table, const FloatProduct& p, const float* packed,
                          int64_t begin, int64_t end);

// b as columns of a matrix of n rows and k columns (a Gemm's transposed weights), packed.
std::vector<float> pack_transposed(const FloatTable& table, const float* b, int64_t n, int64_t k);

// A convolution. Of the window, in_c and out_c are channels of the whole picture; weights are
// out_c x in_c/groups x kernel_h x kernel_w.
class FloatConv {
 public:
  FloatConv(const Window2D& window, int groups, Isa isa);

  // Bytes for as many threads.
  size_t scratch_bytes(int threads) const;
  std::string_view path() const { return table_.path; }
  // bias may be null. scratch aligned for vectors.
  void run(const float* x, const float* weights, const float* bias, float* y, std::byte* scratch,
           ThreadPool& pool) const;

 private:
  void run_dense(const float* x, const float* weights, const float* bias, float* y, float* scratch,
                 ThreadPool& pool) const;
  void run_depthwise(const float* x, const float* weights, const float* bias, float* y,
                     float* scratch, ThreadPool& pool) const;
  void pack(const float* x, int64_t k_begin, int64_t k_end, int64_t column, float* to) const;
  void plane(const float* x, float* phases) const;
  int64_t thread_floats() const;

  Window2D g_;
  int groups_;
  const FloatTable& table_;
  bool depthwise_;
  // Of a depthwise plane, padded and taken apart by column modulo stride.
  int64_t plane_rows_ = 0, phase_columns_ = 0;
};

}  // namespace edgetwin::kernels
