#include "train/report/projection.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/markup.h"

namespace edgetwin::train {
namespace {

constexpr size_t kMostPoints = 2000, kMostClassesNamed = 20;
constexpr double kSide = 420, kEdge = 12;
// Of the Okabe-Ito palette, which the colour-blind tell apart; they repeat.
constexpr const char* kPalette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#666666", "#c8b400"};

using Vector = std::vector<double>;

// The largest direction of a symmetric matrix, by repeated products; taken out of it afterwards.
Vector take_direction(std::vector<Vector>& matrix) {
  constexpr int kRounds = 200;
  Vector direction(matrix.size());
  // Not at right angles to any direction that matters, unless by chance.
  for (size_t i = 0; i < direction.size(); ++i) direction[i] = 1.0 + 0.1 * static_cast<double>(i);
  double length = 0;
  for (int round = 0; round < kRounds; ++round) {
    Vector next(direction.size());
    for (size_t r = 0; r < next.size(); ++r) {
      for (size_t c = 0; c < next.size(); ++c) next[r] += matrix[r][c] * direction[c];
    }
    length = 0;
    for (const double v : next) length += v * v;
    length = std::sqrt(length);
    if (length == 0) return {};
    for (size_t i = 0; i < next.size(); ++i) direction[i] = next[i] / length;
  }
  for (size_t r = 0; r < matrix.size(); ++r) {
    for (size_t c = 0; c < matrix.size(); ++c) {
      matrix[r][c] -= length * direction[r] * direction[c];
    }
  }
  return direction;
}

std::vector<Vector> covariance_of(std::span<const float> outputs, const Vector& mean) {
  const size_t each = mean.size();
  std::vector<Vector> sums(each, Vector(each));
  for (size_t first = 0; first + each <= outputs.size(); first += each) {
    for (size_t r = 0; r < each; ++r) {
      const double own = static_cast<double>(outputs[first + r]) - mean[r];
      for (size_t c = 0; c < each; ++c) {
        sums[r][c] += own * (static_cast<double>(outputs[first + c]) - mean[c]);
      }
    }
  }
  return sums;
}

double along(const Vector& direction, const float* outputs, const Vector& mean) {
  double sum = 0;
  for (size_t i = 0; i < direction.size(); ++i) {
    sum += direction[i] * (static_cast<double>(outputs[i]) - mean[i]);
  }
  return sum;
}

}  // namespace

std::vector<ProjectedItem> projection_of(std::span<const float> outputs, size_t each,
                                         std::span<const int64_t> labels) {
  if (each < 2 || labels.empty()) return {};
  Vector mean(each);
  for (size_t i = 0; i < outputs.size(); ++i) mean[i % each] += static_cast<double>(outputs[i]);
  for (double& m : mean) m /= static_cast<double>(labels.size());
  std::vector<Vector> matrix = covariance_of(outputs, mean);
  const Vector first = take_direction(matrix);
  const Vector second = first.empty() ? Vector() : take_direction(matrix);
  std::vector<ProjectedItem> items;
  for (size_t i = 0; i < labels.size() && !second.empty(); ++i) {
    const float* own = outputs.data() + i * each;
    items.push_back({along(first, own, mean), along(second, own, mean), labels[i]});
  }
  return items;
}

std::string projection_svg(const std::vector<ProjectedItem>& items,
                           const std::vector<std::string>& classes) {
  if (items.empty()) return "";
  double reach = 0;
  for (const ProjectedItem& p : items) {
    reach = std::max({reach, std::abs(p.x), std::abs(p.y)});
  }
  if (reach == 0) return "";
  std::string svg = "<svg viewBox=\"0 0 560 420\" width=\"560\">";
  const auto at = [&](double v) { return kSide / 2 + v / reach * (kSide / 2 - kEdge); };
  const size_t colors = std::size(kPalette);
  char text[160];
  for (size_t i = 0; i < std::min(items.size(), kMostPoints); ++i) {
    const ProjectedItem& p = items[i];
    std::snprintf(text, sizeof text,
                  "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"%s\" fill-opacity=\"0.6\"/>",
                  at(p.x), at(-p.y), kPalette[static_cast<size_t>(p.label) % colors]);
    svg += text;
  }
  for (size_t c = 0; c < std::min(classes.size(), kMostClassesNamed); ++c) {
    const double y = 20 + 18 * static_cast<double>(c);
    std::snprintf(text, sizeof text,
                  "<circle cx=\"436\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>"
                  "<text x=\"446\" y=\"%.1f\" font-size=\"12\">",
                  y, kPalette[c % colors], y + 4);
    svg += text + markup_escaped(classes[c]) + "</text>";
  }
  return svg + "</svg>";
}

}  // namespace edgetwin::train
