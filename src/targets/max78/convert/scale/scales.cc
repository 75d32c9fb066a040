// Powers of two for tensors and weights, and the integers that follow.
//
// An activation q stands for q / 128 * 2^e (times a stretch that the weights take up), a weight of
// b bits for q / 2^(b-1) * 2^s. The chip computes sum * 2^(shift + 8 - b) / 128; with shift = s +
// e(in) - e(out) that is the result in its own unit. The accumulator gets 128 times the bias, so
// that a bias q stands for q / 2^(b-1) * 2^(s + e(in)): a large bias makes s larger.
#include "targets/max78/convert/scale/scales.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

namespace edgetwin::max78 {
namespace {

using quantize::Sample;

// Tensors that have one exponent: operands and their sum, parts, what is only pooled or copied.
std::vector<size_t> groups_of(const Draft& d) {
  std::vector<size_t> group(d.tensors.size());
  std::iota(group.begin(), group.end(), size_t{0});
  const auto join = [&](int a, int b) {
    const size_t from = group[static_cast<size_t>(b)];
    const size_t to = group[static_cast<size_t>(a)];
    for (size_t& g : group) g = g == from ? to : g;
  };
  for (const DraftLayer& l : d.layers) {
    for (const int s : l.sources) join(l.sources[0], s);
    if (l.sum >= 0) join(l.sources[0], l.sum);
    // A copy that the float network does not have has the scale of what it copies.
    if (!l.has_weights() || d.tensor(l.out).value == kAbsent) join(l.sources[0], l.out);
  }
  return group;
}

class Exponents {
 public:
  Exponents(Draft& d, const Calibration& c) : d_(d), calibration_(c), group_(groups_of(d)) {}

  void run() {
    for (size_t g = 0; g < group_.size(); ++g) {
      std::optional<int> most;
      for (size_t t = 0; t < group_.size(); ++t) {
        if (group_[t] != g) continue;
        const auto e = calibration_.exponent(t);
        if (e) most = std::max(most.value_or(*e), *e);
        if (!e && d_.tensors[t].value != kAbsent && d_.tensors[t].producer >= -1) {
          d_.note(Severity::warning, d_.tensors[t].name, "was zero in every sample");
        }
      }
      for (size_t t = 0; t < group_.size(); ++t) {
        if (group_[t] == g) d_.tensors[t].exponent = most.value_or(0);
      }
      stretch(g);
    }
  }

 private:
  // Where nothing that shares the scale leaves the limit of a Clip, 127 is that limit.
  void stretch(size_t g) {
    double limit = 0.0;
    for (size_t t = 0; t < group_.size(); ++t) {
      if (group_[t] != g) continue;
      if (t == 0) return;  // the input has a power of two
      limit = std::max(limit, d_.tensors[t].limit);
    }
    if (limit == 0.0) return;
    for (size_t t = 0; t < group_.size(); ++t) {
      if (group_[t] == g && calibration_.most(t) > limit * 1.0001) return;
    }
    int exponent = 0;
    const double part = std::frexp(limit * 128.0 / 127.0, &exponent);
    for (size_t t = 0; t < group_.size(); ++t) {
      if (group_[t] != g) continue;
      d_.tensors[t].exponent = exponent;
      d_.tensors[t].stretch = part;
    }
  }

  Draft& d_;
  const Calibration& calibration_;
  std::vector<size_t> group_;
};

}  // namespace

Status set_scales(Draft& draft, const Graph& graph, const std::vector<Sample>& samples,
                  const ConvertSettings& settings, const ProgressSink& progress) {
  EDGETWIN_TRY(quantize::check_samples(graph, samples, draft.findings));
  for (const DraftLayer& l : draft.layers) {
    for (const auto* list : {&l.weights, &l.bias}) {
      for (const float x : *list) {
        if (!std::isfinite(x)) {
          return Error(ErrorCode::quant_not_finite, "weights or bias hold NaN or infinity")
              .in_layer(l.node);
        }
      }
    }
  }
  Calibration calibration(draft, samples, settings);
  EDGETWIN_TRY(calibration.run(std::make_shared<const Graph>(graph), progress));
  Exponents(draft, calibration).run();
  make_integers(draft, calibration, settings);
  return Ok{};
}

}  // namespace edgetwin::max78
