#include "cli/shared/value_checks.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace edgetwin::cli {
namespace {

std::optional<double> finite_number(const std::string& word) {
  const size_t sign = word.starts_with('+') ? 1 : 0;  // from_chars knows minus only
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data() + sign, word.data() + word.size(), value);
  const bool whole = error == std::errc() && end == word.data() + word.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

size_t length_of_sign(const std::string& word) {
  return !word.empty() && (word[0] == '-' || word[0] == '+') ? 1 : 0;
}

bool is_digits(const std::string& word, size_t from) {
  return word.size() > from && std::all_of(word.begin() + static_cast<std::ptrdiff_t>(from),
                                           word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string refuse_empty(const std::string& word) {
  return word.empty() ? "the name is empty" : "";
}

std::string refuse_not_whole(const std::string& word, bool may_be_negative) {
  const bool minus = word.starts_with('-');
  if (is_digits(word, length_of_sign(word)) && (may_be_negative || !minus)) return "";
  return "'" + word + "' is not a whole number" +
         (may_be_negative ? ""
          : minus         ? " of at least 0"
                          : "") +
         ", in decimal digits";
}

std::string refuse_not_finite(const std::string& word) {
  return finite_number(word) ? "" : "'" + word + "' is not a finite number";
}

std::string refuse_negative(const std::string& word) {
  const auto value = finite_number(word);
  return value && *value >= 0.0 ? "" : "'" + word + "' is not a number of at least 0";
}

std::string refuse_not_above_0(const std::string& word) {
  const auto value = finite_number(word);
  return value && *value > 0.0 ? "" : "'" + word + "' is not a number above 0";
}

std::string without_leading_zeros(const std::string& word) {
  const size_t sign = length_of_sign(word);
  if (!is_digits(word, sign)) return word;
  const size_t first = std::min(word.find_first_not_of('0', sign), word.size() - 1);
  return word.substr(0, sign) + word.substr(first);
}

}  // namespace edgetwin::cli
