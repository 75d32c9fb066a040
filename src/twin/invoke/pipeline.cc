// Segments of a network as one runner.
#include <algorithm>
#include <optional>
#include <system_error>
#include <thread>

#include "edgetwin/invoker.h"
#include "twin/runners.h"

namespace edgetwin {
namespace {

size_t port_bytes(const Port& port) {
  return static_cast<size_t>(storage_bytes(port.dtype, port.shape.elements()));
}

class PipelineRunner final : public twin::PortedRunner {
 public:
  static Result<std::unique_ptr<Runner>> make(std::vector<std::unique_ptr<Runner>> segments) {
    if (segments.empty()) return Error(ErrorCode::device_request, "a pipeline without segments");
    auto made = std::make_unique<PipelineRunner>();
    for (size_t s = 0; s < segments.size(); ++s) {
      std::vector<size_t> sources;
      if (s > 0) {
        EDGETWIN_TRY_ASSIGN(sources, sources_of(*segments[s - 1], *segments[s], s));
      }
      made->sources_.push_back(std::move(sources));
      const auto findings = segments[s]->findings();
      made->findings_.insert(made->findings_.end(), findings.begin(), findings.end());
    }
    const auto inputs = segments.front()->inputs(), outputs = segments.back()->outputs();
    made->inputs_.assign(inputs.begin(), inputs.end());
    made->outputs_.assign(outputs.begin(), outputs.end());
    made->segments_ = std::move(segments);
    return std::unique_ptr<Runner>(std::move(made));
  }

  Where where() const override { return segments_.front()->where(); }
  std::string numerics() const override { return segments_.front()->numerics(); }
  std::string description() const override {
    std::string text = "pipeline of " + std::to_string(segments_.size()) + ": ";
    for (size_t s = 0; s < segments_.size(); ++s)
      text += (s > 0 ? "; " : "") + segments_[s]->description();
    return text;
  }
  Status reset() override {
    for (const auto& segment : segments_) EDGETWIN_TRY(segment->reset());
    return Ok{};
  }

  Result<Run> run(std::span<const Tensor> inputs) override {
    Run now;
    now.outputs = {inputs.begin(), inputs.end()};
    for (size_t s = 0; s < segments_.size(); ++s) EDGETWIN_TRY(run_segment(s, now));
    return now;
  }

  Result<std::vector<Run>> run_batch(std::span<const std::vector<Tensor>> inputs) override {
    std::vector<Run> state(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) state[i].outputs = inputs[i];
    // In round r segment s works on input r - s; a round ends when all its segments have ended.
    for (size_t round = 0; round + 1 < inputs.size() + segments_.size(); ++round)
      EDGETWIN_TRY(run_round(round, state));
    return state;
  }

 private:
  // By input of `segment`: the output of the one before.
  static Result<std::vector<size_t>> sources_of(const Runner& before, const Runner& segment,
                                                size_t number) {
    std::vector<size_t> sources;
    const auto made = before.outputs();
    for (size_t i = 0; i < segment.inputs().size(); ++i) {
      const Port& port = segment.inputs()[i];
      const auto named =
          std::ranges::find_if(made, [&](const Port& p) { return p.name == port.name; });
      const size_t from = named != made.end() ? static_cast<size_t>(named - made.begin()) : i;
      if (from >= made.size() || port_bytes(made[from]) != port_bytes(port))
        return Error(ErrorCode::device_request,
                     "segment " + std::to_string(number) + " of the pipeline takes '" + port.name +
                         "' of " + std::to_string(port_bytes(port)) +
                         " bytes, which the segment before it does not give");
      sources.push_back(from);
    }
    return sources;
  }

  // From what the segment before left in `now`.
  Status run_segment(size_t s, Run& now) {
    std::vector<Tensor> inputs = std::move(now.outputs);
    if (s > 0) {
      std::vector<Tensor> taken;
      for (const size_t source : sources_[s]) taken.push_back(inputs[source]);
      inputs = std::move(taken);
    }
    EDGETWIN_TRY_ASSIGN(Run made, segments_[s]->run(inputs));
    now.outputs = std::move(made.outputs);
    std::ranges::move(made.layers, std::back_inserter(now.layers));
    std::ranges::move(made.findings, std::back_inserter(now.findings));
    now.numerics = s == 0 || now.numerics == made.numerics ? made.numerics : "";
    return Ok{};
  }

  Status run_round(size_t round, std::vector<Run>& state) {
    std::vector<std::optional<Error>> errors(segments_.size());
    std::vector<std::thread> workers;
    for (size_t s = 0; s < segments_.size(); ++s) {
      if (round < s || round - s >= state.size()) continue;
      const auto work = [this, s, &errors, &now = state[round - s]] {
        const Status done = run_segment(s, now);
        if (!done.ok()) errors[s] = done.error();
      };
      try {
        workers.emplace_back(work);
      } catch (const std::system_error&) {
        work();  // the system gives no more threads
      }
    }
    for (std::thread& worker : workers) worker.join();
    for (std::optional<Error>& error : errors)
      if (error) return std::move(*error);
    return Ok{};
  }

  std::vector<std::unique_ptr<Runner>> segments_;
  std::vector<std::vector<size_t>> sources_;  // by segment and input
};

}  // namespace

Result<std::unique_ptr<Runner>> make_pipeline(std::vector<std::unique_ptr<Runner>> segments) {
  return PipelineRunner::make(std::move(segments));
}

}  // namespace edgetwin
