#include "train/tune/twin_score.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "exec/session.h"
#include "formats/espdl/document/numerics_name.h"
#include "quantize/espdl/dequantize.h"
#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

constexpr double kLeastProbability = 1e-30;

class Scorer {
 public:
  Scorer(const quantize::Quantized& q, const quantize::Settings& settings, const OutputForm& form,
         bool softmax)
      : q_(q), settings_(settings), form_(form), softmax_(softmax) {}

  Status prepare(int workers) {
    exec::Options options;
    options.numerics = espdl::numerics_of(settings_.target);
    options.runtime = settings_.runtime;
    options.allow_undefined = true;
    const auto graph = std::make_shared<const Graph>(q_.graph);
    for (int i = 0; i < workers; ++i) {
      EDGETWIN_TRY_ASSIGN(exec::Session session, exec::Session::create(graph, options));
      sessions_.push_back(std::move(session));
    }
    return Ok{};
  }

  Result<ItemLoss> one(const Items& items, size_t item, int worker) {
    exec::Session& session = sessions_[static_cast<size_t>(worker)];
    Numbers input;
    items.input(item, input);
    const std::vector<float> values(input.begin(), input.end());
    const ValueId in = q_.graph.inputs[0];
    EDGETWIN_TRY(session.set_input(0, quantize::integer_values(q_, values, in, settings_.target)));
    session.reset_variables();
    EDGETWIN_TRY(session.run());
    note(session.run_findings());
    const ValueId out = q_.graph.outputs[0];
    const std::vector<float> real = quantize::real_values(q_, session, session.graph(), out, out);
    Numbers outputs(real.begin(), real.end());
    if (softmax_ && form_.kind != TargetKind::values) {
      for (double& p : outputs) p = logarithm(std::max(p, kLeastProbability));
    }
    return loss_of_item(form_, outputs, items.set(), item, 0, nullptr);
  }

  std::vector<std::string> warnings() const { return {warnings_.begin(), warnings_.end()}; }

 private:
  void note(const std::vector<Finding>& findings) {
    if (findings.empty()) return;
    const std::lock_guard lock(mutex_);
    for (const Finding& f : findings) warnings_.insert(f.place.layer);
  }

  const quantize::Quantized& q_;
  const quantize::Settings& settings_;
  const OutputForm& form_;
  bool softmax_;
  std::vector<exec::Session> sessions_;
  std::mutex mutex_;
  std::set<std::string> warnings_;
};

}  // namespace

Result<TwinScore> twin_score(const quantize::Quantized& quantized,
                             const quantize::Settings& settings, const OutputForm& form,
                             bool softmax, const Items& items, std::span<const uint32_t> which,
                             ThreadPool& pool) {
  Scorer scorer(quantized, settings, form, softmax);
  EDGETWIN_TRY(scorer.prepare(pool.size()));
  std::vector<ItemLoss> losses(which.size());
  std::vector<Status> failed(static_cast<size_t>(pool.size()), Ok{});
  pool.parallel_for(static_cast<int64_t>(which.size()), 1,
                    [&](int64_t first, int64_t last, int worker) {
                      for (int64_t i = first; i < last; ++i) {
                        const auto at = static_cast<size_t>(i);
                        auto loss = scorer.one(items, which[at], worker);
                        if (loss) {
                          losses[at] = *loss;
                        } else {
                          failed[static_cast<size_t>(worker)] = loss.error();
                        }
                      }
                    });
  for (const Status& status : failed) EDGETWIN_TRY(status);
  TwinScore result;
  for (const ItemLoss& l : losses) result.score.add(l);
  result.warnings = scorer.warnings();
  return result;
}

}  // namespace edgetwin::train
