#include "twin/evaluate/plan.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/sha256.h"
#include "edgetwin/decode.h"
#include "image/espdl/model_input.h"
#include "report/json.h"
#include "twin/evaluate/espdl_objects.h"
#include "twin/evaluate/label_lines.h"
#include "twin/runners.h"
#include "twin/values.h"

namespace edgetwin::twin {
namespace {

using evaluation::SetOptions;
using evaluation::Task;

namespace fs = std::filesystem;

std::string base_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.empty() ? fs::path(path).parent_path().filename().string() : name;
}

Status check_options(const EvaluateOptions& o) {
  const auto tasks = evaluation::task_names();
  if (std::ranges::count(tasks, o.task) == 0) {
    return Error(ErrorCode::usage, "there is no task '" + o.task + "'");
  }
  if (o.shard < 1 || o.shard > o.shards) {
    return Error(ErrorCode::usage, "shard " + std::to_string(o.shard) + " of " +
                                       std::to_string(o.shards) + " does not exist");
  }
  if (!o.resize.empty() && !find_fit(o.resize)) {
    return Error(ErrorCode::usage, "there is no way to resize called '" + o.resize + "'");
  }
  if (!o.params.empty() && (!o.resize.empty() || !o.mean.empty() || !o.std.empty())) {
    return Error(ErrorCode::usage,
                 "--params says all of the preprocessing: leave out --resize, "
                 "--mean and --std");
  }
  const bool finds = o.task == "detect" || o.task == "keypoints";
  if (o.threshold && !finds) {
    return Error(ErrorCode::usage,
                 "--threshold changes nothing for " + o.task + ": it leaves out found objects");
  }
  if (!o.decoder.empty() && !finds && o.task != "segment") {
    return Error(ErrorCode::usage,
                 "--decode changes nothing for " + o.task + ": its outputs are taken as they are");
  }
  return Ok{};
}

// The decoder of a network whose outputs tell.
Result<std::string> decoder_of(Task task, const Runner& runner, const std::string& file) {
  const auto outputs = runner.outputs();
  if (task == Task::segment) return std::string("deeplab");
  if (task == Task::detect && outputs.size() == 4) return std::string("ssd");
  if (task == Task::keypoints && outputs.size() == 1) return std::string("movenet");
  if (task == Task::keypoints && outputs.size() == 4) return std::string("posenet");
  if (task != Task::detect && task != Task::keypoints) return std::string();
  std::string known;
  for (const DecoderInfo& d : all_decoders()) {
    const bool fits =
        task == Task::detect ? d.meaning == Meaning::boxes : d.meaning == Meaning::people;
    if (fits) known += (known.empty() ? "" : ", ") + std::string(d.name);
  }
  for (const std::string_view name : espdl_decoders(task)) known += ", " + std::string(name);
  return Error(ErrorCode::usage,
               std::to_string(outputs.size()) + " outputs do not tell what decodes them")
      .in_file(file)
      .with_hint("Name it with --decode: " + known + ".");
}

Fit fit_for(Task task, const std::string& decoder) {
  const DecoderInfo* info = find_decoder(task == Task::classify ? "classify" : decoder);
  return info == nullptr ? Fit::nearest : static_cast<Fit>(info->resize);
}

bool takes_scale(const Port& p) {
  return p.dtype == DType::float32 || p.quant.scheme == Quant::Scheme::power_of_two;
}

Status prepare_pictures(const EvaluateOptions& o, Task task, const std::string& file,
                        Contender& c) {
  const Port& port = c.runners[0]->inputs()[0];
  Preparation& p = c.preparation;
  p.fit = o.resize.empty() ? fit_for(task, c.decoder) : *find_fit(o.resize);
  p.scale = {o.mean, o.std};
  p.keep_picture = !c.decoder.empty();
  const bool scaled = !o.mean.empty() || !o.std.empty();
  const bool bytes = port.dtype == DType::int8 || port.dtype == DType::uint8;
  if (bytes && c.input_step) p.step = c.input_step;
  if (bytes && scaled && port.quant.scheme == Quant::Scheme::affine && port.quant.present()) {
    p.step = static_cast<double>(port.quant.scale_of(0));
  }
  if (scaled && !p.step && !takes_scale(port)) {
    return Error(ErrorCode::usage,
                 "--mean and --std change nothing: the integers of the input are "
                 "the pixels themselves")
        .in_file(file);
  }
  if ((p.fit == Fit::letterbox || p.fit == Fit::crop) && task == Task::segment) {
    return Error(ErrorCode::usage, "--resize " + o.resize + " moves the pixels away from the masks")
        .with_hint("Use nearest, half-pixel or lanczos.");
  }
  const bool of_espdl = is_espdl_decoder(task, o.decoder);
  if (of_espdl && p.fit == Fit::crop) {
    return Error(ErrorCode::usage, o.decoder + " knows no crop: it maps boxes to the whole picture")
        .with_hint("Use nearest or letterbox.");
  }
  if (o.params.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(o.params));
  EDGETWIN_TRY_ASSIGN(p.espdl, espdl_image::read_params(as_text(text), o.params));
  auto filled = espdl_image::fill_from_input(port.shape, port.dtype, port.quant, *p.espdl);
  if (!filled.ok()) return std::move(filled).error().in_file(file);
  return Ok{};
}

// A chip computes in its own way; the twin's numerics are those of what is left to the host.
std::string arithmetic_of(const Runner& runner) {
  const Where where = runner.where();
  if (where == Where::twin || where == Where::recorded) return runner.numerics();
  return std::string(name(where)) + ", host " + runner.numerics();
}

Result<Contender> open_contender(const Candidate& candidate, const EvaluateOptions& o, Task task,
                                 Json& described) {
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(candidate.file, candidate.open));
  Contender c;
  c.input_step = candidate.input_step;
  RunnerOptions run = candidate.run;
  // Those of ESP-DL take the outputs as they are.
  const bool of_espdl = is_espdl_decoder(task, o.decoder);
  run.decoder = of_espdl ? "" : o.decoder;
  const bool device = run.where == Where::device || run.where == Where::virtual_device;
  const int runners = device ? 1 : std::max(1, o.workers);
  for (int i = 0; i < runners; ++i) {
    EDGETWIN_TRY_ASSIGN(std::unique_ptr<Runner> runner, network.runner(run));
    if (runner->inputs().size() != 1) {
      return Error(ErrorCode::usage, "the network has " + std::to_string(runner->inputs().size()) +
                                         " inputs; a sample is one")
          .in_file(candidate.file);
    }
    c.runners.push_back(std::move(runner));
    if (i > 0 || !o.decoder.empty()) continue;
    EDGETWIN_TRY_ASSIGN(run.decoder, decoder_of(task, *c.runners[0], candidate.file));
    if (run.decoder.empty()) continue;
    // Some decoders need other outputs.
    EDGETWIN_TRY_ASSIGN(c.runners[0], network.runner(run));
  }
  c.scratch.resize(static_cast<size_t>(std::max(1, o.workers)));
  c.decoder = of_espdl ? o.decoder : run.decoder;
  EDGETWIN_TRY(prepare_pictures(o, task, candidate.file, c));
  described.set("file", base_name(candidate.file)).set("sha256", network.sha256());
  described.set("numerics", arithmetic_of(*c.runners[0]));
  described.set("computed", c.runners[0]->description());
  if (!c.decoder.empty()) described.set("decoder", c.decoder);
  return c;
}

