#include "cli/vendor/arguments.h"

#include <algorithm>

#include "targets/max78/chip/limits.h"

namespace edgetwin::cli::vendor {
namespace {

Error wrong_use(const std::string& what) {
  return Error(ErrorCode::usage, what)
      .with_hint("docs/max78-rules.md lists the options of the vendor's tools.");
}

Result<std::string> whole_name(const std::string& word, const std::map<std::string, Takes>& names) {
  if (names.contains(word)) return word;
  std::vector<std::string> found;
  for (const auto& [name, takes] : names) {
    if (word.starts_with("--") && name.starts_with(word)) found.push_back(name);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) return wrong_use("'" + word + "' is not an option of the vendor's tool");
  std::string all;
  for (const std::string& name : found) all += (all.empty() ? "" : ", ") + name;
  return wrong_use("'" + word + "' can be " + all);
}

bool is_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  // Negative numbers are values.
  return word.find_first_not_of("0123456789.", 1) != std::string::npos;
}

bool is_list(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789,") == std::string::npos;
}

}  // namespace

Result<std::vector<Argument>> parse(const std::vector<std::string>& words,
                                    const std::map<std::string, Takes>& names) {
  std::vector<Argument> all;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!is_option(words[i])) {
      all.push_back({"", words[i]});
      continue;
    }
    const size_t equals = words[i].find('=');
    const bool joined = equals != std::string::npos && words[i].starts_with("--");
    Argument a;
    EDGETWIN_TRY_ASSIGN(a.name, whole_name(joined ? words[i].substr(0, equals) : words[i], names));
    const Takes takes = names.at(a.name);
    const bool has_next = i + 1 < words.size() && !is_option(words[i + 1]);
    if (joined) {
      if (takes == Takes::nothing) return wrong_use(a.name + " takes no value");
      a.value = words[i].substr(equals + 1);
    } else if (takes == Takes::value) {
      if (!has_next) return wrong_use(a.name + " needs a value");
      a.value = words[++i];
    } else if (takes == Takes::list && has_next && is_list(words[i + 1])) {
      a.value = words[++i];
    }
    all.push_back(std::move(a));
  }
  return all;
}

std::string target_of(const std::string& device) {
  const auto known = max78::device_by_name(device);
  if (!known) return device;
  std::string text(max78::name(*known));
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace edgetwin::cli::vendor
