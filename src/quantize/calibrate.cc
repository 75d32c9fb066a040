#include "quantize/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "quantize/float_runs.h"
#include "quantize/observer.h"
#include "quantize/passes.h"

namespace edgetwin::quantize {
namespace {

// A tensor to look at, for all configs that decide over it.
struct Watched {
  ValueId value = kAbsent;
  std::vector<ConfigId> configs;
  std::vector<Seen> seen;  // by sample
  // By sample: the values, where a second look at them is needed.
  std::vector<std::vector<float>> kept;
};

// Values kept for the second look, together; beyond it the network runs a second time.
constexpr int64_t kMostKept = int64_t{1} << 31;

std::vector<Watched> watched(const Net& net) {
  std::map<ValueId, Watched> by_value;
  for (size_t i = 0; i < net.configs().size(); ++i) {
    const auto id = static_cast<ConfigId>(i);
    const Config& c = net.config(id);
    if (c.kind != Config::Kind::activation || net.root(id) != id) continue;
    by_value[c.value].value = c.value;
    by_value[c.value].configs.push_back(id);
  }
  std::vector<Watched> all;
  for (auto& [value, w] : by_value) all.push_back(std::move(w));
  return all;
}

std::span<const float> observed_floats(ByteSpan bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

std::string place_of(const Net& net, ValueId value) {
  const auto op = net.producer(value);
  return op ? op_label(net.graph(), *op) : "input '" + net.graph().value(value).name + "'";
}

Error not_finite(const Net& net, ValueId value, size_t sample) {
  return Error(ErrorCode::quant_not_finite, "the tensor '" + net.graph().value(value).name +
                                                "' holds NaN or infinity in sample " +
                                                std::to_string(sample))
      .in_layer(place_of(net, value));
}

// Sample of each run, in the order in which upstream walks over them again and again.
std::vector<size_t> order_of(size_t samples, int steps) {
  std::vector<size_t> order;
  for (size_t i = 0; i < static_cast<size_t>(steps); ++i) order.push_back(i % samples);
  return order;
}

Range range_of(const Watched& w, const std::vector<size_t>& order, Method method, int bits) {
  std::vector<Seen> runs;
  for (const size_t i : order) runs.push_back(w.seen[i]);
  return method == Method::percentile ? percentile_range(runs, bits) : minmax_range(runs, bits);
}

class Calibration {
 public:
  Calibration(Net& net, std::span<const Sample> samples, const ProgressSink& progress)
      : net_(net),
        samples_(
            samples.first(std::min(samples.size(), static_cast<size_t>(net.settings().steps)))),
        graph_(std::make_shared<const Graph>(with_rounded_parameters(net))),
        order_(order_of(samples_.size(), net.settings().steps)),
        watched_(watched(net)) {
    runs_.threads = net.settings().threads;
    runs_.progress = progress;
    runs_.what = "calibration";
  }

  Status run() {
    EDGETWIN_TRY(look_at_all());
    const Method method = net_.settings().method;
    if (histogram_bins(method, 8) > 0) return count_all();
    for (const Watched& w : watched_) {
      for (const ConfigId id : w.configs) {
        set_range(id, range_of(w, order_, method, net_.config(id).bits));
        note_zero(id);
      }
    }
    return Ok{};
  }

 private:
  void set_range(ConfigId id, const Range& r) {
    Config& c = net_.config(id);
    c.low = r.low;
    c.high = r.high;
    c.exponent = {r.exponent};
  }

  void note_zero(ConfigId id) {
    const Config& c = net_.config(id);
    if (c.low != 0.0F || c.high != 0.0F) return;
    net_.findings.push_back({Severity::warning, "", place_of(net_, c.value),
                             "the tensor '" + net_.graph().value(c.value).name +
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
    const Method method = net_.settings().method;
    keep_ = histogram_bins(method, 8) > 0 && bytes <= kMostKept;
    if (keep_) runs_.to = 0.9;
    return run_samples(graph_, samples_, runs_, [&](size_t i, const exec::Session& s) -> Status {
      for (Watched& w : watched_) {
        const auto values = observed_floats(s.bytes(w.value));
        w.seen[i] = look(values, method == Method::percentile);
        if (!w.seen[i].finite) return not_finite(net_, w.value, i);
        if (keep_) w.kept[i].assign(values.begin(), values.end());
      }
      return Ok{};
    });
  }

  // The second look of the methods that need to know the range before they count, one tensor per
  // thread.
  Status count_all() {
    if (!keep_) return count_again();
    ThreadPool pool(net_.settings().threads);
    pool.parallel_for(static_cast<int64_t>(watched_.size()), 1,
                      [&](int64_t begin, int64_t end, int) {
                        for (int64_t i = begin; i < end; ++i) {
                          Watched& w = watched_[static_cast<size_t>(i)];
                          for (const ConfigId id : w.configs) {
                            Histogram h = histogram_for(w, id);
                            for (size_t k = 0; k < samples_.size(); ++k)
                              h.take(w.kept[k], times(k));
                            set_range(id, range_of_counts(h, id));
                          }
                          w.kept.clear();
                        }
                      });
    for (const Watched& w : watched_) {
      for (const ConfigId id : w.configs) note_zero(id);
    }
    return Ok{};
  }

  // Too much to keep: the network runs again for every tensor's share of the memory.
  Status count_again() {
    runs_.threads = 1;
    std::vector<Histogram> counts;
    for (const Watched& w : watched_) {
      for (const ConfigId id : w.configs) counts.push_back(histogram_for(w, id));
    }
    EDGETWIN_TRY(
        run_samples(graph_, samples_, runs_, [&](size_t i, const exec::Session& s) -> Status {
          auto h = counts.begin();
          for (const Watched& w : watched_) {
            for (size_t k = 0; k < w.configs.size(); ++k)
              (h++)->take(observed_floats(s.bytes(w.value)), times(i));
          }
          return Ok{};
        }));
    auto h = counts.begin();
    for (const Watched& w : watched_) {
      for (const ConfigId id : w.configs) {
        set_range(id, range_of_counts(*h++, id));
        note_zero(id);
      }
    }
    return Ok{};
  }

  Histogram histogram_for(const Watched& w, ConfigId id) const {
    const Range r = range_of(w, order_, Method::minmax, 8);
    return {histogram_bins(net_.settings().method, net_.config(id).bits), std::max(-r.low, r.high)};
  }
  Range range_of_counts(const Histogram& h, ConfigId id) const {
    const int bits = net_.config(id).bits;
    return net_.settings().method == Method::kl ? kl_range(h, bits) : mse_range(h, bits);
  }
  // How often a sample is among the runs.
  int64_t times(size_t sample) const { return std::count(order_.begin(), order_.end(), sample); }

  Net& net_;
  std::span<const Sample> samples_;
  std::shared_ptr<const Graph> graph_;
  std::vector<size_t> order_;
  std::vector<Watched> watched_;
  Runs runs_;
  bool keep_ = false;
};

Error bad_sample(const Graph& graph, size_t sample, size_t input, const std::string& what) {
  return Error(ErrorCode::quant_calibration,
               "sample " + std::to_string(sample) + " for the input '" +
                   graph.value(graph.inputs[input]).name + "' " + what);
}

Status check_sample(const Graph& graph, const Sample& sample, size_t number) {
  if (sample.size() != graph.inputs.size()) {
    return Error(ErrorCode::quant_calibration, "sample " + std::to_string(number) + " has " +
                                                   std::to_string(sample.size()) +
                                                   " tensors, the network has " +
                                                   std::to_string(graph.inputs.size()) + " inputs");
  }
  for (size_t i = 0; i < sample.size(); ++i) {
    const Value& v = graph.value(graph.inputs[i]);
    if (sample[i].dtype != v.dtype) {
      return bad_sample(graph, number, i,
                        "is " + std::string(name(sample[i].dtype)) + ", " +
                            std::string(name(v.dtype)) + " is expected");
    }
    if (!(sample[i].shape == v.shape)) {
      return bad_sample(graph, number, i,
                        "has the shape " + to_string(sample[i].shape) + ", " + to_string(v.shape) +
                            " is expected");
    }
    if (v.dtype == DType::float32 && !look(sample[i].as<float>(), false).finite) {
      return Error(ErrorCode::quant_not_finite, "sample " + std::to_string(number) +
                                                    " for the input '" + v.name +
                                                    "' holds NaN or infinity");
    }
  }
  return Ok{};
}

}  // namespace

Status check_samples(const Graph& graph, const std::vector<Sample>& samples,
                     std::vector<Finding>& findings) {
  if (samples.empty()) {
    return Error(ErrorCode::quant_calibration, "there is no sample to calibrate with");
  }
  for (size_t i = 0; i < samples.size(); ++i) EDGETWIN_TRY(check_sample(graph, samples[i], i));
  if (samples.size() == 1) {
    findings.push_back({Severity::warning, "", "",
                        "calibration with one sample only: ranges are those of this sample",
                        "Give some that differ, as many as the network has kinds of input."});
  }
  return Ok{};
}

Status calibrate(Net& net, const std::vector<Sample>& samples, const ProgressSink& progress) {
  return Calibration(net, samples, progress).run();
}

}  // namespace edgetwin::quantize
