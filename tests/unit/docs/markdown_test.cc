// The Markdown pages: fences close, and links lead to a file and a heading that exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/file.h"
#include "source_dir.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const fs::path& file) {
  const auto bytes = read_file(file.string());
  EXPECT_TRUE(bytes.ok()) << file;
  std::vector<std::string> lines;
  if (!bytes.ok()) return lines;
  std::istringstream text{std::string(as_text(*bytes))};
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> pages() {
  const fs::path root = source_dir();
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

bool is_fence(const std::string& line) {
  const size_t begin = line.find_first_not_of(' ');
  return begin != std::string::npos && line.compare(begin, 3, "```") == 0;
}

// The lines that are not code; code is replaced by empty lines.
std::vector<std::string> prose_of(const fs::path& file) {
  std::vector<std::string> lines = lines_of(file);
  bool code = false;
  for (std::string& line : lines) {
    const bool fence = is_fence(line);
    if (code || fence) line.clear();
    code = code != fence;
  }
  return lines;
}

// As the pages are shown: lower case, blanks to '-', other signs dropped, repeated ones numbered.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ' || c == '-') anchor += '-';
    if (std::isalnum(byte) != 0 || c == '_' || byte >= 0x80)
      anchor += static_cast<char>(std::tolower(byte));
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& file) {
  static const std::regex kLink(R"(\[([^\]]*)\]\([^)]*\))");
  std::set<std::string> anchors;
  std::map<std::string, int> seen;
  for (const std::string& line : prose_of(file)) {
    const size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    const std::string anchor = anchor_of(std::regex_replace(line.substr(level + 1), kLink, "$1"));
    const int before = seen[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

// Why the link leads nowhere; empty: it is good.
std::string broken(const fs::path& page, const std::string& target) {
  if (target.find("://") != std::string::npos || target.starts_with("mailto:")) return "";
  const size_t hash = target.find('#');
  const std::string path = target.substr(0, hash);
  const fs::path file = path.empty() ? page : page.parent_path() / path;
  if (!fs::exists(file)) return "there is no such file";
  if (hash == std::string::npos) return "";
  return anchors_of(file).count(target.substr(hash + 1)) != 0 ? "" : "there is no such heading";
}

TEST(Markdown, PagesAreFound) { EXPECT_GE(pages().size(), 20U); }

TEST(Markdown, FencesClose) {
  for (const fs::path& page : pages()) {
    const std::vector<std::string> lines = lines_of(page);
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), is_fence) % 2, 0) << page;
    // An opening fence may name a language, a closing one does not.
    bool code = false;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!is_fence(lines[i])) continue;
      const bool named = lines[i].find_last_not_of("` ") != std::string::npos;
      EXPECT_FALSE(code && named) << page << ":" << i + 1 << ": the fence before is not closed";
      code = !code;
    }
  }
}

TEST(Markdown, HeadingsAreNotCode) {
  for (const fs::path& page : pages()) {
    const std::vector<std::string> lines = lines_of(page);
    bool code = false;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (is_fence(lines[i])) code = !code;
      EXPECT_FALSE(code && lines[i].starts_with("## ")) << page << ":" << i + 1;
    }
  }
}

TEST(Markdown, LinksLeadSomewhere) {
  static const std::regex kLink(R"(\]\(([^)\s]+)\))");
  static const std::regex kCode("`[^`]*`");
  for (const fs::path& page : pages()) {
    const std::vector<std::string> lines = prose_of(page);
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string line = std::regex_replace(lines[i], kCode, "`");
      for (std::sregex_iterator it(line.begin(), line.end(), kLink), end; it != end; ++it) {
        const std::string target = (*it)[1].str();
        EXPECT_EQ(broken(page, target), "") << page << ":" << i + 1 << ": " << target;
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin
