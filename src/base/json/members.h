// The members of a JSON document that a user writes, each read with its own check. What is absent
// leaves the variable as it is.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace edgetwin {

// The members of one document, each read with its own check.
class JsonMembers {
 public:
  // Makes the error of a member from its name and what is wrong with it: "is not a number".
  using Refuse = std::function<Error(const std::string& member, const std::string& what)>;

  // `document` must outlive this.
  JsonMembers(const Json& document, Refuse refuse)
      : document_(document), refuse_(std::move(refuse)) {}

  Status word(const char* key, const std::function<bool(const std::string&)>& take,
              const std::string& known) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    const auto text = value->as_string();
    if (text && take(*text)) return Ok{};
    return refuse_(key, "is not one of " + known);
  }

  Status flag(const char* key, bool& into) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    const auto yes = value->as_bool();
    if (!yes) return refuse_(key, "is neither true nor false");
    into = *yes;
    return Ok{};
  }

  Status integer(const char* key, int64_t low, int64_t high, std::optional<int>& into) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    const auto number = value->as_integer();
    if (!number || *number < low || *number > high) {
      return refuse_(
          key, "is not a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    into = static_cast<int>(*number);
    return Ok{};
  }

  // `count` numbers of the range.
  template <class T, size_t count>
  Status integers(const char* key, int64_t low, int64_t high,
                  std::optional<std::array<T, count>>& into) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    std::array<T, count> numbers{};
    bool good = value->is_array() && value->size() == count;
    for (size_t i = 0; good && i < count; ++i) {
      const auto number = value->at(i).as_integer();
      good = number && *number >= low && *number <= high;
      if (good) numbers[i] = static_cast<T>(*number);
    }
    if (!good) {
      return refuse_(key, "is not a list of " + std::to_string(count) + " whole numbers from " +
                              std::to_string(low) + " to " + std::to_string(high));
    }
    into = numbers;
    return Ok{};
  }

  // A number, or one or three numbers.
  Status numbers(const char* key, std::vector<float>& into) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    std::vector<double> read;
    if (const auto single = value->as_number()) read.push_back(*single);
    for (size_t i = 0; i < value->size(); ++i) {
      const auto number = value->at(i).as_number();
      if (!number) return refuse_(key, "is not a list of numbers");
      read.push_back(*number);
    }
    if (read.size() != 1 && read.size() != 3) {
      return refuse_(key, "has " + std::to_string(read.size()) +
                              " numbers; one is for grey, three are for colours");
    }
    for (const double number : read) {
      const auto single = static_cast<float>(number);
      if (!std::isfinite(single)) return refuse_(key, "has a number beyond single precision");
      into.push_back(single);
    }
    return Ok{};
  }

  Status matrix(const char* key, int most, std::optional<std::array<float, 6>>& into) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    std::array<float, 6> numbers{};
    bool good = value->size() == 2;
    for (size_t i = 0; good && i < numbers.size(); ++i) {
      const Json row = value->at(i / 3);
      good = row.is_array() && row.size() == 3;
      const auto number = good ? row.at(i % 3).as_number() : std::nullopt;
      numbers[i] = static_cast<float>(number.value_or(0.0));
      good = number && std::abs(numbers[i]) <= static_cast<float>(most);
    }
    if (!good) return refuse_(key, "is not a matrix of 2 rows with 3 numbers each");
    into = numbers;
    return Ok{};
  }

  // A finite number within single precision.
  template <class T>
  Status number(const char* key, T& into) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    const auto number = value->as_number();
    if (!number || !std::isfinite(static_cast<float>(*number))) {
      return refuse_(key, "is not a number of single precision");
    }
    into = static_cast<float>(*number);
    return Ok{};
  }

  Status text(const char* key, std::string& into) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    const auto text = value->as_string();
    if (!text || text->empty()) return refuse_(key, "is not a text");
    into = *text;
    return Ok{};
  }

  // Texts, at most `most`.
  Status texts(const char* key, size_t most, std::vector<std::string>& into) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    bool good = value->is_array() && value->size() <= most;
    for (size_t i = 0; good && i < value->size(); ++i) {
      const auto text = value->at(i).as_string();
      good = text.has_value();
      if (good) into.push_back(*text);
    }
    return good ? Status(Ok{}) : Status(refuse_(key, "is not a list of texts"));
  }

  // Whole numbers of a range, at most `most` of them.
  Status any_integers(const char* key, int64_t low, int64_t high, size_t most,
                      std::vector<int>& into) const {
    const auto value = document_.get(key);
    if (!value) return Ok{};
    bool good = value->is_array() && value->size() <= most;
    for (size_t i = 0; good && i < value->size(); ++i) {
      const auto number = value->at(i).as_integer();
      good = number && *number >= low && *number <= high;
      if (good) into.push_back(static_cast<int>(*number));
    }
    return good ? Status(Ok{}) : Status(refuse_(key, "is not a list of whole numbers"));
  }

 private:
  const Json& document_;
  Refuse refuse_;
};

}  // namespace edgetwin
