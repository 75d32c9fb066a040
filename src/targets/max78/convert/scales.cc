// Powers of two for tensors and weights, and the integers that follow.
//
// An activation q stands for q / 128 * 2^e (times a stretch that the weights take up), a weight of
// b bits for q / 2^(b-1) * 2^s. The chip computes sum * 2^(shift + 8 - b) / 128; with shift = s +
// e(in) - e(out) that is the result in its own unit. The accumulator gets 128 times the bias, so
// that a bias q stands for q / 2^(b-1) * 2^(s + e(in)): a large bias makes s larger.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "numerics/rounding.h"
#include "quantize/calibrate.h"
#include "quantize/float_runs.h"
#include "quantize/observer.h"
#include "targets/max78/convert/convert.h"

namespace edgetwin::max78 {
namespace {

using quantize::Method;
using quantize::Sample;
using quantize::Seen;

struct Channel {
  double sum = 0, power = 0;
};

struct Statistics {
  std::vector<Seen> runs;
  std::vector<std::vector<Channel>> channels;  // by run
  int64_t pixels = 0;
  std::optional<quantize::Histogram> histogram;
};

std::vector<float> values_of(const exec::Session& session, const DraftTensor& t) {
  const ByteSpan bytes = session.bytes(t.value);
  std::vector<float> v(bytes.size() / sizeof(float));
  std::memcpy(v.data(), bytes.data(), v.size() * sizeof(float));
  if (t.rectify) {
    for (float& x : v) x = std::max(x, 0.0F);
  }
  return v;
}

class Calibration {
 public:
  Calibration(const Draft& d, const std::vector<Sample>& samples, const ConvertSettings& settings)
      : d_(d), samples_(samples), settings_(settings), all_(d.tensors.size()) {
    for (Statistics& s : all_) {
      s.runs.resize(samples.size());
      s.channels.resize(samples.size());
    }
  }

  Status run(const std::shared_ptr<const Graph>& graph, const ProgressSink& progress) {
    quantize::Runs runs;
    runs.threads = settings_.threads;
    runs.progress = progress;
    runs.what = "float runs";
    const bool histograms = quantize::histogram_bins(settings_.method, 8) > 0;
    runs.to = histograms ? 0.5 : 1.0;
    EDGETWIN_TRY(quantize::run_samples(
        graph, samples_, runs, [&](size_t i, const auto& session) { return take(i, session); }));
    if (!histograms) return Ok{};
    prepare_histograms();
    runs.threads = 1;  // the counts of all samples go into one histogram
    runs.from = 0.5;
    runs.to = 1.0;
    return quantize::run_samples(graph, samples_, runs, [&](size_t, const auto& session) {
      for (size_t t = 0; t < all_.size(); ++t) {
        if (d_.tensors[t].value == kAbsent) continue;
        all_[t].histogram->take(values_of(session, d_.tensors[t]), 1);
      }
      return Status(Ok{});
    });
  }

  // The exponent of the range that the method makes; nothing where all was zero.
  std::optional<int> exponent(size_t t) const {
    const Statistics& s = all_[t];
    if (d_.tensors[t].value == kAbsent) return std::nullopt;
    quantize::Range r;
    switch (settings_.method) {
      case Method::minmax:
        r = quantize::minmax_range(s.runs, 8);
        break;
      // The mean over the runs, which the method has elsewhere, clips what few values of one run
      // reach; here the widest run counts.
      case Method::percentile:
        for (const Seen& run : s.runs) {
          r.low = std::min(r.low, run.low_percentile);
          r.high = std::max(r.high, run.high_percentile);
        }
        break;
      case Method::kl:
        r = quantize::kl_range(*s.histogram, 8);
        break;
      case Method::mse:
        r = quantize::mse_range(*s.histogram, 8);
        break;
    }
    const float most = std::max(r.high, -r.low);
    if (most == 0.0F) return std::nullopt;
    if (settings_.method == Method::kl) return r.exponent + 7;
    // A range that ends at a power of two loses one step at its end, not one bit everywhere.
    return static_cast<int>(std::ceil(std::log2(static_cast<double>(most))));
  }

  // The largest magnitude seen.
  double most(size_t t) const {
    double value = 0.0;
    for (const Seen& s : all_[t].runs) {
      value = std::max({value, static_cast<double>(s.high), static_cast<double>(-s.low)});
    }
    return value;
  }

  // Mean and mean square of a channel over all samples.
  Channel channel(size_t t, size_t c) const {
    Channel sum;
    for (const auto& run : all_[t].channels) {
      if (c >= run.size()) continue;
      sum.sum += run[c].sum;
      sum.power += run[c].power;
    }
    const auto n = static_cast<double>(all_[t].pixels) * static_cast<double>(samples_.size());
    if (n > 0) return {sum.sum / n, sum.power / n};
    return sum;
  }

