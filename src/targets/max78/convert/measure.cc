// The written network on the twin against the float network.
#include <algorithm>
#include <cmath>

#include "quantize/calibration/float_runs.h"
#include "targets/max78/convert/convert.h"
#include "targets/max78/convert/scale/calibration.h"
#include "targets/max78/network/resolve.h"
#include "targets/max78/simulate/layer_math.h"
#include "targets/max78/simulate/simulate.h"

namespace edgetwin::max78 {
namespace {

using quantize::Sample;

struct Sums {
  double noise = 0, signal = 0, product = 0, other = 0;
  void add(double reference, double value) {
    noise += (reference - value) * (reference - value);
    signal += reference * reference;
    product += reference * value;
    other += value * value;
  }
  double ratio() const { return signal > 0 ? noise / signal : (noise > 0 ? 1.0 : 0.0); }
  double cosine() const {
    return signal > 0 && other > 0 ? product / std::sqrt(signal * other) : (noise > 0 ? 0.0 : 1.0);
  }
};

struct LayerSums {
  Sums accumulated;
  std::vector<Sums> alone;  // by channel
};

class Measure {
 public:
  Measure(const Conversion& c, const Graph& graph, int threads)
      : d_(c.draft), graph_(graph), pool_(threads), sums_(d_.layers.size()) {
    const DraftTensor& in = d_.tensor(0);
    const SampleShape shape = {in.channels, in.h, in.w};
    plan_ = resolve(c.network, c.parameters, shape, Options(), findings_);
    if (!plan_) return;
    for (const ResolvedLayer& l : plan_->resolved_layers) {
      if (!l.passthrough()) kernels_.emplace_back(LayerKernel(l, false));
      if (l.passthrough()) kernels_.emplace_back();
    }
  }

  Status run(const std::vector<Sample>& samples, int threads, const ProgressSink& progress) {
    if (!plan_) return error_of(findings_.back(), ErrorCode::max78_rules);
    EDGETWIN_TRY_ASSIGN(
        Simulation simulation,
        Simulation::make(*plan_, {.trace = true, .plain = false, .threads = threads}));
    quantize::Runs runs;
    runs.progress = progress;
    runs.what = "twin";
    return quantize::run_samples(
        std::make_shared<const Graph>(graph_), samples, runs,
        [&](size_t i, const auto& session) { return take(simulation, samples[i][0], session); });
  }

  ConversionNoise result(size_t samples) const {
    ConversionNoise r;
    for (size_t i = 0; i < d_.layers.size(); ++i) {
      const DraftTensor& t = d_.tensor(d_.layers[i].out);
      if (t.value == kAbsent) continue;
      r.analysis.layers.push_back(layer(i));
    }
    r.analysis.output_noise = outputs_.ratio();
    r.analysis.output_cosine = outputs_.cosine();
    r.same_top = same_top_;
    r.samples = static_cast<int64_t>(samples);
    return r;
  }

 private:
  quantize::LayerNoise layer(size_t i) const {
    const DraftLayer& l = d_.layers[i];
    const DraftTensor& t = d_.tensor(l.out);
    quantize::LayerNoise n;
    n.layer = l.name;
    n.name = l.node;
    n.tensor = graph_.value(t.value).name;
    n.bits = l.has_weights() ? l.bits : 8;
    n.exponent = t.exponent - 7;
    n.accumulated = sums_[i].accumulated.ratio();
    n.cosine = sums_[i].accumulated.cosine();
    if (sums_[i].alone.empty()) return n;
    Sums all;
    for (size_t c = 0; c < sums_[i].alone.size(); ++c) {
      const Sums& s = sums_[i].alone[c];
      all.noise += s.noise;
      all.signal += s.signal;
      n.worst.push_back({static_cast<int64_t>(c), s.ratio()});
    }
    n.alone = all.ratio();
    std::stable_sort(n.worst.begin(), n.worst.end(),
                     [](const auto& a, const auto& b) { return a.noise > b.noise; });
    n.worst.resize(std::min<size_t>(3, n.worst.size()));
    return n;
  }

  Status take(Simulation& simulation, const Tensor& sample, const exec::Session& session) {
    EDGETWIN_TRY_ASSIGN(const Tensor input, device_input(d_, sample));
    EDGETWIN_TRY_ASSIGN(const SimulationResult twin, simulation.run(input));
    for (const LayerResult& r : twin.layers) {
      const auto i = static_cast<size_t>(r.layer);
      const DraftTensor& t = d_.tensor(d_.layers[i].out);
      if (t.value == kAbsent) continue;
      each(t, r.out, session, [&](size_t, double reference, double value) {
        sums_[i].accumulated.add(reference, value);
        if (t.output) outputs_.add(reference, value);
      });
      alone(i, session);
    }
    top(twin, session);
    return Ok{};
  }

