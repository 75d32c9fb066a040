#include "twin/verify/board_judge.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/format.h"

namespace edgetwin::twin {
namespace {

constexpr double kSameObject = 0.5;  // overlap

std::array<double, 4> box_of(const Json& d) {
  std::array<double, 4> box{};
  const auto list = d.get("box");
  for (size_t i = 0; list && i < 4 && i < list->size(); ++i) {
    box[i] = list->at(i).as_number().value_or(0);
  }
  return box;
}

double overlap(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  const auto area = [](double x1, double y1, double x2, double y2) {
    return std::max(0.0, x2 - x1 + 1) * std::max(0.0, y2 - y1 + 1);
  };
  const double both =
      area(std::max(a[0], b[0]), std::max(a[1], b[1]), std::min(a[2], b[2]), std::min(a[3], b[3]));
  return both / (area(a[0], a[1], a[2], a[3]) + area(b[0], b[1], b[2], b[3]) - both);
}

}  // namespace

double member_number(const Json& j, const char* key) {
  const auto v = j.get(key);
  return v ? v->as_number().value_or(0) : 0.0;
}

std::string number_text(double v) { return report::real_text(static_cast<float>(v)); }

// Printed objects beside those that were computed.
void compare_objects(const Json& printed, const Json& made, BoardCase& c) {
  const bool named = printed.size() > 0 && !printed.at(0).get("class");
  size_t found = 0;
  double pixels = 0, scores = 0, least = 1;
  for (size_t i = 0; i < printed.size(); ++i) {
    const Json p = printed.at(i);
    double best = 0, distance = 0, score = 0;
    for (size_t k = 0; k < made.size(); ++k) {
      const Json m = made.at(k);
      const bool same = named ? p.get_string("name") == m.get_string("name")
                              : p.get_integer("class") == m.get_integer("class");
      const auto a = box_of(p), b = box_of(m);
      if (!same || overlap(a, b) <= best) continue;
      best = overlap(a, b);
      distance = 0;
      for (size_t n = 0; n < 4; ++n) distance = std::max(distance, std::abs(a[n] - b[n]));
      score =
          p.get("score") ? std::abs(member_number(p, "score") - member_number(m, "score")) : 0.0;
    }
    if (best <= kSameObject) continue;
    ++found;
    least = std::min(least, best);
    pixels = std::max(pixels, distance);
    scores = std::max(scores, score);
  }
  c.found = std::to_string(found) + " of " + std::to_string(printed.size()) + " printed objects";
  if (found > 0) {
    c.found += "; boxes up to " + std::to_string(static_cast<int>(pixels)) +
               " pixels apart, overlap from " + number_text(least) + ", scores up to " +
               number_text(scores) + " apart";
  }
  // One of several may be lost at its threshold.
  const bool most = found > 0 && found * 4 >= printed.size() * 3;
  const bool exact =
      found == printed.size() && made.size() == printed.size() && pixels == 0 && scores < 5e-7;
  c.outcome = exact ? BoardOutcome::equal : most ? BoardOutcome::near : BoardOutcome::different;
}

void compare_texts(const Json& printed, const Json& made, BoardCase& c) {
  size_t same = 0;
  for (size_t i = 0; i < printed.size(); ++i) {
    bool text = false;
    for (size_t k = 0; k < made.size(); ++k) {
      text = text || printed.at(i).get_string("text") == made.at(k).get_string("text");
    }
    same += text ? 1 : 0;
  }
  c.found = std::to_string(same) + " of " + std::to_string(printed.size()) +
            " printed texts are equal, " + std::to_string(made.size()) + " are found";
  c.outcome = same * 4 >= printed.size() * 3 ? BoardOutcome::near : BoardOutcome::different;
}

void compare_classes(const Json& printed, const Json& made, BoardCase& c) {
  double most = 0;
  const size_t count = std::min(printed.size(), made.size());
  for (size_t i = 0; i < count; ++i) {
    most = std::max(
        most, std::abs(member_number(printed.at(i), "score") - member_number(made.at(i), "score")));
  }
  c.found = std::to_string(count) + " classes, scores up to " + number_text(most) +
            " apart; names are not compared";
  c.outcome = count > 0 && most < 0.5 ? BoardOutcome::near : BoardOutcome::different;
}

}  // namespace edgetwin::twin