 private:
  Status take(size_t i, const exec::Session& session) {
    for (size_t t = 0; t < all_.size(); ++t) {
      const DraftTensor& tensor = d_.tensors[t];
      if (tensor.value == kAbsent) continue;
      const std::vector<float> v = values_of(session, tensor);
      Statistics& s = all_[t];
      s.runs[i] = quantize::look(v, settings_.method == Method::percentile);
      if (!s.runs[i].finite) {
        return Error(ErrorCode::quant_not_finite,
                     "sample " + std::to_string(i) + " gives a value that is not finite")
            .in_field(session.graph().value(tensor.value).name);
      }
      const auto channels = static_cast<size_t>(tensor.channels);
      const size_t pixels = v.size() / channels;
      if (i == 0) s.pixels = static_cast<int64_t>(pixels);
      s.channels[i].resize(channels);
      for (size_t c = 0; c < channels; ++c) {
        for (size_t p = 0; p < pixels; ++p) {
          const double x = v[c * pixels + p];
          s.channels[i][c].sum += x;
          s.channels[i][c].power += x * x;
        }
      }
    }
    return Ok{};
  }

  void prepare_histograms() {
    const int bins = quantize::histogram_bins(settings_.method, 8);
    for (Statistics& s : all_) {
      float most = 0.0F;
      for (const Seen& r : s.runs) most = std::max({most, r.high, -r.low});
      s.histogram.emplace(bins, most);
    }
  }

  const Draft& d_;
  const std::vector<Sample>& samples_;
  const ConvertSettings& settings_;
  std::vector<Statistics> all_;
};

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

class Scaler {
 public:
  Scaler(Draft& d, const Calibration& c, const ConvertSettings& s)
      : d_(d), calibration_(c), settings_(s) {}

  void run() {
    exponents();
    for (DraftLayer& l : d_.layers) {
      if (!l.has_weights()) continue;
      l.bits = bits_of(l);
      if (l.bits < 8 && last_pass_is_short(l)) {
        if (!l.identity) {
          d_.note(Severity::warning, l.node, "its weights keep 8 bits: " + short_pass_text(l));
        }
        l.bits = 8;
      }
      choose(l);
    }
  }

 private:
  void exponents() {
    const std::vector<size_t> group = groups_of(d_);
    for (size_t g = 0; g < group.size(); ++g) {
      std::optional<int> most;
      for (size_t t = 0; t < group.size(); ++t) {
        if (group[t] != g) continue;
        const auto e = calibration_.exponent(t);
        if (e) most = std::max(most.value_or(*e), *e);
        if (!e && d_.tensors[t].value != kAbsent && d_.tensors[t].producer >= -1) {
          d_.note(Severity::warning, d_.tensors[t].name, "was zero in every sample");
        }
      }
      for (size_t t = 0; t < group.size(); ++t) {
        if (group[t] == g) d_.tensors[t].exponent = most.value_or(0);
      }
      stretch(group, g);
    }
  }

  // Where nothing that shares the scale leaves the limit of a Clip, 127 is that limit.
  void stretch(const std::vector<size_t>& group, size_t g) {
    double limit = 0.0;
    for (size_t t = 0; t < group.size(); ++t) {
      if (group[t] != g) continue;
      if (t == 0) return;  // the input has a power of two
      limit = std::max(limit, d_.tensors[t].limit);
    }
    if (limit == 0.0) return;
    for (size_t t = 0; t < group.size(); ++t) {
      if (group[t] == g && calibration_.most(t) > limit * 1.0001) return;
    }
    int exponent = 0;
    const double part = std::frexp(limit * 128.0 / 127.0, &exponent);
    for (size_t t = 0; t < group.size(); ++t) {
      if (group[t] != g) continue;
      d_.tensors[t].exponent = exponent;
      d_.tensors[t].stretch = part;
    }
  }

  // What real weights are multiplied by, for those that the device has between its integers.
  double factor(const DraftLayer& l) const {
    return d_.tensor(l.sources[0]).stretch / d_.tensor(l.out).stretch;
  }

  // The order of kernels in memory, which the vendor's loader has, does not count narrow weights
  // rightly where the last pass over the input has fewer channels than the others.
  bool last_pass_is_short(const DraftLayer& l) const {
    const DraftTensor& t = d_.tensor(l.sources[0]);
    return t.passes() > 1 && t.passes() * t.width() != t.channels && l.groups == 1;
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
  Scaler(draft, calibration, settings).run();
  return Ok{};
}

}  // namespace edgetwin::max78
