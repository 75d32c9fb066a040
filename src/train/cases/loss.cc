#include "train/cases/kinds.h"
#include "train/losses/losses.h"
#include "train/losses/multibox.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

void add_loss(const Loss& loss, int rank, const std::string& suffix, CaseResults& results) {
  results.add("loss" + suffix, static_cast<float>(loss.value));
  results.add("grad" + suffix, loss.gradient, rank);
}

// A class of `classes` for each place: a damaged case must not read beyond its arrays.
Status check_targets(std::span<const int64_t> targets, size_t places, int64_t classes) {
  if (targets.size() != places) {
    return broken(Rule::recorded_case, "there are " + std::to_string(targets.size()) +
                                           " targets for " + std::to_string(places) + " places");
  }
  for (const int64_t t : targets) {
    if (t >= 0 && t < classes) continue;
    return broken(Rule::recorded_case, "target " + std::to_string(t) + " is not one of " +
                                           std::to_string(classes) + " classes");
  }
  return Ok{};
}

size_t places_of(const Maps& maps) {
  return static_cast<size_t>(maps.size() / std::max(maps.c, 1));
}

Result<CaseResults> compute_cross_entropy(const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const Tensor* logits, in.get("logits"));
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> targets, in.integers("target"));
  const Maps outputs = maps_of(*logits);
  EDGETWIN_TRY(check_targets(targets, places_of(outputs), outputs.c));
  const int rank = logits->shape.rank();
  CaseResults results;
  add_loss(cross_entropy(outputs, targets), rank, "", results);
  const std::vector<float> weights = in.floats_or_none("class_weight");
  if (!weights.empty() && weights.size() != static_cast<size_t>(outputs.c)) {
    return broken(Rule::recorded_case, "class_weight has not one weight for each class");
  }
  if (!weights.empty()) {
    add_loss(cross_entropy(outputs, targets, weights), rank, "_weighted", results);
  }
  return results;
}

Result<CaseResults> compute_mse(const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const Tensor* prediction, in.get("pred"));
  EDGETWIN_TRY_ASSIGN(const Tensor* target, in.get("target"));
  const Maps wanted = maps_of(*target);
  if (!(prediction->shape == target->shape)) {
    return broken(Rule::recorded_case, "pred and target differ in shape");
  }
  CaseResults results;
  add_loss(mean_square_error(maps_of(*prediction), wanted.values), prediction->shape.rank(), "",
           results);
  return results;
}

Result<CaseResults> compute_distillation(const CaseEntry& entry, const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const Tensor* student, in.get("student"));
  EDGETWIN_TRY_ASSIGN(const Tensor* teacher, in.get("teacher"));
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> targets, in.integers("target"));
  const DistillationOptions options{.temperature = entry.number("temperature", 1),
                                    .distill_weight = entry.number("distill_weight", 0),
                                    .student_weight = entry.number("student_weight", 1)};
  if (!(student->shape == teacher->shape)) {
    return broken(Rule::recorded_case, "student and teacher differ in shape");
  }
  const Maps outputs = maps_of(*student);
  EDGETWIN_TRY(check_targets(targets, places_of(outputs), outputs.c));
  const Distillation d = distillation(outputs, maps_of(*teacher), targets, options);
  CaseResults results;
  results.add("loss_student", static_cast<float>(d.student));
  results.add("loss_distill_unscaled", static_cast<float>(d.divergence));
  results.add("loss_total", static_cast<float>(d.total.value));
  results.add("grad", d.total.gradient, student->shape.rank());
  return results;
}

std::vector<Box> boxes_of(const Tensor& tensor) {
  const std::vector<float> values = float_values(tensor);
  std::vector<Box> boxes;
  for (size_t i = 0; i + 4 <= values.size(); i += 4) {
    boxes.push_back({values[i], values[i + 1], values[i + 2], values[i + 3]});
  }
  return boxes;
}

// (pictures, priors, numbers) as maps with a row per prior.
Maps rows_of(const Tensor& tensor) {
  Maps maps(static_cast<int>(tensor.shape[0]), static_cast<int>(tensor.shape[1]), 1,
            static_cast<int>(tensor.shape[2]));
  const std::vector<float> values = float_values(tensor);
  std::copy(values.begin(), values.end(), maps.values.begin());
  return maps;
}

Result<CaseResults> compute_multibox(const CaseEntry& entry, const CaseArrays& in) {
  EDGETWIN_TRY_ASSIGN(const Tensor* location, in.get("loc"));
  EDGETWIN_TRY_ASSIGN(const Tensor* scores, in.get("score"));
  EDGETWIN_TRY_ASSIGN(const Tensor* priors, in.get("priors_cxcywh"));
  const Shape &l = location->shape, &c = scores->shape;
  if (l.rank() != 3 || c.rank() != 3 || l[0] != c[0] || l[1] != c[1] || l[2] != 4 ||
      priors->shape.elements() != 4 * l[1]) {
    return broken(Rule::recorded_case, "loc, score and priors_cxcywh do not fit together");
  }
  std::vector<Objects> objects(static_cast<size_t>(l[0]));
  for (size_t i = 0; i < objects.size(); ++i) {
    if (const Tensor* boxes = in.find("boxes" + std::to_string(i))) {
      objects[i].boxes = boxes_of(*boxes);
      EDGETWIN_TRY_ASSIGN(objects[i].labels, in.integers("labels" + std::to_string(i)));
      EDGETWIN_TRY(check_targets(objects[i].labels, objects[i].boxes.size(), c[2]));
    }
  }
  const MultiboxOptions options{.alpha = entry.number("alpha", 1),
                                .neg_pos_ratio = entry.integer("neg_pos_ratio", 3),
                                .overlap_threshold = entry.number("overlap_threshold", 0.5)};
  const Multibox m =
      multibox(rows_of(*location), rows_of(*scores), boxes_of(*priors), objects, options);
  CaseResults results;
  results.add("loss", static_cast<float>(m.loss));
  results.add("gloc", location->shape, std::span<const float>(m.location_gradient.values));
  results.add("gscore", scores->shape, std::span<const float>(m.score_gradient.values));
  return results;
}

}  // namespace

Result<CaseResults> compute_loss(const CaseEntry& entry, const CaseArrays& in) {
  if (file_has(entry, "multibox")) return compute_multibox(entry, in);
  if (file_has(entry, "distillation")) return compute_distillation(entry, in);
  if (file_has(entry, "mse")) return compute_mse(in);
  return compute_cross_entropy(in);
}

}  // namespace edgetwin::train
