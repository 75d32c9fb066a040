#include "cli/vendor/command_line.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/vendor/arguments.h"

namespace edgetwin::cli {
namespace {

// The last part of a path, without the ending of Python's files.
std::string tool_of(const std::string& path) {
  std::string name = path.substr(path.find_last_of("/\\") + 1);
  if (name.ends_with(".py")) name.resize(name.size() - 3);
  return name;
}

bool is_python(const std::string& name) {
  return name.starts_with("python") &&
         name.find_first_not_of("0123456789.", 6) == std::string::npos;
}

using Words = std::vector<std::string>;

// The vendor's names of options that our verbs have under others.
struct OtherName {
  std::string_view verbs, theirs, ours;  // ours empty: the value is a word by position
};
constexpr std::string_view kLoading = " run check compile info verify bench report ";
constexpr std::array<OtherName, 7> kOtherNames = {
    {{kLoading, "--checkpoint-file", "--checkpoint"},
     {kLoading, "--weight-input", "--weights"},
     {kLoading, "--bias-input", "--bias"},
     {kLoading, "--sample-input", "--sample"},
     {" check compile info ", "--config-file", ""},
     {" check compile info quantize ", "--device", "--target"},
     {" compile ", "--test-dir", "-o"}}};

const OtherName* other_name(const std::string& verb, std::string_view option) {
  const auto found = std::ranges::find_if(kOtherNames, [&](const OtherName& n) {
    return n.theirs == option && n.verbs.find(" " + verb + " ") != std::string_view::npos;
  });
  return found == kOtherNames.end() ? nullptr : &*found;
}

// The word after an option, or after the last one of its name.
std::string value_after(const Words& words, std::string_view option) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == option) return words[i + 1];
  }
  return "";
}

Words with_own_names(const Words& words) {
  if (words.size() < 2) return words;
  Words out = {words[0], words[1]};
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string option = words[i].substr(0, equals);
    const OtherName* other = other_name(words[1], option);
    const bool joined = equals != std::string::npos;
    if (other == nullptr || (!joined && i + 1 == words.size())) {
      out.push_back(words[i]);
      continue;
    }
    std::string value = joined ? words[i].substr(equals + 1) : words[++i];
    if (other->ours == "--target") value = vendor::target_of(value);
    // The loader writes into a folder of the project's name.
    const std::string prefix = other->ours == "-o" ? value_after(words, "--prefix") : "";
    if (!prefix.empty()) value += "/" + prefix;
    if (!other->ours.empty()) out.emplace_back(other->ours);
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace

Result<Words> own_command_line(Words words) {
  if (words.empty()) return words;
  std::string tool = tool_of(words[0]);
  if (is_python(tool)) {
    if (words.size() < 2) {
      return Error(ErrorCode::usage, "called as " + tool + ", and no tool of the vendor is named")
          .with_hint("ai8xize.py and quantize.py are known.");
    }
    words.erase(words.begin());
    tool = tool_of(words[0]);
    if (tool != "ai8xize" && tool != "quantize") {
      return Error(ErrorCode::usage,
                   "'" + words[0] + "' is none of the vendor's tools that are known")
          .with_hint("ai8xize.py and quantize.py are known; other scripts need Python itself.");
    }
  }
  const Words after(words.begin() + 1, words.end());
  if (tool == "ai8xize") return vendor::ai8xize_line(after);
  if (tool == "quantize") return vendor::quantize_line(after);
  return with_own_names(words);
}

}  // namespace edgetwin::cli
