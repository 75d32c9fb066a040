#include "base/error.h"

#include <utility>

#include "base/shown.h"

namespace edgetwin {

const std::vector<ErrorInfo>& all_errors() {
  static const std::vector<ErrorInfo> rows = {
#define RULE(name, id, severity, exit_code, title, text, remedy, evidence) \
  {ErrorCode::name, #name, id, exit_code, title, remedy},
#include "base/error_codes.def"
#undef RULE
  };
  return rows;
}

const ErrorInfo& info(ErrorCode code) { return all_errors()[static_cast<size_t>(code)]; }

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

std::string place_text(const Place& p) {
  std::string text = p.file;
  if (p.line) text += ":" + std::to_string(*p.line);
  if (p.line && p.column) text += ":" + std::to_string(*p.column);
  const auto add = [&text](const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += ", ";
    text += part;
  };
  if (p.offset) add("byte " + std::to_string(*p.offset));
  if (!p.layer.empty()) add("operator " + p.layer);
  if (!p.field.empty()) add("field " + p.field);
  return text;
}

}  // namespace

std::string to_text(const Error& error) {
  const ErrorInfo& row = info(error.code);
  const std::string id(error.id());
  const auto in_line = [](std::string_view t) { return shown_text(t, LineEnds::escape); };
  std::string text = "error[" + id + "]: " + in_line(error.message) + "\n";
  if (const std::string place = place_text(error.place); !place.empty()) {
    text += "  --> " + in_line(place) + "\n";
  }
  for (const std::string& line : error.details) text += "   |  " + in_line(line) + "\n";
  text += "  hint: " + (error.hint.empty() ? std::string(row.cure) : error.hint) + "\n";
  text += "  more: edgetwin explain " + id + "\n";
  return text;
}

}  // namespace edgetwin
