#include "evaluate/data/json_lines.h"

#include <cstddef>

namespace edgetwin::evaluation {
namespace {

// A walk over the characters of a document that knows how deep it is, and in which line.
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view text) : text_(text) {}

  bool ends() const { return at_ >= text_.size(); }
  int line() const { return line_; }
  int depth() const { return depth_; }

  // The next character that is not a blank; a string as its opening quote.
  char next() {
    while (!ends()) {
      const char c = text_[at_++];
      line_ += c == '\n' ? 1 : 0;
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
      depth_ += c == '{' || c == '[' ? 1 : 0;
      depth_ -= c == '}' || c == ']' ? 1 : 0;
      if (c == '"') read_string();
      return c;
    }
    return '\0';
  }
  // What next() stepped over, without the quotes.
  std::string_view string() const { return string_; }

 private:
  void read_string() {
    const size_t begin = at_;
    while (!ends() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    string_ = text_.substr(begin, at_ < text_.size() ? at_ - begin : std::string_view::npos);
    ++at_;
  }

  std::string_view text_, string_;
  size_t at_ = 0;
  int line_ = 1, depth_ = 0;
};

// To the list of the key; false: there is none.
bool find_list(JsonWalk& walk, std::string_view key) {
  while (!walk.ends()) {
    const bool outermost = walk.depth() == 1;
    if (walk.next() != '"' || !outermost || walk.string() != key) continue;
    if (walk.next() == ':' && walk.next() == '[') return true;
  }
  return false;
}

}  // namespace

std::vector<int> lines_of_elements(std::string_view text, std::string_view key) {
  std::vector<int> lines;
  JsonWalk walk(text);
  if (!find_list(walk, key)) return lines;
  const int inside = walk.depth();
  bool begins = true;
  while (!walk.ends()) {
    const char c = walk.next();
    if (walk.depth() < inside) break;
    if (begins && c != '\0') lines.push_back(walk.line());
    begins = c == ',' && walk.depth() == inside;
  }
  return lines;
}

}  // namespace edgetwin::evaluation
