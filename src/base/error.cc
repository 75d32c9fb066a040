#include "base/error.h"

#include <iterator>
#include <utility>

#include "base/result.h"
#include "base/shown.h"

namespace edgetwin {

namespace {

constexpr RuleInfo kErrors[] = {
#define RULE EDGETWIN_RULE
#include "base/error_codes.def"
#undef RULE
};

}  // namespace

RuleTable all_errors() { return kErrors; }
const RuleInfo& info(ErrorCode code) { return kErrors[static_cast<size_t>(code)]; }

std::optional<ErrorCode> find_error(std::string_view id) {
  for (size_t i = 0; i < std::size(kErrors); ++i) {
    if (kErrors[i].id == id) return static_cast<ErrorCode>(i);
  }
  return std::nullopt;
}

Error::Error() = default;
Error::Error(ErrorCode c, std::string text) : code(c), message(std::move(text)) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

Error* ErrorBox::boxed(Error&& error) { return new Error(std::move(error)); }
Error* ErrorBox::copied(const Error* error) {
  return error == nullptr ? nullptr : new Error(*error);
}
void ErrorBox::drop(Error* error) { delete error; }

Error&& Error::in_file(std::string file) && {
  place.file = std::move(file);
  return std::move(*this);
}
Error&& Error::at_offset(uint64_t offset) && {
  place.offset = offset;
  return std::move(*this);
}
Error&& Error::in_layer(std::string layer) && {
  place.layer = std::move(layer);
  return std::move(*this);
}
Error&& Error::in_field(std::string field) && {
  place.field = std::move(field);
  return std::move(*this);
}
Error&& Error::detail(std::string line) && {
  details.push_back(std::move(line));
  return std::move(*this);
}
Error&& Error::with_hint(std::string text) && {
  hint = std::move(text);
  return std::move(*this);
}
Error&& Error::of_rule(std::string id) && {
  rule = std::move(id);
  return std::move(*this);
}

std::string_view Error::id() const { return rule.empty() ? info(code).id : std::string_view(rule); }

namespace {

// An error also names the column, and says that a layer is an operator.
std::string place_text(Place p) {
  if (p.line && p.column) {
    p.file += ":" + std::to_string(*p.line);
    p.line = p.column;
  }
  if (!p.layer.empty()) p.layer.insert(0, "operator ");
  return to_text(p);
}

}  // namespace

std::string to_text(const Error& error) {
  const RuleInfo& row = info(error.code);
  const std::string id(error.id());
  const auto in_line = [](std::string_view t) { return shown_text(t, LineEnds::escape); };
  std::string text = "error[" + id + "]: " + in_line(error.message) + "\n";
  if (const std::string place = place_text(error.place); !place.empty()) {
    text += "  --> " + in_line(place) + "\n";
  }
  for (const std::string& line : error.details) text += "   |  " + in_line(line) + "\n";
  text += "  hint: " + (error.hint.empty() ? std::string(row.remedy) : error.hint) + "\n";
  text += "  more: edgetwin explain " + id + "\n";
  return text;
}

Finding finding_of(const Error& error, Severity severity) {
  Finding f;
  f.severity = severity;
  f.id = error.id();
  f.place = error.place;
  f.message = error.message;
  f.details = error.details;
  f.hint = error.hint;
  return f;
}

Error error_of(const Finding& finding, ErrorCode otherwise) {
  const std::optional<ErrorCode> known = find_error(finding.id);
  Error e(known.value_or(otherwise), finding.message);
  if (!known) e.rule = finding.id;
  e.place = finding.place;
  e.details = finding.details;
  e.hint = finding.hint;
  return e;
}

}  // namespace edgetwin
