#include "train/tune/tune_state.h"

#include <algorithm>

#include "formats/torch/checkpoint.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

using torch::Checkpoint;
using torch::NodeId;
using torch::NodeKind;

constexpr std::string_view kKind = "edgetwin tuning 1";

// One order for both directions: the fields of a score, and those of an epoch before its score.
std::vector<double> score_numbers(const PartScore& s) {
  return {s.loss, static_cast<double>(s.right), static_cast<double>(s.counted),
          static_cast<double>(s.items)};
}
constexpr size_t kScoreNumbers = 4, kEpochNumbers = 6;

PartScore score_of(const double* n) {
  return {n[0], static_cast<size_t>(n[1]), static_cast<size_t>(n[2]), static_cast<size_t>(n[3])};
}

class TuneStateWriter {
 public:
  Result<Bytes> run(const TuneState& s) {
    const NodeId root = out_.root();
    out_.append(root, "kind", out_.add_text(std::string(kKind)));
    out_.append(root, "epoch", out_.add_integer(s.epoch));
    out_.append(root, "quantized", out_.add_boolean(s.quantized));
    out_.append(root, "best_epoch", out_.add_integer(s.best_epoch));
    out_.append(root, "adam", out_.add_boolean(s.optimizer_kind == OptimizerKind::adam));
    EDGETWIN_TRY(set("state_dict", s.parameters));
    EDGETWIN_TRY(set("planned", s.planned));
    EDGETWIN_TRY(set("best", s.best));
    const NodeId states = out_.add_dict(false);
    for (const auto& [name, state] : s.optimizer) {
      const NodeId one = out_.add_dict(false);
      EDGETWIN_TRY(tensor(one, "first", state.first));
      if (!state.second.empty()) EDGETWIN_TRY(tensor(one, "second", state.second));
      out_.append(one, "steps", out_.add_integer(state.steps));
      out_.append(states, name, one);
    }
    out_.append(root, "optimizer", states);
    std::vector<double> scores;
    for (const PartScore& p : {s.ptq_validation, s.best_validation, s.float_test, s.ptq_test}) {
      for (const double n : score_numbers(p)) scores.push_back(n);
    }
    out_.append(root, "scores", reals(scores));
    std::vector<NodeId> epochs;
    for (const TuneEpoch& e : s.epochs) epochs.push_back(epoch(e));
    out_.append(root, "epochs", out_.add_list(std::move(epochs)));
    out_.append(root, "log", out_.add_text(s.log));
    return torch::write(out_);
  }

 private:
  NodeId reals(const std::vector<double>& values) {
    std::vector<NodeId> items;
    for (const double v : values) items.push_back(out_.add_real(v));
    return out_.add_list(std::move(items));
  }

  NodeId epoch(const TuneEpoch& e) {
    std::vector<double> numbers = {static_cast<double>(e.epoch),
                                   e.quantized ? 1.0 : 0.0,
                                   e.rate,
                                   e.train_loss,
                                   e.train_top1,
                                   e.seconds};
    for (const double n : score_numbers(e.validation)) numbers.push_back(n);
    std::vector<NodeId> warnings;
    for (const std::string& w : e.warnings) warnings.push_back(out_.add_text(w));
    return out_.add_list({reals(numbers), out_.add_list(std::move(warnings))});
  }

  Status tensor(NodeId dict, const std::string& name, const std::vector<float>& values) {
    EDGETWIN_TRY_ASSIGN(Tensor t,
                        Tensor::zeros(DType::float32, {static_cast<int64_t>(values.size())}));
    std::copy(values.begin(), values.end(), t.as<float>().begin());
    out_.append(dict, name, out_.add_tensor(t));
    return Ok{};
  }

  Status set(const char* key, const ParameterSet& parameters) {
    const NodeId dict = out_.add_dict(true);
    for (const auto& [name, values] : parameters) EDGETWIN_TRY(tensor(dict, name, values));
    out_.append(out_.root(), key, dict);
    return Ok{};
  }

  Checkpoint out_ = Checkpoint::make("checkpoint");
};

class TuneStateReader {
 public:
  explicit TuneStateReader(const Checkpoint& in) : in_(in) {}

