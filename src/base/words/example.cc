#include "base/words/example.h"

#include <sstream>
#include <vector>

namespace edgetwin {
namespace {

constexpr size_t kMostColumns = 80;
constexpr const char* kFirst = "  ";
constexpr const char* kNext = "    ";
constexpr const char* kGoesOn = " \\";

// The verb with its words, then each option with what follows it.
std::vector<std::string> pieces_of(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> pieces;
  for (std::string word; words >> word;) {
    if (pieces.empty() || word.starts_with("-")) {
      pieces.push_back(word);
    } else {
      pieces.back() += " " + word;
    }
  }
  return pieces;
}

std::string shown_line(const std::string& line) {
  if (std::string(kFirst).size() + line.size() <= kMostColumns) return kFirst + line;
  std::string all;
  std::string row = kFirst;
  const std::string mark = kGoesOn;
  const std::vector<std::string> pieces = pieces_of(line);
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string& piece = pieces[i];
    const bool begins = row == kFirst || row == kNext;
    const size_t after = i + 1 < pieces.size() ? mark.size() : 0;
    if (!begins && row.size() + 1 + piece.size() + after > kMostColumns) {
      all += row + mark + "\n";
      row = kNext + piece;
      continue;
    }
    row += (begins ? "" : " ") + piece;
  }
  return all + row;
}

}  // namespace

std::string shown_example(const std::string& lines) {
  std::istringstream rows(lines);
  std::string all;
  for (std::string line; std::getline(rows, line);) {
    all += (all.empty() ? "" : "\n") + shown_line(line);
  }
  return all;
}

}  // namespace edgetwin
