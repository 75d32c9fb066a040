#include "targets/document.h"

#include <algorithm>

#include "targets/target.h"

namespace edgetwin::targets {
namespace {

constexpr size_t kLine = 80;
constexpr size_t kVerbColumn = 14;
constexpr size_t kAnswer = 5;  // of the narrowest chip's column

std::string padded(std::string_view text, size_t width) {
  std::string cell(text);
  cell.resize(std::max(width, cell.size()), ' ');
  return cell;
}

// Breaks at blanks; lines after the first begin with four.
std::string wrapped(const std::string& text) {
  std::string out;
  size_t used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at + 1), text.size());
    std::string word = text.substr(at, end - at);  // with the blank before it
    if (used + word.size() > kLine) {
      out += "\n   ";
      used = 3;
    }
    out += word;
    used += word.size();
    at = end;
  }
  return out + "\n";
}

std::string names_of(const std::vector<const Target*>& rows) {
  std::string text;
  for (const Target* t : rows) text += (text.empty() ? "" : ", ") + std::string(t->name);
  return text;
}

std::string words(const std::vector<std::string_view>& list) {
  std::string text;
  for (const std::string_view w : list) text += (text.empty() ? "`" : ", `") + std::string(w) + "`";
  return text;
}

std::string chips_table() {
  std::string text =
      "| `--target` | other spellings | chip | numerics | files |\n|---|---|---|---|---|\n";
  for (const Target& t : all_targets()) {
    text += "| `" + std::string(t.name) + "` | " + words(t.aliases) + " | " +
            std::string(t.summary) + " | `" + std::string(t.numerics) + "` | " + words(t.takes) +
            " |\n";
  }
  return text;
}

std::string matrix_table(std::span<const std::string_view> verbs) {
  std::string text = "| verb |";
  std::string rule = "|---|";
  for (const Target& t : all_targets()) {
    text += " `" + std::string(t.name) + "` |";
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const std::string_view verb : verbs) {
    text += "| `" + std::string(verb) + "` |";
    for (const Target& t : all_targets()) text += lacks(t, verb).empty() ? " yes |" : " – |";
    text += "\n";
  }
  return text;
}

}  // namespace

std::string targets_markdown(std::span<const std::string_view> verbs) {
  std::string text =
      "# Targets\n\n"
      "Made by `cmake --build build/release --target update_docs` from "
      "`src/targets/targets.def` and `src/cli/verbs.def`; a test compares both.\n\n"
      "## Chips\n\n" +
      chips_table() + "\n## Which verb a chip has\n\n" + matrix_table(verbs) +
      "\n## Why a verb is not there\n\nThe program refuses it with these words.\n\n"
      "| chip | verb | reason |\n|---|---|---|\n";
  for (const Lack& l : all_lacks()) {
    text += "| " + names_of(l.targets) + " | `" + std::string(l.verb) + "` | " +
            std::string(l.reason) + " |\n";
  }
  return text;
}

std::string matrix_text(std::span<const std::string_view> verbs) {
  std::string text = padded("Targets:", kVerbColumn);
  const auto column = [](const Target& t) { return std::max(kAnswer, t.name.size() + 2); };
  for (const Target& t : all_targets()) text += padded(t.name, column(t));
  text.erase(text.find_last_not_of(' ') + 1);
  for (const std::string_view verb : verbs) {
    std::string line = padded("  " + std::string(verb), kVerbColumn);
    for (const Target& t : all_targets()) {
      line += padded(lacks(t, verb).empty() ? "yes" : "-", column(t));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += "\n" + line;
  }
  return text + "\n";
}

std::string verb_text(std::string_view verb) {
  std::string text = wrapped("Targets: " + targets_with(verb, ", "));
  for (const Lack& l : all_lacks()) {
    if (l.verb != verb) continue;
    text += wrapped("  not " + names_of(l.targets) + ": " + std::string(l.reason));
  }
  return text;
}

}  // namespace edgetwin::targets
