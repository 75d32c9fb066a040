#include "train/losses/losses.h"

#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

// Places of a batch: each has one row of outputs.
int64_t places_of(const Maps& maps) { return int64_t{maps.n} * maps.h * maps.w; }

// Adds the divergence at one place to the sum and its gradient, times `factor`, to `gradient`.
double divergence_of(const float* student, const float* teacher, int classes,
                     const DistillationOptions& options, double factor, float* gradient) {
  const double t = options.temperature;
  const double own = log_sum_exp(student, classes, t);
  const double other = log_sum_exp(teacher, classes, t);
  double sum = 0;
  for (int c = 0; c < classes; ++c) {
    const double log_student = static_cast<double>(student[c]) / t - own;
    const double log_teacher = static_cast<double>(teacher[c]) / t - other;
    const double p = exponential(log_teacher);
    sum += p * (log_teacher - log_student);
    gradient[c] += static_cast<float>(factor * (exponential(log_student) - p) / t);
  }
  return sum;
}

}  // namespace

double log_sum_exp(const float* values, int count, double temperature) {
  const auto largest = static_cast<double>(*std::max_element(values, values + count));
  double sum = 0;
  for (int c = 0; c < count; ++c) {
    sum += exponential((static_cast<double>(values[c]) - largest) / temperature);
  }
  return largest / temperature + logarithm(sum);
}

Loss cross_entropy(const Maps& outputs, std::span<const int64_t> targets,
                   std::span<const float> class_weights) {
  Loss loss;
  loss.gradient = Maps(outputs.n, outputs.h, outputs.w, outputs.c);
  const int64_t places = places_of(outputs);
  const auto weight_of = [&](int64_t p) {
    const auto target = static_cast<size_t>(targets[static_cast<size_t>(p)]);
    return class_weights.empty() ? 1.0 : static_cast<double>(class_weights[target]);
  };
  double total = 0;
  for (int64_t p = 0; p < places; ++p) total += weight_of(p);
  for (int64_t p = 0; p < places; ++p) {
    const float* in = outputs.values.data() + p * outputs.c;
    float* out = loss.gradient.values.data() + p * outputs.c;
    const auto target = static_cast<int>(targets[static_cast<size_t>(p)]);
    const double weight = weight_of(p) / total;
    const double norm = log_sum_exp(in, outputs.c);
    loss.value += weight * (norm - static_cast<double>(in[target]));
    for (int c = 0; c < outputs.c; ++c) {
      const double probability = exponential(static_cast<double>(in[c]) - norm);
      out[c] = static_cast<float>(weight * (probability - (c == target ? 1 : 0)));
    }
  }
  return loss;
}

Loss mean_square_error(const Maps& outputs, std::span<const float> targets) {
  Loss loss;
  loss.gradient = Maps(outputs.n, outputs.h, outputs.w, outputs.c);
  const auto count = static_cast<double>(outputs.size());
  for (size_t i = 0; i < outputs.values.size(); ++i) {
    const double d = static_cast<double>(outputs.values[i]) - static_cast<double>(targets[i]);
    loss.value += d * d;
    loss.gradient.values[i] = static_cast<float>(2 * d / count);
  }
  loss.value /= count;
  return loss;
}

Distillation distillation(const Maps& student, const Maps& teacher,
                          std::span<const int64_t> targets, const DistillationOptions& options) {
  Distillation result;
  result.total = cross_entropy(student, targets);
  result.student = result.total.value;
  for (float& v : result.total.gradient.values) v *= static_cast<float>(options.student_weight);
  const double square = options.temperature * options.temperature;
  const int64_t places = places_of(student);
  const auto count = static_cast<double>(student.n);
  const double factor = options.distill_weight * square / count;
  for (int64_t p = 0; p < places; ++p) {
    const int64_t at = p * student.c;
    result.divergence +=
        divergence_of(student.values.data() + at, teacher.values.data() + at, student.c, options,
                      factor, result.total.gradient.values.data() + at);
  }
  result.divergence /= count;
  result.total.value =
      options.student_weight * result.student + options.distill_weight * square * result.divergence;
  return result;
}

}  // namespace edgetwin::train
