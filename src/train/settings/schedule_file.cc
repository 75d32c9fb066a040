// Schedule files of the vendor's program: named schedulers, and policies that say when each of
// them advances.
#include "train/settings/schedule_node.h"
#include "train/settings/settings_files.h"

namespace edgetwin::train {
namespace {

using ai8x::YamlNode;

constexpr double kMostGamma = 1000;

std::vector<std::string> class_names() {
  std::vector<std::string> names;
#define SCHEDULER(name, class_name) names.emplace_back(class_name);
#include "train/optim/schedulers.def"
#undef SCHEDULER
  return names;
}

Status needs(YamlMap& map, const char* key) {
  EDGETWIN_TRY(map.need(key));
  return Ok{};
}

Status read_plateau(YamlMap& map, Scheduler& s) {
  EDGETWIN_TRY(map.number("factor", s.factor, 0, 1));
  EDGETWIN_TRY(map.integer("patience", s.patience, 0, kMostEpochs));
  EDGETWIN_TRY(map.number("threshold", s.threshold, 0, 1));
  std::string mode = "min";
  EDGETWIN_TRY(map.text("mode", mode));
  if (mode != "min") {
    return map.error(*map.take("mode"), "`mode` is '" + mode +
                                            "': the watched number is the validation loss, which "
                                            "shall fall: min");
  }
  return Ok{};
}

Status read_milestones(YamlMap& map, Scheduler& s) {
  EDGETWIN_TRY(needs(map, "milestones"));
  EDGETWIN_TRY(map.integers("milestones", s.milestones, 0));
  if (s.kind == SchedulerKind::multi_step) return map.number("gamma", s.gamma, 0, kMostGamma);
  EDGETWIN_TRY(needs(map, "gammas"));
  EDGETWIN_TRY(map.numbers("gammas", s.gammas));
  if (s.gammas.size() == s.milestones.size()) return Ok{};
  return map.error(map.node(), std::to_string(s.gammas.size()) + " gammas for " +
                                   std::to_string(s.milestones.size()) + " milestones");
}

Status read_arguments(YamlMap& map, Scheduler& s) {
  switch (s.kind) {
    case SchedulerKind::multi_step:
    case SchedulerKind::multi_gamma:
      return read_milestones(map, s);
    case SchedulerKind::step:
      EDGETWIN_TRY(needs(map, "step_size"));
      EDGETWIN_TRY(map.integer("step_size", s.step_size, 1, kMostEpochs));
      return map.number("gamma", s.gamma, 0, kMostGamma);
    case SchedulerKind::exponential:
      EDGETWIN_TRY(needs(map, "gamma"));
      return map.number("gamma", s.gamma, 0, kMostGamma);
    case SchedulerKind::cosine:
      EDGETWIN_TRY(needs(map, "T_max"));
      EDGETWIN_TRY(map.integer("T_max", s.t_max, 1, kMostEpochs));
      return map.number("eta_min", s.eta_min, 0, kMostGamma);
    case SchedulerKind::polynomial:
      EDGETWIN_TRY(needs(map, "T_max"));
      EDGETWIN_TRY(map.integer("T_max", s.t_max, 1, kMostEpochs));
      return map.number("power", s.exponent, 0, kMostGamma);
    case SchedulerKind::plateau:
      return read_plateau(map, s);
  }
  return Ok{};
}

Result<Scheduler> read_scheduler(const YamlNode& node, const std::string& file,
                                 const std::string& name) {
  EDGETWIN_TRY_ASSIGN(YamlMap map,
                      YamlMap::of(node, file, "the scheduler `" + name + "`", Rule::schedule));
  EDGETWIN_TRY_ASSIGN(const YamlNode* at, map.need("class"));
  std::string word;
  EDGETWIN_TRY(map.text("class", word));
  const auto kind = scheduler_kind(word);
  if (!kind) {
    Error e = map.error(*at, "there is no scheduler of the class '" + word + "'");
    for (const std::string& known : class_names()) e.details.push_back("known: " + known);
    return e;
  }
  Scheduler s;
  s.kind = *kind;
  EDGETWIN_TRY(read_arguments(map, s));
  EDGETWIN_TRY(map.done());
  return s;
}

Status read_when(YamlMap& map, SchedulePolicy& policy) {
  EDGETWIN_TRY(map.integer("starting_epoch", policy.starting_epoch, 0, kMostEpochs));
  EDGETWIN_TRY(map.integer("ending_epoch", policy.ending_epoch, 0, kMostEpochs));
  EDGETWIN_TRY(map.integer("frequency", policy.frequency, 1, kMostEpochs));
  EDGETWIN_TRY(map.integers("epochs", policy.epochs, 0));
  return map.done();
}

}  // namespace

Result<SchedulePolicy> read_schedule(const YamlNode& node, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(node, file, "the schedule", Rule::schedule));
  EDGETWIN_TRY_ASSIGN(const YamlNode* schedulers, map.need("lr_schedulers"));
  EDGETWIN_TRY_ASSIGN(const YamlNode* policies, map.need("policies"));
  EDGETWIN_TRY(map.done());
  EDGETWIN_TRY_ASSIGN(YamlMap named,
                      YamlMap::of(*schedulers, file, "`lr_schedulers`", Rule::schedule));
  if (policies->kind != ai8x::YamlKind::sequence || policies->children.size() != 1) {
    return map.error(*policies, "`policies` is not a list of one policy");
  }
  EDGETWIN_TRY_ASSIGN(YamlMap policy,
                      YamlMap::of(policies->children[0], file, "the policy", Rule::schedule));
  EDGETWIN_TRY_ASSIGN(const YamlNode* link, policy.need("lr_scheduler"));
  EDGETWIN_TRY_ASSIGN(YamlMap instance, YamlMap::of(*link, file, "`lr_scheduler`", Rule::schedule));
  EDGETWIN_TRY_ASSIGN(const YamlNode* at, instance.need("instance_name"));
  std::string name;
  EDGETWIN_TRY(instance.text("instance_name", name));
  EDGETWIN_TRY(instance.done());
  const YamlNode* chosen = named.take(name);
  if (chosen == nullptr) {
    return map.error(*at, "`lr_schedulers` has no '" + name + "'");
  }
  EDGETWIN_TRY(named.done());
  SchedulePolicy result;
  EDGETWIN_TRY_ASSIGN(result.scheduler, read_scheduler(*chosen, file, name));
  EDGETWIN_TRY(read_when(policy, result));
  return result;
}

Result<SchedulePolicy> parse_schedule(std::string_view yaml, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const YamlNode root, ai8x::parse_yaml(yaml, file));
  return read_schedule(root, file);
}

}  // namespace edgetwin::train
