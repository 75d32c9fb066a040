#include <cstring>

#include "decode/espdl/core/outputs.h"
#include "decode/espdl/core/params.h"

namespace edgetwin::espdl_decode {
namespace {

// (1, a, rows, columns, b) as (1, rows, columns, a b); b is 1 for four axes.
Result<Tensor> turned(const Tensor& t) {
  const int64_t a = t.shape[1], rows = t.shape[2], columns = t.shape[3];
  const int64_t b = t.shape.rank() == 5 ? t.shape[4] : 1;
  EDGETWIN_TRY_ASSIGN(Tensor result, Tensor::zeros(t.dtype, {1, rows, columns, a * b}));
  result.name = t.name;
  result.quant = t.quant;
  if (t.shape.elements() == 0) return result;
  const size_t bytes = t.data.size() / static_cast<size_t>(t.shape.elements());
  const size_t run = bytes * static_cast<size_t>(b);
  const int64_t cells = rows * columns;
  for (int64_t i = 0; i < a; ++i) {
    for (int64_t cell = 0; cell < cells; ++cell) {
      std::memcpy(result.data.data() + static_cast<size_t>(cell * a + i) * run,
                  t.data.data() + static_cast<size_t>(i * cells + cell) * run, run);
    }
  }
  return result;
}

}  // namespace

Result<std::vector<Tensor>> channels_last(std::span<const Tensor> outputs, const Params& params) {
  std::vector<Tensor> all;
  bool any = false;
  for (const Tensor& t : outputs) {
    const auto rank = t.shape.rank();
    const bool turns = (rank == 4 && params.channels_first) || rank == 5;
    any = any || turns;
    if (!turns || t.shape[0] != 1) {
      all.push_back(t);
      continue;
    }
    EDGETWIN_TRY_ASSIGN(Tensor last, turned(t));
    all.push_back(std::move(last));
  }
  if (!any) all.clear();
  return all;
}

}  // namespace edgetwin::espdl_decode
