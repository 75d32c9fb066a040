#include "targets/target.h"

#include <algorithm>
#include <cctype>

#include "base/words/near_word.h"

namespace edgetwin {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

const std::vector<Target>& table() {
  static const std::vector<Target> rows = {
#define TARGET(id, name, family, numerics, aliases, takes, summary) \
  {name, Family::family, numerics, words_of(aliases), words_of(takes), summary},
#include "targets/targets.def"
  };
  return rows;
}

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

std::string_view name(Family family) {
  switch (family) {
    case Family::edgetpu:
      return "Edge TPU";
    case Family::max78:
      return "MAX7800x";
    case Family::espdl:
      return "ESP-DL";
    case Family::tflite:
      break;
  }
  return "TensorFlow Lite";
}

std::span<const Target> all_targets() { return table(); }

const Target* find_target(std::string_view name) {
  const std::string wanted = lower(name);
  for (const Target& t : table()) {
    if (t.name == wanted || std::ranges::find(t.aliases, wanted) != t.aliases.end()) return &t;
  }
  return nullptr;
}

std::string_view lacks(const Target& target, std::string_view verb) {
  for (const targets::Lack& l : targets::all_lacks()) {
    const bool named = std::ranges::find(l.targets, &target) != l.targets.end();
    if (named && l.verb == verb) return l.reason;
  }
  return {};
}

std::string_view lacks(Family family, std::string_view verb) {
  std::string_view reason;
  for (const Target& t : table()) {
    if (t.family != family) continue;
    reason = lacks(t, verb);
    if (reason.empty()) return {};
  }
  return reason;
}

namespace targets {
namespace {

std::vector<const Target*> rows_of(Family family) {
  std::vector<const Target*> rows;
  for (const Target& t : table()) {
    if (t.family == family) rows.push_back(&t);
  }
  return rows;
}

template <class Fits>
std::vector<std::string_view> names_where(const Fits& fits) {
  std::vector<std::string_view> names;
  for (const Target& t : table()) {
    if (fits(t)) names.push_back(t.name);
  }
  return names;
}

std::string joined(const std::vector<std::string_view>& names, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

bool is_of(const Target& t, const std::vector<Family>& families) {
  return families.empty() || std::ranges::find(families, t.family) != families.end();
}

Error no_target(std::string_view name, const std::string& possible) {
  std::vector<std::string> known;
  for (const Target& t : edgetwin::all_targets()) known.emplace_back(t.name);
  return Error(ErrorCode::usage,
               "there is no target '" + std::string(name) + "'" + did_you_mean(name, known))
      .with_hint("Add --target with one of: " + possible + ".");
}

}  // namespace

const Target& row(Id id) { return table()[static_cast<size_t>(id)]; }

std::optional<Id> find_id(std::string_view name) {
  const Target* t = find_target(name);
  if (t == nullptr) return std::nullopt;
  return static_cast<Id>(t - table().data());
}

bool takes(const Target& target, std::string_view ending) {
  return std::ranges::find(target.takes, ending) != target.takes.end();
}

const std::vector<Lack>& all_lacks() {
  static const std::vector<Lack> rows = {
#define LACKS(family, verb, reason) {rows_of(Family::family), #verb, reason},
#define LACKS_ONE(id, verb, reason) {{&row(Id::id)}, #verb, reason},
#include "targets/targets.def"
  };
  return rows;
}

std::string target_names(const std::vector<Family>& families, std::string_view last) {
  return joined(names_where([&](const Target& t) { return is_of(t, families); }), last);
}

std::vector<const Target*> having(std::string_view verb) {
  std::vector<const Target*> rows;
  for (const Target& t : table()) {
    if (lacks(t, verb).empty()) rows.push_back(&t);
  }
  return rows;
}

std::string targets_with(std::string_view verb, std::string_view last) {
  return joined(names_where([&](const Target& t) { return lacks(t, verb).empty(); }), last);
}

Result<const Target*> require_target(std::string_view name, const std::vector<Family>& families) {
  const Target* t = find_target(name);
  if (t != nullptr && is_of(*t, families)) return t;
  if (t == nullptr && !name.empty()) return no_target(name, target_names(families));
  const std::string what =
      name.empty() ? "the target is missing"
                   : "the target '" + std::string(name) + "' does not take this kind of file";
  return Error(ErrorCode::usage, what)
      .with_hint("Add --target with one of: " + target_names(families) + ".");
}

Result<const Target*> require_target_for(std::string_view name, std::string_view verb) {
  const Target* t = find_target(name);
  if (t == nullptr) return no_target(name, targets_with(verb, ", "));
  const std::string_view reason = lacks(*t, verb);
  if (reason.empty()) return t;
  return Error(ErrorCode::usage, "edgetwin " + std::string(verb) + " is not there for " +
                                     std::string(t->name) + ": " + std::string(reason))
      .with_hint("Targets with this verb: " + targets_with(verb) + ".");
}

}  // namespace targets
}  // namespace edgetwin
