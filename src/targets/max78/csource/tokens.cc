#include "targets/max78/csource/tokens.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace edgetwin::max78 {
namespace {

constexpr int kMostIncludes = 8;   // inside each other
constexpr int kMostExpansion = 8;  // of macros inside each other
constexpr std::array<std::string_view, 22> kMarks = {
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
    "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }

class Scanner {
 public:
  Scanner(const std::vector<CFile>& files, const CLimits& limits)
      : files_(files), limits_(limits) {}

  Result<std::vector<Token>> run() {
    std::vector<size_t> order;
    for (size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].name.ends_with(".c")) order.push_back(i);
    }
    std::ranges::sort(order, [&](size_t a, size_t b) { return files_[a].name < files_[b].name; });
    for (const size_t i : order) {
      macros_.clear();
      included_.assign(files_.size(), false);
      EDGETWIN_TRY(file(i, 0));
    }
    out_.push_back({});
    return std::move(out_);
  }

 private:
  Error fault(const std::string& what) const {
    Error e(ErrorCode::max78_program_text, what);
    e.place.file = files_[at_file_].name;
    e.place.line = line_;
    return e;
  }

  Status file(size_t index, int depth) {
    if (depth > kMostIncludes) return fault("headers include each other too deeply");
    const size_t before = at_file_;
    const int line_before = line_;
    const std::string_view text_before = text_;
    at_file_ = index;
    line_ = 1;
    text_ = files_[index].text;
    bool fresh = true;  // nothing but blanks on the line so far
    while (!text_.empty()) {
      const char c = text_.front();
      if (c == '\n') {
        ++line_;
        fresh = true;
        text_.remove_prefix(1);
      } else if (is_space(c) || (c == '\\' && text_.substr(1).starts_with('\n'))) {
        text_.remove_prefix(1);
      } else if (text_.starts_with("//") || text_.starts_with("/*")) {
        comment();
      } else if (c == '#' && fresh) {
        EDGETWIN_TRY(directive(depth));
      } else {
        fresh = false;
        Token t = token();
        if (live()) EDGETWIN_TRY(put(out_, std::move(t), 0));
      }
    }
    at_file_ = before;
    line_ = line_before;
    text_ = text_before;
    return Ok{};
  }

  void comment() {
    const bool line = text_[1] == '/';
    const size_t end = text_.find(line ? "\n" : "*/", 2);
    const size_t stop = end == std::string_view::npos ? text_.size() : end + (line ? 0 : 2);
    line_ += static_cast<int>(std::ranges::count(text_.substr(0, stop), '\n'));
    text_.remove_prefix(stop);
  }

  Token token() {
    Token t;
    t.line = line_;
    t.file = static_cast<int>(at_file_);
    const char c = text_.front();
    size_t n = 1;
    if (is_letter(c)) {
      while (n < text_.size() && (is_letter(text_[n]) || is_digit(text_[n]))) ++n;
      t.kind = Token::Kind::name;
      t.word = text_.substr(0, n);
    } else if (is_digit(c)) {
      while (n < text_.size() && (is_letter(text_[n]) || is_digit(text_[n]) || text_[n] == '.'))
        ++n;
      t.kind = Token::Kind::number;
      t.number = number(text_.substr(0, n));
    } else if (c == '"' || c == '\'') {
      while (n < text_.size() && text_[n] != c && text_[n] != '\n') n += text_[n] == '\\' ? 2 : 1;
      n = std::min(n + 1, text_.size());
      t.kind = Token::Kind::text;
      t.word = text_.substr(0, n);
    } else {
      for (const std::string_view m : kMarks) {
        if (n == 1 && text_.starts_with(m)) n = m.size();
      }
      t.kind = Token::Kind::mark;
      t.word = text_.substr(0, n);
    }
    text_.remove_prefix(n);
    return t;
  }

  static uint32_t number(std::string_view text) {
    uint32_t base = 10, value = 0;
    if (text.starts_with("0x") || text.starts_with("0X")) {
      base = 16;
      text.remove_prefix(2);
    } else if (text.size() > 1 && text.front() == '0') {
      base = 8;
    }
    for (const char c : text) {
      const char low = static_cast<char>(c | 0x20);
      uint32_t digit = base;
      if (is_digit(c)) digit = static_cast<uint32_t>(c - '0');
      if (base == 16 && low >= 'a' && low <= 'f') digit = static_cast<uint32_t>(low - 'a' + 10);
      if (digit >= base) break;  // a suffix
      value = value * base + digit;
    }
    return value;
  }

