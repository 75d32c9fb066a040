#include "base/finding.h"

#include <algorithm>

#include "base/shown.h"

namespace edgetwin {

std::string_view name(Severity severity) {
  constexpr std::string_view kNames[] = {"note", "warning", "error"};
  return kNames[static_cast<size_t>(severity)];
}

bool Place::empty() const { return file.empty() && !offset && layer.empty() && field.empty(); }

std::string to_text(const Place& place) {
  std::string text = place.file;
  if (place.line) text += ":" + std::to_string(*place.line);
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  if (place.offset) add("byte " + std::to_string(*place.offset));
  add(place.layer);
  if (!place.field.empty()) add("field " + place.field);
  return text;
}

std::string to_text(const Finding& f) {
  // Names from files stay in their line.
  const auto in_line = [](const std::string& t) { return shown_text(t, LineEnds::escape); };
  std::string text = std::string(name(f.severity)) + (f.id.empty() ? "" : "[" + f.id + "]") + ": " +
                     in_line(f.message);
  if (f.count > 1) text += " (" + std::to_string(f.count) + " times)";
  text += "\n";
  if (const std::string place = to_text(f.place); !place.empty())
    text += "  --> " + in_line(place) + "\n";
  for (const std::string& line : f.details) text += "   |  " + in_line(line) + "\n";
  if (!f.hint.empty()) text += "  hint: " + f.hint + "\n";
  return text;
}

std::string line_text(const Finding& f) {
  std::string text = f.message;
  if (f.count > 1) text += " (" + std::to_string(f.count) + " times)";
  for (const std::string& line : f.details) text += "; " + line;
  return text;
}

const Finding* first_error(const std::vector<Finding>& findings) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [](const Finding& f) { return f.severity == Severity::error; });
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace edgetwin