  Result<TuneState> run() {
    if (in_.text(in_.root(), "kind") != kKind) {
      return broken(Rule::checkpoint, "the file is not a checkpoint of an ONNX network in training")
          .in_file(in_.file())
          .with_hint("Give the checkpoint.pth.tar in the folder of such a run.");
    }
    TuneState s;
    s.epoch = static_cast<int>(in_.integer(in_.root(), "epoch").value_or(-1));
    s.best_epoch = static_cast<int>(in_.integer(in_.root(), "best_epoch").value_or(-1));
    EDGETWIN_TRY_ASSIGN(s.quantized, truth("quantized"));
    EDGETWIN_TRY_ASSIGN(const bool adam, truth("adam"));
    s.optimizer_kind = adam ? OptimizerKind::adam : OptimizerKind::sgd;
    EDGETWIN_TRY_ASSIGN(s.parameters, set("state_dict"));
    EDGETWIN_TRY_ASSIGN(s.planned, set("planned"));
    EDGETWIN_TRY_ASSIGN(s.best, set("best"));
    EDGETWIN_TRY(optimizer(s));
    EDGETWIN_TRY_ASSIGN(const NodeId scores, entry("scores", NodeKind::list));
    EDGETWIN_TRY_ASSIGN(const std::vector<double> n, reals(scores, 4 * kScoreNumbers));
    s.ptq_validation = score_of(&n[0]);
    s.best_validation = score_of(&n[kScoreNumbers]);
    s.float_test = score_of(&n[2 * kScoreNumbers]);
    s.ptq_test = score_of(&n[3 * kScoreNumbers]);
    EDGETWIN_TRY_ASSIGN(const NodeId epochs, entry("epochs", NodeKind::list));
    for (const NodeId id : in_.node(epochs).items) {
      EDGETWIN_TRY_ASSIGN(TuneEpoch e, epoch(id));
      s.epochs.push_back(std::move(e));
    }
    s.log = in_.text(in_.root(), "log").value_or("");
    return s;
  }

 private:
  Error missing(const std::string& name) const {
    return broken(Rule::checkpoint_entry, "the checkpoint lacks an entry, or it is of another kind")
        .in_file(in_.file())
        .in_field(name);
  }

  Result<NodeId> entry(const std::string& name, NodeKind kind) const {
    const auto id = in_.find(in_.root(), name);
    if (!id || in_.node(*id).kind != kind) return missing(name);
    return *id;
  }

  Result<bool> truth(const std::string& name) const {
    EDGETWIN_TRY_ASSIGN(const NodeId id, entry(name, NodeKind::boolean));
    return in_.node(id).integer != 0;
  }

  Result<std::vector<double>> reals(NodeId list, size_t count) const {
    std::vector<double> numbers;
    for (const NodeId id : in_.node(list).items) {
      if (in_.node(id).kind == NodeKind::real) numbers.push_back(in_.node(id).real);
    }
    if (in_.node(list).kind != NodeKind::list || numbers.size() != count) return missing("numbers");
    return numbers;
  }

  Result<std::vector<float>> floats(NodeId dict, const std::string& name) const {
    const auto id = in_.find(dict, name);
    if (!id || in_.node(*id).kind != NodeKind::tensor || in_.dtype(*id) != DType::float32) {
      return missing(name);
    }
    const Tensor t = in_.tensor(*id);
    return std::vector<float>(t.as<float>().begin(), t.as<float>().end());
  }

  Result<ParameterSet> set(const std::string& key) const {
    EDGETWIN_TRY_ASSIGN(const NodeId dict, entry(key, NodeKind::dict));
    ParameterSet parameters;
    const std::vector<NodeId>& items = in_.node(dict).items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      const std::string& name = in_.node(items[i]).text;
      EDGETWIN_TRY_ASSIGN(parameters[name], floats(dict, name));
    }
    return parameters;
  }

  Status optimizer(TuneState& s) const {
    EDGETWIN_TRY_ASSIGN(const NodeId dict, entry("optimizer", NodeKind::dict));
    const std::vector<NodeId>& items = in_.node(dict).items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      OptimizerState& state = s.optimizer[in_.node(items[i]).text];
      const NodeId one = items[i + 1];
      EDGETWIN_TRY_ASSIGN(state.first, floats(one, "first"));
      if (in_.find(one, "second")) {
        EDGETWIN_TRY_ASSIGN(state.second, floats(one, "second"));
      }
      state.steps = in_.integer(one, "steps").value_or(0);
    }
    return Ok{};
  }

  Result<TuneEpoch> epoch(NodeId id) const {
    const torch::Node& pair = in_.node(id);
    if (pair.kind != NodeKind::list || pair.items.size() != 2) return missing("epochs");
    EDGETWIN_TRY_ASSIGN(const std::vector<double> n,
                        reals(pair.items[0], kEpochNumbers + kScoreNumbers));
    TuneEpoch e{static_cast<int>(n[0]),      n[1] != 0, n[2], n[3], n[4], n[5],
                score_of(&n[kEpochNumbers]), {}};
    for (const NodeId w : in_.node(pair.items[1]).items) e.warnings.push_back(in_.node(w).text);
    return e;
  }

  const Checkpoint& in_;
};

}  // namespace

Result<Bytes> write_state(const TuneState& state) { return TuneStateWriter().run(state); }

Result<TuneState> read_state(Bytes data, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Checkpoint in, Checkpoint::read(std::move(data), file));
  return TuneStateReader(in).run();
}

}  // namespace edgetwin::train
