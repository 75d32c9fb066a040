#include "quantize/espdl/analyse.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "formats/espdl/document/numerics_name.h"
#include "quantize/calibration/float_runs.h"
#include "quantize/espdl/dequantize.h"

namespace edgetwin::quantize {
namespace {

// Sums over one tensor, in double and in one order.
struct Power {
  double signal = 0.0, noise = 0.0, other = 0.0, product = 0.0;

  void add(float wanted, float got) {
    const auto f = static_cast<double>(wanted);
    const auto q = static_cast<double>(got);
    signal += f * f;
    noise += (f - q) * (f - q);
    other += q * q;
    product += f * q;
  }
  double ratio() const { return signal > 0.0 ? noise / signal : (noise > 0.0 ? INFINITY : 0.0); }
  double cosine() const {
    return signal > 0.0 && other > 0.0 ? product / std::sqrt(signal * other) : 1.0;
  }
};

struct Layer {
  size_t op = 0;
  ValueId value = kAbsent;   // of the quantized graph
  ValueId origin = kAbsent;  // of the float graph
  Power alone, accumulated;
  std::vector<Power> channels;
  std::optional<exec::Session> session;             // of the operator alone
  std::vector<std::pair<ValueId, ValueId>> inputs;  // of its own graph, of the quantized graph
};

std::span<const float> float_values(const exec::Session& s, ValueId id) {
  const ByteSpan b = s.bytes(id);
  return {reinterpret_cast<const float*>(b.data()), b.size() / sizeof(float)};
}

class Analyser {
 public:
  Analyser(const Quantized& q, const Settings& settings) : q_(q), settings_(settings) {}

  // `mine`: which layers are analysed.
  Status prepare(const std::function<bool(size_t)>& mine) {
    exec::Options options;
    options.keep_all = true;
    options.threads = settings_.threads;
    options.numerics = kFloatNumerics;
    EDGETWIN_TRY_ASSIGN(
        float_, exec::Session::create(std::make_shared<const Graph>(q_.reference), options));
    options.numerics = espdl::numerics_of(settings_.target);
    options.allow_undefined = true;
    options.runtime = settings_.runtime;
    EDGETWIN_TRY_ASSIGN(chip_,
                        exec::Session::create(std::make_shared<const Graph>(q_.graph), options));
    outputs_.resize(q_.graph.outputs.size());
    for (size_t i = 0; i < q_.graph.ops.size(); ++i) {
      if (!is_layer(i)) continue;
      if (mine(count_)) {
        numbers_.push_back(count_);
        EDGETWIN_TRY(add_layer(i, options));
      }
      ++count_;
    }
    return Ok{};
  }

  Status take(const Sample& sample) {
    for (size_t i = 0; i < sample.size(); ++i) {
      EDGETWIN_TRY(float_->set_input(i, sample[i].data));
      const Value& v = q_.graph.value(q_.graph.inputs[i]);
      const bool real = sample[i].dtype == DType::float32;
      EDGETWIN_TRY(chip_->set_input(
          i, real ? integer_values(q_, sample[i].as<float>(), q_.graph.inputs[i], settings_.target)
                  : sample[i].data));
      (void)v;
    }
    EDGETWIN_TRY(float_->run());
    EDGETWIN_TRY(chip_->run());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      add(q_.graph.outputs[i], q_.reference.outputs[i], outputs_[i]);
    }
    for (Layer& l : layers_) EDGETWIN_TRY(take_layer(l));
    return Ok{};
  }

  size_t count() const { return count_; }
  const std::vector<size_t>& numbers() const { return numbers_; }

  Analysis result() const {
    Analysis a;
    Power all;
    for (const Power& p : outputs_) {
      all.signal += p.signal;
      all.noise += p.noise;
      all.other += p.other;
      all.product += p.product;
    }
    a.output_noise = all.ratio();
    a.output_cosine = all.cosine();
    for (const Layer& l : layers_) a.layers.push_back(noise_of(l));
    return a;
  }

 private:
  void add(ValueId value, ValueId origin, Power& power) {
    const auto wanted = float_values(*float_, origin);
    const auto got = real_values(q_, *chip_, q_.graph, value, value);
    for (size_t i = 0; i < std::min(wanted.size(), got.size()); ++i) power.add(wanted[i], got[i]);
  }

  // An operator that has a result in the float network, and an operand that is not constant.
  bool is_layer(size_t index) const {
    const Op& op = q_.graph.ops[index];
    if (q_.origin[static_cast<size_t>(op.outputs[0])] == kAbsent || op.kind == OpKind::transpose ||
        op.kind == OpKind::quantize) {
      return false;
    }
    return std::ranges::any_of(op.inputs, [this](ValueId id) {
      return id != kAbsent && !q_.graph.value(id).is_constant();
    });
  }

