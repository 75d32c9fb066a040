#include "serve/modes/parameters.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "report/format.h"

namespace edgetwin::serve {
namespace {

// "0.01", "8".
std::string short_number(double value) {
  std::string text = report::fixed_text(value, 2);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

constexpr std::array<std::string_view, 4> kKinds = {"select", "number", "range", "checkbox"};

// The value itself, or what a text says.
std::optional<double> number_in(const Json& value) {
  if (const auto n = value.as_number()) return n;
  if (const auto n = value.as_integer()) return static_cast<double>(*n);
  const auto text = value.as_string();
  if (!text || text->empty()) return std::nullopt;
  double parsed = 0;
  const char* end = text->data() + text->size();
  const auto result = std::from_chars(text->data(), end, parsed);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return parsed;
}

std::string plain_text(const Json& value) {
  if (const auto text = value.as_string()) return *text;
  std::string text = value.text();
  if (text.ends_with('\n')) text.pop_back();
  return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

bool same_option(const Json& option, const Json& value) {
  if (const auto word = option.as_string()) return value.as_string() == word;
  const auto number = number_in(option);
  return number.has_value() && number_in(value) == number;
}

std::string list_of(const std::vector<Json>& options) {
  std::string text;
  for (const Json& o : options) text += (text.empty() ? "" : ", ") + plain_text(o);
  return text.empty() ? "nothing" : text;
}

// Adds to `problems` and gives null where the value is wrong.
Json checked(const Parameter& p, const Json& value, std::vector<std::string>& problems) {
  const auto wrong = [&](const std::string& wanted) {
    problems.push_back(p.name + ": '" + plain_text(value) + "' is not " + wanted);
    return Json();
  };
  if (p.kind == Parameter::Kind::checkbox) {
    if (const auto b = value.as_bool()) return Json(*b);
    const auto text = value.as_string();
    if (!text) return wrong("true or false");
    return Json(*text == "true" || *text == "1" || *text == "yes");
  }
  if (p.kind == Parameter::Kind::select) {
    for (const Json& option : p.options) {
      if (same_option(option, value)) return option;
    }
    return wrong("one of " + list_of(p.options));
  }
  const std::string bounds = "from " + short_number(p.least) + " to " + short_number(p.most);
  const auto n = number_in(value);
  if (!n || !std::isfinite(*n) || *n < p.least || *n > p.most) return wrong("a number " + bounds);
  if (!p.whole) return Json(*n);
  if (*n != std::floor(*n)) return wrong("a whole number " + bounds);
  return Json(static_cast<int64_t>(*n));
}

}  // namespace

Parameter select(std::string name, std::string label, std::vector<Json> options, Json initial) {
  return {std::move(name),
          Parameter::Kind::select,
          std::move(label),
          std::move(initial),
          std::move(options),
          0,
          0,
          false};
}
Parameter number(std::string name, std::string label, double least, double most, double initial) {
  return {
      std::move(name), Parameter::Kind::number, std::move(label), initial, {}, least, most, false};
}
Parameter whole_number(std::string name, std::string label, int least, int most, int initial) {
  return {std::move(name),
          Parameter::Kind::range,
          std::move(label),
          initial,
          {},
          static_cast<double>(least),
          static_cast<double>(most),
          true};
}
Parameter range(std::string name, std::string label, double least, double most, double initial) {
  return {
      std::move(name), Parameter::Kind::range, std::move(label), initial, {}, least, most, false};
}
Parameter checkbox(std::string name, std::string label, bool initial) {
  return {std::move(name), Parameter::Kind::checkbox, std::move(label), initial, {}, 0, 0, false};
}

Json schema_of(const std::vector<Parameter>& parameters) {
  Json schema = Json::object();
  for (const Parameter& p : parameters) {
    Json row = Json::object();
    row.set("type", kKinds[static_cast<size_t>(p.kind)]).set("label", p.label);
    row.set("default", p.initial);
    if (p.kind == Parameter::Kind::select) row.set("options", Json::list(p.options));
    if (p.kind == Parameter::Kind::number || p.kind == Parameter::Kind::range) {
      row.set("min", p.least).set("max", p.most);
      row.set("step", p.whole ? Json(1) : Json(0.01));
    }
    schema.set(p.name, std::move(row));
  }
  return schema;
}

Result<ParameterValues> ParameterValues::make(const std::vector<Parameter>& parameters,
                                              const Json& given) {
  ParameterValues made;
  std::vector<std::string> problems;
  for (const std::string& key : given.keys()) {
    const auto has_name = [&](const Parameter& p) { return p.name == key; };
    if (std::none_of(parameters.begin(), parameters.end(), has_name)) {
      problems.push_back("there is no parameter '" + key.substr(0, 60) + "'");
    }
  }
  for (const Parameter& p : parameters) {
    const auto value = given.get(p.name);
    made.values_.set(p.name, value ? checked(p, *value, problems) : p.initial);
  }
  if (problems.empty()) return made;
  std::string text;
  for (const std::string& problem : problems) text += (text.empty() ? "" : "; ") + problem;
  return Error(ErrorCode::bad_value, text);
}

int ParameterValues::integer(std::string_view name) const { return static_cast<int>(real(name)); }
double ParameterValues::real(std::string_view name) const {
  const auto value = values_.get(name);
  return value ? number_in(*value).value_or(0.0) : 0.0;
}
bool ParameterValues::flag(std::string_view name) const {
  const auto value = values_.get(name);
  return value && value->as_bool().value_or(false);
}
std::string ParameterValues::text(std::string_view name) const {
  return values_.get_string(name).value_or("");
}

}  // namespace edgetwin::serve
