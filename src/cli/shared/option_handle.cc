// What an option that was declared is limited to.
#include <CLI/CLI.hpp>

#include "base/words/near_word.h"
#include "cli/shared/option_set.h"
#include "cli/shared/value_checks.h"

namespace edgetwin::cli {

OptionHandle& OptionHandle::required() {
  option_->required();
  info_->required = true;
  return *this;
}

OptionHandle& OptionHandle::not_empty() { return check(refuse_empty); }

OptionHandle& OptionHandle::not_negative() { return check(refuse_negative); }

OptionHandle& OptionHandle::positive() {
  option_->check(refuse_not_above_0);
  return *this;
}

OptionHandle& OptionHandle::range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

OptionHandle& OptionHandle::range(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

OptionHandle& OptionHandle::choices(const std::vector<std::string>& words) {
  option_->check([words](const std::string& word) {
    const std::string refusal = CLI::IsMember(words)(word);
    return refusal.empty() ? refusal : refusal + did_you_mean(word, words);
  });
  info_->choices = words;
  return *this;
}

OptionHandle& OptionHandle::one_of(const std::vector<int>& numbers) {
  option_->check(CLI::IsMember(numbers));
  for (const int n : numbers) info_->choices.push_back(std::to_string(n));
  return *this;
}

OptionHandle& OptionHandle::check(std::function<std::string(const std::string&)> refusal) {
  option_->check(std::move(refusal));
  return *this;
}

OptionHandle& OptionHandle::needs(const OptionHandle& other) {
  option_->needs(other.option_);
  return *this;
}

OptionHandle& OptionHandle::excludes(const OptionHandle& other) {
  option_->excludes(other.option_);
  return *this;
}

OptionHandle& OptionHandle::kind(ValueKind kind) {
  info_->kind = kind;
  return *this;
}

OptionHandle& OptionHandle::source() {
  info_->source = true;
  return *this;
}

}  // namespace edgetwin::cli
