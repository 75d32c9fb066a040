// The transform as one real matrix: row 2k makes the real part of X[k], row 2k + 1 the imaginary
// one, of columns 2n and 2n + 1, the parts of x[n].
#include "signals/fft/maker.h"
#include "signals/fft/network.h"
#include "signals/fft/reference.h"

namespace edgetwin::signals {
namespace {

std::vector<float> dft_matrix(size_t size) {
  std::vector<float> matrix(4 * size * size);
  std::vector<Complex> turns(size);
  for (size_t i = 0; i < size; ++i) turns[i] = twiddle(i, size);
  for (size_t k = 0; k < size; ++k) {
    float* real = matrix.data() + 2 * k * 2 * size;
    float* imaginary = real + 2 * size;
    for (size_t n = 0; n < size; ++n) {
      const Complex w = turns[k * n % size];
      const auto re = static_cast<float>(w.real()), im = static_cast<float>(w.imag());
      real[2 * n] = re;
      real[2 * n + 1] = -im;
      imaginary[2 * n] = im;
      imaginary[2 * n + 1] = re;
    }
  }
  return matrix;
}

}  // namespace

Model matrix_network(const FftOptions& o, const FftReach& reach) {
  FftMaker m(o.number);
  const int64_t row = int64_t{2} * o.size;
  const Shape pairs = {o.batch, o.size, 2}, rows = {o.batch, row};
  const ValueId input = m.activation("samples", o.flat ? rows : pairs, reach.input());
  const ValueId x = o.flat ? input : m.reshape("samples/row", input, rows);
  const ValueId matrix =
      m.constant("matrix", {row, row}, dft_matrix(static_cast<size_t>(o.size)), false);
  const ValueId y = m.product(o.flat ? "spectrum" : "spectrum/row", x, matrix, reach.output());
  const ValueId output = o.flat ? y : m.reshape("spectrum", y, pairs);
  return std::move(m).finish(input, output, "Fourier transform, one matrix");
}

Result<Model> fft_network(const FftOptions& options, const FftReach& reach) {
  EDGETWIN_TRY(check(options));
  return options.form == FftForm::matrix ? matrix_network(options, reach)
                                         : butterfly_network(options, reach);
}

FftCost fft_cost(const FftOptions& o) {
  const int64_t n = o.size, batch = o.batch, stages = o.stages();
  FftCost cost;
  if (o.form == FftForm::matrix) {
    cost.multiplications = batch * 4 * n * n;
    cost.additions = cost.multiplications;
    cost.parameters = 4 * n * n;
    cost.operators = o.flat ? 1 : 3;
    return cost;
  }
  const int64_t half = n / 2;
  cost.multiplications = batch * (stages - 1) * 4 * half;
  cost.additions = batch * ((stages - 1) * 2 * half + stages * 4 * half);
  cost.parameters = 2 * n - 4;  // M / 2 twiddles of two parts for blocks of M = 4, 8, … N
  // A stage has 16, the first one, without a turn, 10; four are at the ends.
  cost.operators = 4 + 10 + (stages - 1) * 16;
  return cost;
}

}  // namespace edgetwin::signals
