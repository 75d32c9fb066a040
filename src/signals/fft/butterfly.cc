// Cooley and Tukey's transform, radix two, decimation in time, with the reversal left to the host:
// a stage of blocks of M numbers keeps [batch * N / M, 2, M / 2]; its halves are what belongs to
// the even and the odd samples.
#include "signals/fft/maker.h"
#include "signals/fft/reference.h"
#include "signals/fft/scales.h"

namespace edgetwin::signals {
namespace {

// Real and imaginary parts are tensors of their own: no operator here multiplies complex numbers.
struct Parts {
  ValueId re = kAbsent, im = kAbsent;
};

class ButterflyMaker {
 public:
  ButterflyMaker(const FftOptions& options, const FftReach& reach)
      : o_(options), reach_(reach), m_(options.number) {}

  Model run() && {
    const ValueId input = m_.activation("samples", {o_.batch, o_.size, 2}, reach_.input());
    Parts now;
    std::tie(now.re, now.im) = m_.halves("samples/re", "samples/im", input, 2);
    for (int k = 1; k <= o_.stages(); ++k) now = stage(k, now);
    const Shape one{o_.batch, o_.size, 1};
    const ValueId re = m_.reshape("spectrum/re", now.re, one);
    const ValueId im = m_.reshape("spectrum/im", now.im, one);
    const ValueId output = m_.joined("spectrum", re, im, 2);
    return std::move(m_).finish(input, output, "Fourier transform, butterflies");
  }

 private:
  Parts stage(int k, const Parts& x) {
    const std::string prefix = "stage" + std::to_string(k) + "/";
    const int64_t block = int64_t{1} << k;
    const Shape folded{int64_t{o_.batch} * o_.size / block, 2, block / 2};
    Parts even, odd, result;
    std::tie(even.re, odd.re) = m_.halves(prefix + "even_re", prefix + "odd_re",
                                          m_.reshape(prefix + "re", x.re, folded), 1);
    std::tie(even.im, odd.im) = m_.halves(prefix + "even_im", prefix + "odd_im",
                                          m_.reshape(prefix + "im", x.im, folded), 1);
    const Parts t = turned(k, prefix, odd);
    const double reach = reach_.stage[static_cast<size_t>(k)];
    const auto butterfly = [&](const std::string& part, ValueId e, ValueId o) {
      const ValueId sum = m_.binary(OpKind::add, prefix + "sum_" + part, e, o, reach);
      const ValueId difference = m_.binary(OpKind::sub, prefix + "difference_" + part, e, o, reach);
      return m_.joined(prefix + "result_" + part, sum, difference, 1);
    };
    result.re = butterfly("re", even.re, t.re);
    result.im = butterfly("im", even.im, t.im);
    return result;
  }

  // The odd halves times exp(-2 pi i k / M). The only factor of the first stage is 1.
  Parts turned(int k, const std::string& prefix, const Parts& odd) {
    if (k == 1) return odd;
    const size_t block = size_t{1} << k;
    std::vector<float> re, im;
    for (size_t i = 0; i < block / 2; ++i) {
      const Complex w = twiddle(i, block);
      re.push_back(static_cast<float>(w.real()));
      im.push_back(static_cast<float>(w.imag()));
    }
    const Shape row{1, 1, static_cast<int64_t>(block / 2)};
    const ValueId w_re = m_.constant(prefix + "twiddle_re", row, re, true);
    const ValueId w_im = m_.constant(prefix + "twiddle_im", row, im, true);
    const double before = reach_.stage[static_cast<size_t>(k - 1)];
    const double after = reach_.turned[static_cast<size_t>(k)];
    const auto times = [&](const char* name, ValueId a, ValueId w) {
      return m_.binary(OpKind::mul, prefix + name, a, w, before);
    };
    const ValueId rr = times("odd_re_re", odd.re, w_re), ii = times("odd_im_im", odd.im, w_im);
    const ValueId ri = times("odd_re_im", odd.re, w_im), ir = times("odd_im_re", odd.im, w_re);
    return {m_.binary(OpKind::sub, prefix + "turned_re", rr, ii, after),
            m_.binary(OpKind::add, prefix + "turned_im", ri, ir, after)};
  }

  const FftOptions& o_;
  const FftReach& reach_;
  FftMaker m_;
};

}  // namespace

Model butterfly_network(const FftOptions& options, const FftReach& reach) {
  return ButterflyMaker(options, reach).run();
}

}  // namespace edgetwin::signals
