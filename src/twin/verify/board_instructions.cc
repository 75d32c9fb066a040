// Instructions of the ESP32-S3's vector unit as somebody measured them, against the twin's lanes.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "numerics/saturate.h"
#include "twin/verify/board_compare.h"

namespace edgetwin::twin {
namespace {

constexpr int kLaneBits = 20;

std::vector<int64_t> list_of(const Json& c, const char* key) {
  std::vector<int64_t> numbers;
  const auto list = c.get(key);
  for (size_t i = 0; list && i < list->size(); ++i) {
    numbers.push_back(list->at(i).as_integer().value_or(0));
  }
  return numbers;
}

void set(BoardCase& c, bool yes, std::string words) {
  c.outcome = yes ? BoardOutcome::equal : BoardOutcome::different;
  c.found = std::move(words);
}

// Pairs of int8 and their saturated sum.
void sums(const Json& document, BoardCase& c) {
  const auto pairs = document.get("pairs");
  size_t equal = 0;
  for (size_t i = 0; i < pairs->size(); ++i) {
    const Json p = pairs->at(i);
    const auto value = [&p](const char* key) {
      return static_cast<int32_t>(p.get_integer(key).value_or(0));
    };
    equal += numerics::saturate<int8_t>(value("a") + value("b")) == value("result") ? 1 : 0;
  }
  set(c, equal == pairs->size(),
      std::to_string(equal) + " of " + std::to_string(pairs->size()) + " saturated sums are equal");
}

// Products that a lane adds up; the unsigned form of the lane, which the twin's networks do not
// use.
void lanes(const Json& document, BoardCase& c) {
  const auto qx = list_of(document, "qx"), qy = list_of(document, "qy");
  const int64_t times = document.get_integer("times").value_or(0);
  const auto printed = document.get("lanes_hex");
  constexpr int64_t kMost = (int64_t{1} << kLaneBits) - 1;
  size_t limited = 0, exact = 0;
  const size_t count = std::min({qx.size(), qy.size(), printed->size()});
  for (size_t i = 0; i < count; ++i) {
    int64_t sum = 0;
    for (int64_t n = 0; n < std::min<int64_t>(times, 1 << 16); ++n) {
      sum = std::min(sum + qx[i] * qy[i], kMost);
    }
    const auto text = printed->at(i).as_string().value_or("");
    const int64_t lane = static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 16));
    exact += lane == sum ? 1 : 0;
    limited += sum == kMost ? 1 : 0;
  }
  set(c, count > 0 && exact == count,
      std::to_string(exact) + " of " + std::to_string(count) + " lanes are equal, " +
          std::to_string(limited) + " at their limit of 20 bits: sums saturate, they do not wrap");
}

}  // namespace

BoardCase compare_instruction(const Json& document) {
  BoardCase c{document.get_string("id").value_or("?"), "", BoardOutcome::neutral};
  if (const auto pairs = document.get("pairs"); pairs && pairs->is_array()) {
    sums(document, c);
  } else if (const auto printed = document.get("lanes_hex"); printed && printed->is_array()) {
    lanes(document, c);
  } else {
    c.found = document.get("result_low_lanes") || document.get("result")
                  ? "measured, and of no rule of networks"
                  : "its numbers are not here";
  }
  return c;
}

}  // namespace edgetwin::twin
