#include "targets/max78/program/program_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/shown.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;

constexpr size_t kMostWords = size_t{1} << 26;  // of a whole program: 256 MB
constexpr size_t kMostFunctions = 4096;
constexpr uint32_t kLargeBase = 0x51000000U;

// Walks over lines, and over the words of one.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool next_line() {
    if (rest_.empty()) return false;
    const size_t end = rest_.find('\n');
    words_ = rest_.substr(0, end);
    if (!words_.empty() && words_.back() == '\r') words_.remove_suffix(1);
    line_text_ = words_;
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    ++line_;
    return true;
  }
  int line() const { return line_; }
  std::string_view line_text() const { return line_text_; }

  std::string_view word() {
    while (!words_.empty() && (words_.front() == ' ' || words_.front() == '\t')) {
      words_.remove_prefix(1);
    }
    const size_t n = std::min(words_.find_first_of(" \t"), words_.size());
    const std::string_view w = words_.substr(0, n);
    words_.remove_prefix(n);
    return w;
  }

 private:
  std::string_view rest_, words_, line_text_;
  int line_ = 0;
};

template <class T>
std::optional<T> number(std::string_view word, int base) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::string shown(std::string_view text) {
  return shown_text(text.substr(0, 60), LineEnds::escape);
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : scan_(text), file_(file) {}

  Result<ProgramText> program() {
    ProgramText p;
    p.file = file_;
    while (scan_.next_line()) {
      const std::string_view verb = scan_.word();
      if (verb.empty() || verb.front() == '#') continue;
      if (verb == "fn") {
        EDGETWIN_TRY(function(p));
        continue;
      }
      if (p.parts.empty()) return bad("an access stands before the first `fn`");
      ProgramText::Line line;
      line.line = scan_.line();
      EDGETWIN_TRY(access(verb, line.access));
      p.parts.back().accesses.push_back(std::move(line));
    }
    if (p.parts.empty()) return bad("there is no `fn`");
    p.device = device_of(p);
    return p;
  }

  Result<std::vector<Run>> expected() {
    std::vector<Run> runs;
    while (scan_.next_line()) {
      const std::string_view verb = scan_.word();
      if (verb.empty() || verb.front() == '#') continue;
      if (verb != "expect") return bad("a line does not begin with `expect`");
      Run run;
      EDGETWIN_TRY_ASSIGN(run.address, hex("the address"));
      EDGETWIN_TRY_ASSIGN(run.mask, hex("the mask"));
      EDGETWIN_TRY_ASSIGN(run.words, words());
      runs.push_back(std::move(run));
    }
    return runs;
  }

 private:
  Error bad(const std::string& what) const {
    Error e(ErrorCode::max78_program_text, what);
    e.place.file = file_;
    e.place.line = scan_.line();
    if (!scan_.line_text().empty()) e.details.push_back(shown(scan_.line_text()));
    return e;
  }

  Result<uint32_t> hex(const char* what) {
    const std::string_view w = scan_.word();
    const auto value = number<uint32_t>(w, 16);
    if (!value) {
      return bad(std::string(what) + " is not a hexadecimal number of up to 8 digits: '" +
                 shown(w) + "'");
    }
    return *value;
  }

  Status end_of_line() {
    if (const std::string_view w = scan_.word(); !w.empty()) {
      return bad("there is more on the line than belongs there: '" + shown(w) + "'");
    }
    return Ok{};
  }

  Status function(ProgramText& p) {
    const std::string_view name = scan_.word();
    if (name.empty()) return bad("`fn` without a name");
    if (p.parts.size() >= kMostFunctions) return bad("there are more than 4096 functions");
    p.parts.push_back({shown(name), scan_.line(), {}});
    return end_of_line();
  }

  // A decimal count, and that many words on the lines that follow.
  Result<std::vector<uint32_t>> words() {
    const std::string_view w = scan_.word();
    const auto count = number<uint64_t>(w, 10);
    if (!count || *count == 0) return bad("the count is not a positive number: '" + shown(w) + "'");
    total_ += *count;
    if (*count > kMostWords || total_ > kMostWords) {
      return bad("more than " + std::to_string(kMostWords) + " words in one program");
    }
    EDGETWIN_TRY(end_of_line());
    std::vector<uint32_t> values;
    while (values.size() < *count) {
      const int first = scan_.line();
      if (!scan_.next_line()) {
        return bad("the file ends after " + std::to_string(values.size()) + " of " +
                   std::to_string(*count) + " words of the list in line " + std::to_string(first));
      }
      size_t on_line = 0;
      for (std::string_view v = scan_.word(); !v.empty(); v = scan_.word(), ++on_line) {
        const auto value = number<uint32_t>(v, 16);
        if (!value) return bad("a word is not a hexadecimal number: '" + shown(v) + "'");
        if (values.size() == *count) return bad("there are more words than the list counts");
        values.push_back(*value);
      }
      if (on_line == 0) return bad("an empty line within a list of words");
    }
    return values;
  }

  Status burst(Access& a) {
    a.kind = Kind::write;
    EDGETWIN_TRY_ASSIGN(a.address, hex("the address"));
    EDGETWIN_TRY_ASSIGN(std::vector<uint32_t> values, words());
    a.value = values.front();
    a.words.assign(values.begin() + 1, values.end());
    return Ok{};
  }

  Status camera(Access& a) {
    a.kind = Kind::camera;
    const auto count = number<uint32_t>(scan_.word(), 10);
    if (!count || *count == 0 || *count > 1U << 24) {
      return bad("the number of camera words is not 1 to 16777216");
    }
    a.value = *count;
    EDGETWIN_TRY(fifo_addresses(a));
    return end_of_line();
  }

  Status fifo(Access& a) {
    a.kind = Kind::fifo;
    EDGETWIN_TRY(fifo_addresses(a));
    EDGETWIN_TRY_ASSIGN(a.words, words());
    return Ok{};
  }

  Status fifo_addresses(Access& a) {
    std::string_view list = scan_.word();
    while (true) {
      const size_t comma = std::min(list.find(','), list.size());
      const auto value = number<uint32_t>(list.substr(0, comma), 16);
      if (!value || a.addresses.size() >= 64) return bad("the list of FIFO addresses is not one");
      a.addresses.push_back(*value);
      if (comma == list.size()) break;
      list.remove_prefix(comma + 1);
    }
    return Ok{};
  }

  Status access(std::string_view verb, Access& a) {
    if (verb == "burst") return burst(a);
    if (verb == "fifo") return fifo(a);
    if (verb == "camera") return camera(a);
    if (verb == "nop") {
      a.kind = Kind::idle;
      return end_of_line();
    }
    struct Form {
      std::string_view verb;
      Kind kind;
      bool mask, value;
    };
    constexpr Form kForms[] = {
        {"w", Kind::write, false, true},     {"b", Kind::write_byte, false, true},
        {"or", Kind::set_bits, false, true}, {"and", Kind::keep_bits, false, true},
        {"r", Kind::read, false, false},     {"wait", Kind::wait, true, true},
        {"check", Kind::check, true, true},  {"poll", Kind::poll, false, false}};
    const auto* form = std::find_if(std::begin(kForms), std::end(kForms),
                                    [&](const Form& f) { return f.verb == verb; });
    if (form == std::end(kForms)) {
      return bad("'" + shown(verb) +
                 "' is none of fn, w, b, or, and, r, wait, check, nop, burst, poll, fifo, camera");
    }
    a.kind = form->kind;
    EDGETWIN_TRY_ASSIGN(a.address, hex("the address"));
    if (form->mask) {
      EDGETWIN_TRY_ASSIGN(a.mask, hex("the mask"));
    }
    if (form->value) {
      EDGETWIN_TRY_ASSIGN(a.value, hex("the value"));
    }
    if (a.kind == Kind::write_byte && a.value > 0xff) return bad("a byte is larger than ff");
    return end_of_line();
  }

  // Control registers of MAX78000 lie below the first address of MAX78002's accelerator.
  static Device device_of(const ProgramText& p) {
    const uint32_t small = chip_limits(Device::max78000).cnn_base;
    for (const auto& part : p.parts) {
      for (const auto& l : part.accesses) {
        if (l.access.address >= small && l.access.address < kLargeBase) return Device::max78000;
        if (l.access.address >= kLargeBase) return Device::max78002;
      }
    }
    return Device::max78000;
  }

  Scanner scan_;
  const std::string& file_;
  uint64_t total_ = 0;
};

}  // namespace

namespace {

std::string_view first_word(std::string_view text) {
  Scanner scan(text.substr(0, 4096));
  while (scan.next_line()) {
    const std::string_view w = scan.word();
    if (!w.empty() && w.front() != '#') return w;
  }
  return {};
}

}  // namespace

bool looks_like_program(std::string_view text) { return first_word(text) == "fn"; }
bool looks_like_expected(std::string_view text) { return first_word(text) == "expect"; }

Result<ProgramText> read_program(std::string_view text, const std::string& file) {
  return Reader(text, file).program();
}

Result<std::vector<Run>> read_expected(std::string_view text, const std::string& file) {
  return Reader(text, file).expected();
}

ProgramText as_text(const Program& program, Device device) {
  ProgramText p;
  p.device = device;
  for (const Function& f : program.functions) {
    p.parts.push_back({f.name, 0, {}});
    for (const Access& a : f.accesses) p.parts.back().accesses.push_back({0, a});
  }
  return p;
}

}  // namespace edgetwin::max78