  // Calls `use` with channel, float value and the device's, as far as the float network has them.
  template <class Use>
  static void each(const DraftTensor& t, const Tensor& out, const exec::Session& session,
                   const Use& use) {
    const std::vector<float> reference = values_of(t, session);
    const int rows = (t.h + t.stride.h - 1) / t.stride.h;
    const int columns = (t.w + t.stride.w - 1) / t.stride.w;
    const auto q = out.as<int8_t>();
    if (reference.size() != static_cast<size_t>(t.channels) * static_cast<size_t>(rows * columns))
      return;
    const double step = t.step();
    size_t at = 0;
    for (int c = 0; c < t.channels; ++c) {
      for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x, ++at) {
          const auto from = static_cast<size_t>((c * t.h + y * t.stride.h) * t.w + x * t.stride.w);
          use(static_cast<size_t>(c), static_cast<double>(reference[at]),
              static_cast<double>(q[from]) * step);
        }
      }
    }
  }

  // A tensor of the float network as the device would have it; nothing where the float network has
  // a part of it only.
  std::optional<Picture> picture(int tensor, const exec::Session& session) const {
    const DraftTensor& t = d_.tensor(tensor);
    if (t.value == kAbsent || !(t.stride == Size2{})) return std::nullopt;
    const std::vector<float> v = values_of(t, session);
    Tensor q;
    q.dtype = DType::int8;
    q.shape = {t.channels, t.h, t.w};
    if (v.size() != static_cast<size_t>(q.shape.elements())) return std::nullopt;
    q.data.resize(v.size());
    for (size_t i = 0; i < v.size(); ++i) {
      const double x = std::floor(static_cast<double>(v[i]) / t.step() + 0.5);
      q.as<int8_t>()[i] = static_cast<int8_t>(std::clamp(x, -128.0, 127.0));
    }
    return picture_of(q);
  }

  void alone(size_t i, const exec::Session& session) {
    const DraftLayer& l = d_.layers[i];
    const ResolvedLayer& p = plan_->layer(static_cast<int>(i));
    std::vector<Picture> parts;
    for (const int s : l.sources) {
      auto one = picture(s, session);
      if (!one) return;
      parts.push_back(std::move(*one));
    }
    if (!p.eltwise() && parts.size() > 1) {
      std::vector<const Picture*> all;
      for (const Picture& x : parts) all.push_back(&x);
      Picture whole = joined(all);
      parts.clear();
      parts.push_back(std::move(whole));
    }
    for (Picture& x : parts) {
      if (x.h != p.in_dim.h || x.w != p.in_dim.w) x = viewed(x, p.in_dim.h, p.in_dim.w);
      if (p.pools() || p.pool_stride.h > 1 || p.pool_stride.w > 1)
        x = pooled(p, x, Options(), pool_);
    }
    Picture in = p.eltwise() ? combined(p, parts) : std::move(parts.front());
    if (p.flatten) in = flattened(in);
    const Picture out = p.passthrough() ? std::move(in) : kernels_[i]->run(in, pool_);
    const DraftTensor& t = d_.tensor(l.out);
    auto& sums = sums_[i].alone;
    sums.resize(static_cast<size_t>(t.channels));
    each(t, to_tensor(out), session,
         [&](size_t c, double reference, double value) { sums[c].add(reference, value); });
  }

  void top(const SimulationResult& twin, const exec::Session& session) {
    const DraftTensor& t = d_.tensor(d_.outputs[0]);
    for (const LayerResult& r : twin.layers) {
      if (d_.layers[static_cast<size_t>(r.layer)].out != d_.outputs[0]) continue;
      std::pair<double, size_t> reference = {-INFINITY, 0}, device = {-INFINITY, 0};
      size_t at = 0;
      // Where the device has the same number several times, any of them counts.
      std::vector<double> values;
      each(t, r.out, session, [&](size_t, double f, double q) {
        if (f > reference.first) reference = {f, at};
        device.first = std::max(device.first, q);
        values.push_back(q);
        ++at;
      });
      const bool same = !values.empty() && values[reference.second] == device.first;
      same_top_ += same ? 1 : 0;
    }
  }

  const Draft& d_;
  const Graph& graph_;
  ThreadPool pool_;
  Findings findings_;
  std::optional<ResolvedNetwork> plan_;
  std::vector<std::optional<LayerKernel>> kernels_;
  std::vector<LayerSums> sums_;
  Sums outputs_;
  int64_t same_top_ = 0;
};

}  // namespace

Result<ConversionNoise> measure(const Conversion& conversion, const Graph& graph,
                                const std::vector<Sample>& samples, int threads,
                                const ProgressSink& progress) {
  Measure m(conversion, graph, threads);
  EDGETWIN_TRY(m.run(samples, threads, progress));
  return m.result(samples.size());
}

}  // namespace edgetwin::max78
