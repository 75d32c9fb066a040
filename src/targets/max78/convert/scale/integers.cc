// Integers of weights and biases, and the scale of each layer's that costs the least.
#include <algorithm>
#include <cmath>

#include "targets/max78/convert/scale/scales.h"
#include "targets/max78/place/kernel_stream.h"

namespace edgetwin::max78 {
namespace {

class Rounder {
 public:
  Rounder(Draft& d, const Calibration& c, const ConvertSettings& s)
      : d_(d), calibration_(c), settings_(s) {}

  void run() {
    for (DraftLayer& l : d_.layers) {
      if (!l.has_weights()) continue;
      l.bits = bits_of(l);
      if (l.bits < 8 && misplaces_narrow_weights(l)) {
        if (!l.identity) {
          d_.note(Severity::warning, l.node, "its weights keep 8 bits: " + short_pass_text(l));
        }
        l.bits = 8;
      }
      choose(l);
    }
  }

 private:
  // What real weights are multiplied by, for those that the device has between its integers.
  double factor(const DraftLayer& l) const {
    return d_.tensor(l.sources[0]).stretch / d_.tensor(l.out).stretch;
  }

  // Rule::narrow_pass.
  bool misplaces_narrow_weights(const DraftLayer& l) const {
    const DraftTensor& t = d_.tensor(l.sources[0]);
    return last_pass_is_short(t.channels, t.passes(), t.width()) && l.groups == 1;
  }
  std::string short_pass_text(const DraftLayer& l) const {
    const DraftTensor& t = d_.tensor(l.sources[0]);
    return std::to_string(t.channels) + " channels are read in " + std::to_string(t.passes()) +
           " passes of " + std::to_string(t.width()) +
           ", and kernels of narrow weights are misplaced where the last pass is not full";
  }

  int bits_of(const DraftLayer& l) const {
    if (l.identity && factor(l) == 1.0) return 2;  // 1 is a weight of two bits
    for (const auto& [name, bits] : settings_.bits_of) {
      const bool node = l.node.find("'" + name + "'") != std::string::npos;
      if (name == l.name || node) return bits;
    }
    return settings_.bits;
  }

  // The scale whose rounding and clipping costs the least, as far as the inputs' means and mean
  // squares tell.
  void choose(DraftLayer& l) {
    float most = 0.0F;
    for (const float w : l.weights) most = std::max(most, std::fabs(w));
    most *= static_cast<float>(factor(l));
    for (const float b : l.bias) most = std::max(most, std::ldexp(std::fabs(b), -input(l)));
    const int fit = most > 0.0F ? std::ilogb(most) + 1 : 0;
    std::optional<double> least;
    DraftLayer best = l;
    for (int scale = fit + 1; scale >= fit - 8; --scale) {
      const int shift = scale + input(l) - d_.tensor(l.out).exponent;
      if (std::abs(shift + 8 - l.bits) > 15) continue;
      DraftLayer tried = l;
      tried.weight_exponent = scale;
      tried.shift = shift;
      const double cost = make_integers(tried);
      if (least && cost >= *least) continue;
      least = cost;
      best = std::move(tried);
    }
    if (!least) {
      const int shift = fit + input(l) - d_.tensor(l.out).exponent + 8 - l.bits;
      d_.misfit(l.node, "its output shift would be " + std::to_string(shift) +
                            "; the device shifts by -15 to 15")
          .details.push_back("weights 2^" + std::to_string(fit) + ", input 2^" +
                             std::to_string(input(l)) + ", output 2^" +
                             std::to_string(d_.tensor(l.out).exponent) + ", 8 - " +
                             std::to_string(l.bits) + " bits");
      return;
    }
    l = std::move(best);
  }

  int input(const DraftLayer& l) const { return d_.tensor(l.sources[0]).exponent; }

  // Mean and variance of the inputs of one row of weights, by input channel.
  std::vector<Channel> inputs_of(const DraftLayer& l) const {
    std::vector<Channel> all;
    const bool sums = l.eltwise != ai8x::Eltwise::none;
    if (sums && l.sum >= 0) {
      append(all, l.sum);
    } else {
      for (const int s : l.sources) append(all, s);
    }
    return all;
  }
  void append(std::vector<Channel>& all, int tensor) const {
    const DraftTensor& t = d_.tensor(tensor);
    if (t.value == kAbsent && t.producer >= 0) {  // a copy: as what it copies
      const size_t first = all.size();
      for (const int s : d_.layer(t.producer).sources) append(all, s);
      all.resize(first + static_cast<size_t>(t.channels));  // zeros that make it as wide as others
      return;
    }
    for (int c = 0; c < d_.tensor(tensor).channels; ++c) {
      all.push_back(calibration_.channel(static_cast<size_t>(tensor), static_cast<size_t>(c)));
    }
  }

  double make_integers(DraftLayer& l) const {
    const std::vector<Channel> inputs = inputs_of(l);
    const auto outs = static_cast<size_t>(d_.tensor(l.out).channels);
    const size_t row = l.weights.size() / outs;
    const double steps = std::ldexp(1.0, l.bits - 1);
    // In the units of the float network.
    const double unit = std::ldexp(1.0, l.weight_exponent) / steps / factor(l);
    l.integers.assign(l.weights.size(), 0);
    l.clipped = 0;
    double cost = 0.0;
    const size_t per_group = l.groups > 1 ? 1 : inputs.size();
    const size_t taps = std::max<size_t>(1, row / std::max<size_t>(1, per_group));
    std::vector<double> shifted(outs, 0.0);  // by how much rounding moves the mean of an output
    for (size_t o = 0; o < outs; ++o) {
      for (size_t i = 0; i < row; ++i) {
        const double w = static_cast<double>(l.weights[o * row + i]);
        const double q = rounded(w / unit, -steps, steps - 1, l.clipped);
        l.integers[o * row + i] = static_cast<int8_t>(q);
        const Channel& in = inputs[l.groups > 1 ? o : std::min(i / taps, inputs.size() - 1)];
        const double error = q * unit - w;
        shifted[o] += error * in.sum;
        cost += error * error * std::max(0.0, in.power - in.sum * in.sum);
      }
    }
    return cost + make_bias(l, shifted, unit);
  }

  double make_bias(DraftLayer& l, const std::vector<double>& shifted, double unit) const {
    // Of the bias: 128 times that of a product.
    const double step = unit * d_.tensor(l.sources[0]).step() * 128.0;
    double cost = 0.0;
    l.bias_integers.assign(l.bias.size(), 0);
    for (size_t o = 0; o < shifted.size(); ++o) {
      double error = shifted[o];
      if (!l.bias.empty()) {
        const double b = static_cast<double>(l.bias[o]);
        const double wanted = settings_.correct_bias ? b - shifted[o] : b;
        const double limit = std::ldexp(1.0, 7);
        const double q = rounded(wanted / step, -limit, limit - 1, l.clipped);
        l.bias_integers[o] = static_cast<int8_t>(q);
        error += q * step - b;
      }
      cost += error * error;
    }
    return cost;
  }

  static double rounded(double x, double low, double high, int64_t& clipped) {
    const double q = std::floor(x + 0.5);
    clipped += q < low || q > high ? 1 : 0;
    return std::clamp(q, low, high);
  }

  Draft& d_;
  const Calibration& calibration_;
  const ConvertSettings& settings_;
};

}  // namespace

void make_integers(Draft& draft, const Calibration& calibration, const ConvertSettings& settings) {
  Rounder(draft, calibration, settings).run();
}

}  // namespace edgetwin::max78