  // The operator as a network of its own.
  Status add_layer(size_t index, const exec::Options& options) {
    const Op& op = q_.graph.ops[index];
    Layer l;
    l.op = index;
    l.value = op.outputs[0];
    l.origin = q_.origin[static_cast<size_t>(l.value)];
    Graph g;
    Op one = op;
    std::map<ValueId, ValueId> ids;
    const auto take = [&](ValueId id) {
      const auto [at, is_new] = ids.try_emplace(id, static_cast<ValueId>(g.values.size()));
      if (is_new) g.values.push_back(q_.graph.value(id));
      return at->second;
    };
    bool known = true;  // whether the float network has all of its operands
    for (ValueId& id : one.inputs) {
      if (id == kAbsent) continue;
      const ValueId old = id;
      id = take(old);
      if (q_.graph.value(old).is_constant()) continue;
      known = known && q_.origin[static_cast<size_t>(old)] != kAbsent;
      if (std::find(g.inputs.begin(), g.inputs.end(), id) == g.inputs.end()) {
        g.inputs.push_back(id);
        l.inputs.emplace_back(id, old);
      }
    }
    for (ValueId& id : one.outputs) g.outputs.push_back(id = take(id));
    if (one.table != kAbsent) one.table = take(one.table);
    g.ops.push_back(std::move(one));
    if (known) {
      EDGETWIN_TRY_ASSIGN(
          l.session, exec::Session::create(std::make_shared<const Graph>(std::move(g)), options));
    }
    layers_.push_back(std::move(l));
    return Ok{};
  }

  Status take_layer(Layer& l) {
    add(l.value, l.origin, l.accumulated);
    if (!l.session) return Ok{};
    for (size_t i = 0; i < l.inputs.size(); ++i) {
      const ValueId id = l.inputs[i].second;
      const auto values = float_values(*float_, q_.origin[static_cast<size_t>(id)]);
      EDGETWIN_TRY(l.session->set_input(i, integer_values(q_, values, id, settings_.target)));
    }
    EDGETWIN_TRY(l.session->run());
    const ValueId out = l.session->graph().outputs[0];
    const auto wanted = float_values(*float_, l.origin);
    const auto got = real_values(q_, *l.session, l.session->graph(), out, l.value);
    const Shape& shape = q_.reference.value(l.origin).shape;
    const int64_t channels = shape.rank() > 1 ? shape[1] : 1;
    const int64_t inner =
        shape.rank() > 1 ? std::max<int64_t>(1, shape.elements(2, shape.rank())) : 1;
    l.channels.resize(static_cast<size_t>(std::max<int64_t>(1, channels)));
    for (size_t i = 0; i < std::min(wanted.size(), got.size()); ++i) {
      l.alone.add(wanted[i], got[i]);
      const auto c =
          static_cast<size_t>(static_cast<int64_t>(i) / inner % std::max<int64_t>(1, channels));
      l.channels[c].add(wanted[i], got[i]);
    }
    return Ok{};
  }

  LayerNoise noise_of(const Layer& l) const {
    LayerNoise n;
    const Value& v = q_.graph.value(l.value);
    n.layer = op_label(q_.graph, l.op);
    n.name = q_.graph.ops[l.op].name;
    n.tensor = v.name;
    n.bits = bits(v.dtype);
    n.exponent = v.quant.present() ? v.quant.exponent[0] : 0;
    if (l.session) n.alone = l.alone.ratio();
    n.accumulated = l.accumulated.ratio();
    n.cosine = l.accumulated.cosine();
    for (size_t c = 0; c < l.channels.size(); ++c) {
      if (l.channels[c].noise > 0.0) {
        n.worst.push_back({static_cast<int64_t>(c), l.channels[c].ratio()});
      }
    }
    std::stable_sort(
        n.worst.begin(), n.worst.end(),
        [](const ChannelNoise& a, const ChannelNoise& b) { return a.noise > b.noise; });
    if (n.worst.size() > 3) n.worst.resize(3);
    return n;
  }

  const Quantized& q_;
  const Settings& settings_;
  std::optional<exec::Session> float_, chip_;
  std::vector<Layer> layers_;
  std::vector<Power> outputs_;
  size_t count_ = 0;             // of layers
  std::vector<size_t> numbers_;  // of those in layers_
};

Result<Analysis> run(const Quantized& quantized, const std::vector<Sample>& samples,
                     const Settings& settings, bool layers, const ProgressSink& progress) {
  Analyser a(quantized, settings);
  EDGETWIN_TRY(a.prepare([layers](size_t) { return layers; }));
  for (size_t i = 0; i < samples.size(); ++i) {
    EDGETWIN_TRY(a.take(samples[i]));
    if (progress)
      progress(static_cast<double>(i + 1) / static_cast<double>(samples.size()), "analysis");
  }
  return a.result();
}

}  // namespace

Result<Analysis> analyse(const Quantized& quantized, const std::vector<Sample>& samples,
                         const Settings& settings, const ProgressSink& progress) {
  return run(quantized, samples, settings, true, progress);
}

Result<AnalysisShare> analyse_share(const Quantized& quantized, const std::vector<Sample>& samples,
                                    const Settings& settings,
                                    const std::function<bool(size_t)>& mine) {
  Analyser a(quantized, settings);
  EDGETWIN_TRY(a.prepare(mine));
  for (const Sample& sample : samples) EDGETWIN_TRY(a.take(sample));
  return AnalysisShare{a.count(), a.numbers(), a.result()};
}

Result<Analysis> compare_outputs(const Quantized& quantized, const std::vector<Sample>& samples,
                                 const Settings& settings) {
  return run(quantized, samples, settings, false, nullptr);
}

}  // namespace edgetwin::quantize
