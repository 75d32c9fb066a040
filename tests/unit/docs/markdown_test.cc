// Every Markdown file of the repository: fences close, links lead to files and headings.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "source_dir.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

struct Document {
  std::vector<std::string> links;     // targets, outside of code
  std::set<std::string> anchors;      // of its headings
  std::vector<std::string> mistakes;  // "line N: …"
};

// As GitHub makes them: lower case, without punctuation, '-' for a space.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (u >= 0x80 || std::isalnum(u) || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(u));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

void read_links(const std::string& line, std::vector<std::string>& links) {
  static const std::regex code("`[^`]*`");
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  const std::string text = std::regex_replace(line, code, "code");
  for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i) {
    links.push_back((*i)[1]);
  }
}

Document read_document(const fs::path& path) {
  Document d;
  std::ifstream file(path);
  size_t number = 0, opened = 0;  // line of the open fence; 0: none
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("```")) {
      if (opened != 0 && line != "```") {
        d.mistakes.push_back("line " + std::to_string(opened) + ": the fence is not closed");
      }
      opened = opened == 0 ? number : 0;
    } else if (opened == 0) {
      const size_t level = line.find_first_not_of('#');
      if (level != std::string::npos && level > 0 && line[level] == ' ') {
        d.anchors.insert(anchor_of(line.substr(level + 1)));
      }
      read_links(line, d.links);
    } else if (line.starts_with("## ")) {
      d.mistakes.push_back("line " + std::to_string(number) + ": a heading inside of a fence");
    }
  }
  if (opened != 0) {
    d.mistakes.push_back("line " + std::to_string(opened) + ": the fence is not closed");
  }
  return d;
}

std::vector<fs::path> documents() {
  const fs::path root = source_dir();
  std::vector<fs::path> found;
  for (const auto& e : fs::directory_iterator(root)) {
    if (e.path().extension() == ".md") found.push_back(e.path());
  }
  for (const char* folder : {"docs", "tests", "models", "tools", "examples"}) {
    for (const auto& e : fs::recursive_directory_iterator(root / folder)) {
      if (e.path().extension() == ".md") found.push_back(e.path());
    }
  }
  return found;
}

// Empty where the link of the file leads somewhere.
std::string broken(const fs::path& from, const std::string& link) {
  if (link.find("://") != std::string::npos || link.starts_with("mailto:")) return {};
  const size_t hash = link.find('#');
  const std::string name = link.substr(0, hash);
  const fs::path target = name.empty() ? from : from.parent_path() / name;
  if (!fs::exists(target)) return "there is no " + target.lexically_normal().string();
  if (hash == std::string::npos) return {};
  const std::string anchor = link.substr(hash + 1);
  return read_document(target).anchors.contains(anchor) ? "" : "no heading #" + anchor;
}

TEST(Markdown, FencesClose) {
  ASSERT_GT(documents().size(), 30U);
  for (const fs::path& path : documents()) {
    for (const std::string& m : read_document(path).mistakes) ADD_FAILURE() << path << ", " << m;
  }
}

TEST(Markdown, LinksLeadSomewhere) {
  size_t count = 0;
  for (const fs::path& path : documents()) {
    for (const std::string& link : read_document(path).links) {
      ++count;
      const std::string why = broken(path, link);
      EXPECT_EQ(why, "") << path << ": (" << link << ")";
    }
  }
  EXPECT_GT(count, 100U);
}

// Every page of docs is in the index.
TEST(Markdown, TheIndexHasEveryPage) {
  const fs::path docs = fs::path(source_dir()) / "docs";
  std::set<fs::path> listed;
  for (const std::string& link : read_document(docs / "index.md").links) {
    listed.insert((docs / link.substr(0, link.find('#'))).lexically_normal());
  }
  for (const auto& e : fs::recursive_directory_iterator(docs)) {
    if (e.path().extension() != ".md" || e.path().filename() == "index.md") continue;
    EXPECT_TRUE(listed.contains(e.path().lexically_normal())) << e.path() << " is not in index.md";
  }
}

// The program in docs/library.md is the one that the installation's tests build and run.
TEST(Markdown, TheLibrarysProgramIsTheTestedOne) {
  const auto text_of = [](const std::string& path) {
    std::ifstream file(source_dir() + path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string program = text_of("/tests/install/client/client.cc");
  ASSERT_FALSE(program.empty());
  EXPECT_NE(text_of("/docs/library.md").find("```cpp\n" + program + "```\n"), std::string::npos);
}

// The other pieces are functions of a program in examples/.
TEST(Markdown, TheLibrarysPiecesAreOfTheExample) {
  const auto text_of = [](const std::string& path) {
    std::ifstream file(source_dir() + path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string page = text_of("/docs/library.md");
  const std::string example = text_of("/examples/making.cc");
  int pieces = 0;
  const std::string fence = "```cpp\nedgetwin::Status ";
  for (size_t at = 0; (at = page.find(fence, at)) != std::string::npos; ++pieces) {
    at += 7;
    const std::string piece = page.substr(at, page.find("```", at) - at);
    EXPECT_NE(example.find(piece), std::string::npos) << piece;
  }
  EXPECT_EQ(pieces, 3);
}

}  // namespace
}  // namespace edgetwin