// The outputs without their numbers. Some runners know them only after a run.
Result<std::vector<Tensor>> output_forms(Runner& runner) {
  std::vector<Tensor> forms;
  for (const Port& port : runner.outputs()) {
    Tensor t;
    t.dtype = port.dtype;
    t.shape = port.shape;
    forms.push_back(std::move(t));
  }
  if (!forms.empty()) return forms;
  const Port& port = runner.inputs()[0];
  EDGETWIN_TRY_ASSIGN(Tensor zero, Tensor::zeros(port.dtype, port.shape));
  zero.quant = port.quant;
  EDGETWIN_TRY_ASSIGN(Run run, runner.run(std::span(&zero, 1)));
  return std::move(run.outputs);
}

// The number of classes of a classifier; 0: no output has any.
Result<int64_t> classes_of(Runner& runner) {
  const bool planes = is_planes(runner.inputs()[0]);
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> forms, output_forms(runner));
  for (const Tensor& t : forms) {
    const int64_t all = t.shape.elements();
    if (planes && t.shape.rank() > 0 && t.shape[0] == all && all > 1) return all;
    if (is_classification(t)) return all;
  }
  return int64_t{0};
}

Result<std::string> resolve(EvaluationPlan& plan, const EvaluateOptions& o, Task task) {
  evaluation::LabelRule rule{plan.labels, o.labels, o.label_offset, 0,
                             lines_of_labels(o.labels, plan.labels)};
  const Contender& first = plan.contenders[0];
  switch (task) {
    case Task::classify: {
      EDGETWIN_TRY_ASSIGN(rule.classes, classes_of(*first.runners[0]));
      if (rule.classes == 0) {
        return Error(ErrorCode::decode_maps, "no output of the network is a list of classes");
      }
      return evaluation::resolve_labels(plan.set, rule);
    }
    case Task::detect:
      return evaluation::resolve_categories(plan.set, rule, first.decoder == "ssd");
    case Task::keypoints:
      if (rule.offset != 0 || !plan.labels.empty()) {
        return Error(ErrorCode::usage, "--labels and --label-offset change nothing for key points");
      }
      for (evaluation::Sample& s : plan.set.samples) {
        for (evaluation::TrueObject& t : s.truth.objects) t.category = 0;
      }
      return std::string("people");
    case Task::anomaly:
      return evaluation::resolve_anomalies(plan.set, rule);
    case Task::segment:
      if (rule.offset != 0) {
        return Error(ErrorCode::usage, "--label-offset changes nothing: masks have classes");
      }
      plan.set.classes = plan.labels;
      if (plan.labels.empty()) {
        plan.set.classes.assign(decode::kPascalNames.begin(), decode::kPascalNames.end());
      }
      return std::string("grey levels, or PASCAL VOC's colours; 255 is not judged");
    case Task::regress:
      break;
  }
  if (rule.offset != 0 || !plan.labels.empty()) {
    return Error(ErrorCode::usage, "--labels and --label-offset change nothing for regress");
  }
  return std::string("numbers");
}

Json preparation_json(const EvaluationPlan& plan, const EvaluateOptions& o,
                      const std::string& how) {
  const Preparation& p = plan.contenders[0].preparation;
  Json j = Json::object();
  if (p.espdl) {
    j.set("like", "espdl");
  } else {
    j.set("resize", name(p.fit));
  }
  const auto numbers = [](const std::vector<float>& values) {
    return Json::list(std::vector<double>(values.begin(), values.end()));
  };
  if (!o.mean.empty()) j.set("mean", numbers(o.mean));
  if (!o.std.empty()) j.set("std", numbers(o.std));
  if (plan.contenders[0].input_step) j.set("input_step", *plan.contenders[0].input_step);
  if (!o.params.empty()) {
    const auto text = read_file(o.params);
    if (text.ok()) j.set("params_sha256", sha256_hex(*text));
  }
  j.set("labels", how);
  if (o.threshold) j.set("threshold", *o.threshold);
  if (o.shuffle != 0) j.set("shuffle", o.shuffle);
  if (o.limit != 0) j.set("limit", o.limit);
  return j;
}

Status open_samples(EvaluationPlan& plan, const EvaluateOptions& o, Task task) {
  SetOptions set;
  set.task = task;
  set.pictures = o.pictures;
  set.targets = o.targets;
  set.input_elements = plan.contenders[0].runners[0]->inputs()[0].shape.elements();
  EDGETWIN_TRY_ASSIGN(plan.set, evaluation::open_set(o.data, set));
  const bool prepared = !o.resize.empty() || !o.params.empty() || !o.mean.empty() || !o.std.empty();
  if (!plan.set.pictures && prepared) {
    return Error(ErrorCode::usage,
                 "--resize, --mean, --std and --params change nothing: the samples are no pictures")
        .in_file(o.data);
  }
  return Ok{};
}

}  // namespace

Result<EvaluationPlan> plan_evaluation(const std::vector<Candidate>& candidates,
                                       const EvaluateOptions& o) {
  EDGETWIN_TRY(check_options(o));
  if (candidates.empty()) return Error(ErrorCode::usage, "no network was given");
  const Task task = evaluation::task_of(o.task);
  EvaluationPlan plan;
  plan.threshold = o.threshold;
  plan.loaded.resize(static_cast<size_t>(std::max(1, o.workers)));
  Json models = Json::array();
  for (const Candidate& candidate : candidates) {
    Json described = Json::object();
    EDGETWIN_TRY_ASSIGN(Contender c, open_contender(candidate, o, task, described));
    const auto findings = c.runners[0]->findings();
    plan.findings.insert(plan.findings.end(), findings.begin(), findings.end());
    plan.contenders.push_back(std::move(c));
    models.push(std::move(described));
  }
  if (!o.labels.empty()) {
    EDGETWIN_TRY_ASSIGN(plan.labels, read_labels(o.labels));
  }
  EDGETWIN_TRY(open_samples(plan, o, task));
  EDGETWIN_TRY_ASSIGN(const std::string how, resolve(plan, o, task));
  plan.findings.insert(plan.findings.end(), plan.set.findings.begin(), plan.set.findings.end());
  evaluation::choose_samples(plan.set, o.shuffle, o.limit);
  Json data = Json::object();
  data.set("name", base_name(o.data)).set("kind", plan.set.kind).set("sha256", plan.set.digest);
  const Json identity =
      evaluation::identity_json(task, plan.set.samples.size(), models, std::move(data),
                                preparation_json(plan, o, how), plan.set.classes);
  EDGETWIN_TRY_ASSIGN(plan.identity, evaluation::identity_of(identity, o.data));
  return plan;
}

}  // namespace edgetwin::twin