  // What a macro stands for comes in its place.
  Status put(std::vector<Token>& to, Token t, int depth) {
    if (++made_ > limits_.tokens) return fault("the sources have too many words");
    if (t.kind == Token::Kind::name && depth < kMostExpansion) {
      const auto macro = macros_.find(t.word);
      if (macro != macros_.end()) {
        for (const Token& m : macro->second) EDGETWIN_TRY(put(to, m, depth + 1));
        return Ok{};
      }
    }
    to.push_back(std::move(t));
    return Ok{};
  }

  // The rest of the line, with those that a backslash joins to it.
  std::vector<Token> rest_of_line() {
    std::vector<Token> words;
    while (!text_.empty() && text_.front() != '\n') {
      const bool joined = text_.front() == '\\';
      if (joined && (text_.substr(1).starts_with('\n') || text_.substr(1).starts_with("\r\n"))) {
        text_.remove_prefix(text_[1] == '\r' ? 3 : 2);
        ++line_;
      } else if (is_space(text_.front())) {
        text_.remove_prefix(1);
      } else if (text_.starts_with("//") || text_.starts_with("/*")) {
        comment();
      } else {
        words.push_back(token());
      }
    }
    return words;
  }

  Status directive(int depth) {
    text_.remove_prefix(1);
    std::string_view line = text_.substr(0, text_.find('\n'));
    const bool function_like = takes_arguments(line);
    const std::string header = quoted(line);
    std::vector<Token> words = rest_of_line();
    if (words.empty()) return Ok{};
    const std::string what = words.front().word;
    words.erase(words.begin());
    if (what == "ifdef" || what == "ifndef") {
      const bool known = !words.empty() && macros_.contains(words.front().word);
      conditions_.push_back(known == (what == "ifdef"));
    } else if (what == "if") {
      conditions_.push_back(!words.empty() && words.front().kind == Token::Kind::number &&
                            words.front().number != 0);
    } else if ((what == "else" || what == "elif") && !conditions_.empty()) {
      conditions_.back() = !conditions_.back();
    } else if (what == "endif" && !conditions_.empty()) {
      conditions_.pop_back();
    } else if (what == "define" && live() && !words.empty() && !function_like) {
      const std::string name = words.front().word;
      words.erase(words.begin());
      macros_[name] = std::move(words);
    } else if (what == "include" && live()) {
      return include(header, depth);
    }
    return Ok{};
  }

  // "define NAME(": the bracket stands at the name.
  static bool takes_arguments(std::string_view line) {
    size_t at = line.find("define");
    if (at == std::string_view::npos) return false;
    at = line.find_first_not_of(" \t", at + 6);
    while (at < line.size() && (is_letter(line[at]) || is_digit(line[at]))) ++at;
    return at < line.size() && line[at] == '(';
  }

  static std::string quoted(std::string_view line) {
    const size_t from = line.find('"');
    const size_t to = from == std::string_view::npos ? from : line.find('"', from + 1);
    if (to == std::string_view::npos) return {};
    return std::string(line.substr(from + 1, to - from - 1));
  }

  Status include(const std::string& name, int depth) {
    for (size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].name != name || included_[i] || name.ends_with(".c")) continue;
      included_[i] = true;
      return file(i, depth + 1);
    }
    return Ok{};
  }

  bool live() const {
    return std::ranges::all_of(conditions_, [](bool b) { return b; });
  }

  const std::vector<CFile>& files_;
  const CLimits limits_;
  std::vector<Token> out_;
  std::map<std::string, std::vector<Token>> macros_;
  std::vector<bool> conditions_, included_;
  std::string_view text_;
  size_t at_file_ = 0;
  int line_ = 1;
  int64_t made_ = 0;
};

}  // namespace

Result<std::vector<Token>> c_tokens(const std::vector<CFile>& files, const CLimits& limits) {
  return Scanner(files, limits).run();
}

}  // namespace edgetwin::max78
