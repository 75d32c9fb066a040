// The table of arguments, and templates from words.
#include "targets/edgetpu/templates/templates.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "targets/edgetpu/templates/parts.h"

namespace edgetwin::edgetpu::templates {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

Error not_a(const char* what, std::string_view word, std::string_view name) {
  return refused("'" + std::string(word) + "' is not " + what, std::string(name));
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

Result<double> real(const std::string& word, std::string_view name) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != 0 || !std::isfinite(value)) return not_a("a number", word, name);
  return value;
}

Result<int> whole(const std::string& word, std::string_view name, int least, int most) {
  int value = 0;
  const auto r = std::from_chars(word.data(), word.data() + word.size(), value);
  if (r.ec != std::errc() || r.ptr != word.data() + word.size()) {
    return not_a("a whole number", word, name);
  }
  if (value < least || value > most) {
    return refused("the value is " + word + "; " + std::to_string(least) + " to " +
                       std::to_string(most) + " are possible",
                   std::string(name));
  }
  return value;
}

// Sets one member after the other by its type.
Status take(int& to, const std::string& word, std::string_view name, int least, int most) {
  EDGETWIN_TRY_ASSIGN(to, whole(word, name, least, most));
  return Ok{};
}
Status take(double& to, const std::string& word, std::string_view name) {
  EDGETWIN_TRY_ASSIGN(to, real(word, name));
  return Ok{};
}
Status take(std::string& to, const std::string& word, std::string_view) {
  to = word;
  return Ok{};
}
Status take(std::vector<double>& to, const std::string& word, std::string_view name) {
  to.clear();
  for (const std::string& part : split(word)) {
    EDGETWIN_TRY_ASSIGN(const double value, real(part, name));
    to.push_back(value);
  }
  return Ok{};
}
Status take(std::vector<int8_t>& to, const std::string& word, std::string_view name) {
  to.clear();
  for (const std::string& part : split(word)) {
    EDGETWIN_TRY_ASSIGN(const int value, whole(part, name, -128, 127));
    to.push_back(static_cast<int8_t>(value));
  }
  return Ok{};
}

std::string initial_list(const std::vector<double>& values) {
  std::string text;
  for (const double v : values) {
    std::string number = std::to_string(v);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
    text += (text.empty() ? "" : ",") + number;
  }
  return text;
}

const std::string* find(const Words& words, std::string_view name) {
  for (const auto& [given, value] : words) {
    if (given == name) return &value;
  }
  return nullptr;
}

Error missing(std::string_view name) { return refused("no value is given", std::string(name)); }

Error unknown_argument(const Kind& kind, const std::string& name) {
  std::string known;
  for (const Argument& a : kind.arguments) {
    known += (known.empty() ? "" : ", ") + std::string(a.name);
  }
  return refused("the template " + std::string(kind.name) + " has no argument '" + name + "'", name)
      .with_hint("It has " + known + ".");
}

Error unknown_kind(std::string_view name) {
  std::string known;
  for (const Kind& k : kinds()) known += (known.empty() ? "" : ", ") + std::string(k.name);
  return refused("there is no template '" + std::string(name) + "'", "KIND")
      .with_hint("There are " + known + ".");
}

std::vector<Kind> table() {
  using Type = Argument::Type;
  std::vector<Kind> rows;
  const auto add = [&rows](std::string_view name, Type type, bool required, std::string initial,
                           std::string_view text) {
    rows.back().arguments.push_back({name, type, required, std::move(initial), text});
  };
#define LIST_OF(...) \
  { __VA_ARGS__ }
#define TEMPLATE(name, Struct, text) rows.push_back({#name, text, {}});
#define INTEGER(name, initial, least, most, text) \
  add(#name, Type::integer, (initial) < (least),  \
      (initial) < (least) ? std::string() : std::to_string(initial), text);
#define NUMBER(name, initial, text) \
  add(#name, Type::number, false, (initial) > 0.0 ? initial_list({initial}) : std::string(), text);
#define WORD(name, initial, text) add(#name, Type::word, false, initial, text);
#define LIST(name, values, text) add(#name, Type::list, false, initial_list(LIST_OF values), text);
#define WEIGHTS(name, text) add(#name, Type::weights, false, std::string(), text);
#define END(Struct)
#include "targets/edgetpu/templates/templates.def"
#include "targets/edgetpu/templates/undefine.h"
#undef LIST_OF
  return rows;
}

}  // namespace

#define TEMPLATE(name, Struct, text) Status check_ranges([[maybe_unused]] const Struct& arguments) {
#define INTEGER(name, initial, least, most, text)                     \
  if (arguments.name < (least) || arguments.name > (most)) {          \
    return refused("the value is " + std::to_string(arguments.name) + \
                       "; " #least " to " #most " are possible",      \
                   #name);                                            \
  }
#define NUMBER(name, initial, text)
#define WORD(name, initial, text)
#define LIST(name, values, text)
#define WEIGHTS(name, text)
#define END(Struct) \
  return Ok{};      \
  }
#include "targets/edgetpu/templates/templates.def"
#include "targets/edgetpu/templates/undefine.h"

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> rows = table();
  return rows;
}

Result<Template> build(std::string_view kind, const Words& words) {
  const Kind* row = nullptr;
  for (const Kind& k : kinds()) {
    if (k.name == kind) row = &k;
  }
  if (row == nullptr) return unknown_kind(kind);
  for (const auto& [name, value] : words) {
    const auto known = [&given = name](const Argument& a) { return a.name == given; };
    if (std::none_of(row->arguments.begin(), row->arguments.end(), known)) {
      return unknown_argument(*row, name);
    }
  }
#define TEMPLATE(name, Struct, text) \
  if (kind == #name) {               \
    Struct made;
#define INTEGER(name, initial, least, most, text)             \
  if (const std::string* word = find(words, #name)) {         \
    EDGETWIN_TRY(take(made.name, *word, #name, least, most)); \
  } else if ((initial) < (least)) {                           \
    return missing(#name);                                    \
  }
#define TAKE(name) \
  if (const std::string* word = find(words, #name)) EDGETWIN_TRY(take(made.name, *word, #name));
#define NUMBER(name, initial, text) TAKE(name)
#define WORD(name, initial, text) TAKE(name)
#define LIST(name, values, text) TAKE(name)
#define WEIGHTS(name, text) TAKE(name)
#define END(Struct)   \
  return build(made); \
  }
#include "targets/edgetpu/templates/templates.def"
#include "targets/edgetpu/templates/undefine.h"
#undef TAKE
  return unknown_kind(kind);
}

}  // namespace edgetwin::edgetpu::templates
