#include "quantize/espdl/passes/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "quantize/calibration/float_runs.h"
#include "quantize/calibration/observer.h"
#include "quantize/espdl/passes/passes.h"

namespace edgetwin::quantize {
namespace {

// A tensor to observe, and the operands of which it decides the range.
struct Watched {
  ValueId value = kAbsent;
  std::vector<QuantId> quants;
  std::vector<RangeStatistics> seen;  // by sample
  // By sample: the values, where a second look at them is needed.
  std::vector<std::vector<float>> kept;
};

// Values kept for the second look, together; beyond it the network runs a second time.
constexpr int64_t kMostKept = int64_t{1} << 31;

std::vector<Watched> watched(const Plan& plan) {
  std::map<ValueId, Watched> by_value;
  for (size_t i = 0; i < plan.quants().size(); ++i) {
    const auto id = static_cast<QuantId>(i);
    const OperandQuant& c = plan.quant(id);
    if (c.kind != OperandQuant::Kind::activation || plan.root(id) != id) continue;
    by_value[c.value].value = c.value;
    by_value[c.value].quants.push_back(id);
  }
  std::vector<Watched> all;
  for (auto& [value, w] : by_value) all.push_back(std::move(w));
  return all;
}

std::span<const float> observed_floats(ByteSpan bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

std::string place_of(const Plan& plan, ValueId value) {
  const auto op = plan.producer(value);
  return op ? op_label(plan.graph(), *op) : "input '" + plan.graph().value(value).name + "'";
}

Error not_finite(const Plan& plan, ValueId value, size_t sample) {
  return Error(ErrorCode::quant_not_finite, "the tensor '" + plan.graph().value(value).name +
                                                "' holds NaN or infinity in sample " +
                                                std::to_string(sample))
      .in_layer(place_of(plan, value));
}

// Sample of each run, in the order in which upstream walks over them again and again.
std::vector<size_t> order_of(size_t samples, int steps) {
  std::vector<size_t> order;
  for (size_t i = 0; i < static_cast<size_t>(steps); ++i) order.push_back(i % samples);
  return order;
}

Range range_of(const Watched& w, const std::vector<size_t>& order, Method method, int bits) {
  std::vector<RangeStatistics> runs;
  for (const size_t i : order) runs.push_back(w.seen[i]);
  return method == Method::percentile ? percentile_range(runs, bits) : minmax_range(runs, bits);
}

class Calibration {
 public:
  Calibration(Plan& plan, std::span<const Sample> samples, const ProgressSink& progress)
      : plan_(plan),
        samples_(
            samples.first(std::min(samples.size(), static_cast<size_t>(plan.settings().steps)))),
        graph_(std::make_shared<const Graph>(with_rounded_parameters(plan))),
        order_(order_of(samples_.size(), plan.settings().steps)),
        watched_(watched(plan)) {
    runs_.threads = plan.settings().threads;
    runs_.progress = progress;
    runs_.what = "calibration";
  }

  Status run() {
    EDGETWIN_TRY(look_at_all());
    const Method method = plan_.settings().method;
    if (histogram_bins(method, 8) > 0) return count_all();
    for (const Watched& w : watched_) {
      for (const QuantId id : w.quants) {
        set_range(id, range_of(w, order_, method, plan_.quant(id).bits));
        note_zero(id);
      }
    }
    return Ok{};
  }

 private:
  void set_range(QuantId id, const Range& r) {
    OperandQuant& c = plan_.quant(id);
    c.low = r.low;
    c.high = r.high;
    c.exponent = {r.exponent};
  }

  void note_zero(QuantId id) {
    const OperandQuant& c = plan_.quant(id);
    if (c.low != 0.0F || c.high != 0.0F) return;
    plan_.findings.push_back({Severity::warning, "", place_of(plan_, c.value),
                              "the tensor '" + plan_.graph().value(c.value).name +
                                  "' was zero in every sample: its exponent says nothing",
                              "Calibrate with data that reaches this layer."});
  }

  Status look_at_all() {
    int64_t bytes = 0;
    for (Watched& w : watched_) {
      w.seen.resize(samples_.size());
      w.kept.resize(samples_.size());
      bytes += graph_->value(w.value).shape.elements() *
               static_cast<int64_t>(sizeof(float) * samples_.size());
    }
    const Method method = plan_.settings().method;
    keep_ = histogram_bins(method, 8) > 0 && bytes <= kMostKept;
    if (keep_) runs_.to = 0.9;
    return run_samples(graph_, samples_, runs_, [&](size_t i, const exec::Session& s) -> Status {
      for (Watched& w : watched_) {
        const auto values = observed_floats(s.bytes(w.value));
        w.seen[i] = observe(values, method == Method::percentile);
        if (!w.seen[i].finite) return not_finite(plan_, w.value, i);
        if (keep_) w.kept[i].assign(values.begin(), values.end());
      }
      return Ok{};
    });
  }

  // The second look of the methods that need to know the range before they count, one tensor per
  // thread.
  Status count_all() {
    if (!keep_) return count_again();
    ThreadPool pool(plan_.settings().threads);
    pool.parallel_for(static_cast<int64_t>(watched_.size()), 1,
                      [&](int64_t begin, int64_t end, int) {
                        for (int64_t i = begin; i < end; ++i) {
                          Watched& w = watched_[static_cast<size_t>(i)];
                          for (const QuantId id : w.quants) {
                            Histogram h = histogram_for(w, id);
                            for (size_t k = 0; k < samples_.size(); ++k)
                              h.take(w.kept[k], times(k));
                            set_range(id, range_of_counts(h, id));
                          }
                          w.kept.clear();
                        }
                      });
    for (const Watched& w : watched_) {
      for (const QuantId id : w.quants) note_zero(id);
    }
    return Ok{};
  }

  // Too much to keep: the network runs again for every tensor's share of the memory.
  Status count_again() {
    runs_.threads = 1;
    std::vector<Histogram> counts;
    for (const Watched& w : watched_) {
      for (const QuantId id : w.quants) counts.push_back(histogram_for(w, id));
    }
    EDGETWIN_TRY(
        run_samples(graph_, samples_, runs_, [&](size_t i, const exec::Session& s) -> Status {
          auto h = counts.begin();
          for (const Watched& w : watched_) {
            for (size_t k = 0; k < w.quants.size(); ++k)
              (h++)->take(observed_floats(s.bytes(w.value)), times(i));
          }
          return Ok{};
        }));
    auto h = counts.begin();
    for (const Watched& w : watched_) {
      for (const QuantId id : w.quants) {
        set_range(id, range_of_counts(*h++, id));
        note_zero(id);
      }
    }
    return Ok{};
  }

  Histogram histogram_for(const Watched& w, QuantId id) const {
    const Range r = range_of(w, order_, Method::minmax, 8);
    return {histogram_bins(plan_.settings().method, plan_.quant(id).bits),
            std::max(-r.low, r.high)};
  }
  Range range_of_counts(const Histogram& h, QuantId id) const {
    const int bits = plan_.quant(id).bits;
    return plan_.settings().method == Method::kl ? kl_range(h, bits) : mse_range(h, bits);
  }
  // How often a sample is among the runs.
  int64_t times(size_t sample) const { return std::count(order_.begin(), order_.end(), sample); }

  Plan& plan_;
  std::span<const Sample> samples_;
  std::shared_ptr<const Graph> graph_;
  std::vector<size_t> order_;
  std::vector<Watched> watched_;
  Runs runs_;
  bool keep_ = false;
};

}  // namespace

Status calibrate(Plan& plan, const std::vector<Sample>& samples, const ProgressSink& progress) {
  return Calibration(plan, samples, progress).run();
}

}  // namespace edgetwin::quantize
