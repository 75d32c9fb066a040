#include "train/tune/target_loss.h"

#include <algorithm>

#include "train/math/functions.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

ItemLoss values_loss(const Numbers& outputs, const DataSet& set, size_t item, double weight,
                     Numbers* gradient) {
  ItemLoss l;
  const auto n = static_cast<double>(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const double wanted = static_cast<double>(set.values[item * outputs.size() + i]);
    const double apart = outputs[i] - wanted;
    l.value += apart * apart / n;
    if (gradient != nullptr) (*gradient)[i] += weight * 2 * apart / n;
  }
  return l;
}

}  // namespace

Result<OutputForm> OutputForm::of(const Shape& output, const DataSet& set) {
  OutputForm f;
  f.kind = set.kind;
  const auto elements = static_cast<size_t>(output.elements());
  if (set.kind == TargetKind::values) {
    if (elements == static_cast<size_t>(set.value_count)) return f;
    return broken(Rule::label, "the output has " + std::to_string(elements) +
                                   " elements, items have " + std::to_string(set.value_count) +
                                   " numbers");
  }
  if (set.kind == TargetKind::boxes) {
    return broken(Rule::label,
                  "the data have boxes, which are learnt for the MAX78000 and "
                  "MAX78002 alone");
  }
  f.classes = output.rank() < 2 ? elements : static_cast<size_t>(output[1]);
  f.places = f.classes == 0 ? 0 : elements / f.classes;
  if (output.rank() > 1 && output[0] != 1) {
    return broken(Rule::label, "the output " + to_string(output) + " is not that of one item");
  }
  if (f.places != set.labels_per_item()) {
    return broken(Rule::label, "the output " + to_string(output) + " has " +
                                   std::to_string(f.places) + " places, items have " +
                                   std::to_string(set.labels_per_item()) + " labels");
  }
  int64_t largest = 0;
  for (const int64_t label : set.labels) largest = std::max(largest, label);
  if (static_cast<size_t>(largest) < f.classes) return f;
  return broken(Rule::label, "label " + std::to_string(largest) + " is outside of the " +
                                 std::to_string(f.classes) + " outputs");
}

ItemLoss loss_of_item(const OutputForm& form, const Numbers& outputs, const DataSet& set,
                      size_t item, double weight, Numbers* gradient) {
  if (form.kind == TargetKind::values) return values_loss(outputs, set, item, weight, gradient);
  ItemLoss l;
  const auto places = static_cast<double>(form.places);
  for (size_t p = 0; p < form.places; ++p) {
    const auto at = [&](size_t k) { return outputs[k * form.places + p]; };
    const auto wanted = static_cast<size_t>(set.labels[item * form.places + p]);
    size_t most = 0;
    for (size_t k = 1; k < form.classes; ++k) most = at(k) > at(most) ? k : most;
    double sum = 0;
    for (size_t k = 0; k < form.classes; ++k) sum += exponential(at(k) - at(most));
    l.value += (logarithm(sum) + at(most) - at(wanted)) / places;
    l.right += most == wanted ? 1 : 0;
    ++l.counted;
    for (size_t k = 0; k < form.classes && gradient != nullptr; ++k) {
      const double share = exponential(at(k) - at(most)) / sum - (k == wanted ? 1 : 0);
      (*gradient)[k * form.places + p] += weight * share / places;
    }
  }
  return l;
}

bool is_better(const OutputForm& form, const PartScore& a, const PartScore& b) {
  if (form.kind != TargetKind::values && a.right != b.right) return a.right > b.right;
  return a.mean_loss() < b.mean_loss();
}

}  // namespace edgetwin::train
