#include "lut/formula/parse.h"

#include <charconv>
#include <cmath>

namespace edgetwin::lut {
namespace {

using Code = Formula::Code;

constexpr double kPi = 3.14159265358979323846;
constexpr double kE = 2.71828182845904523536;

struct Named {
  std::string_view name;
  Code code;
  size_t operands;
};

constexpr Named kNamed[] = {
#define FORMULA_UNARY(name, value, slope, what) {#name, Code::f_##name, 1},
#define FORMULA_BINARY(name, value, slope, what) {#name, Code::f_##name, 2},
#include "lut/formula/functions.def"
#undef FORMULA_UNARY
#undef FORMULA_BINARY
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// By descent; each level of brackets, signs and powers counts for the depth.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<Formula::Step>> run() {
    if (text_.empty()) return Error(ErrorCode::lut_spec, "the formula is empty");
    EDGETWIN_TRY(sum());
    if (at_ < text_.size()) return wrong("an operator is expected");
    return std::move(steps_);
  }

 private:
  Error wrong(const std::string& what) const {
    const std::string found =
        at_ < text_.size() ? "'" + std::string(text_.substr(at_, 12)) + "'" : "the end";
    return Error(ErrorCode::lut_spec, "'" + std::string(text_) + "', character " +
                                          std::to_string(at_ + 1) + ": " + what + ", not " + found);
  }

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void put(Code code, double number = 0.0) { steps_.push_back({code, number}); }

  Status sum() {
    EDGETWIN_TRY(product());
    for (;;) {
      const bool plus = next() == '+';
      if (!plus && next() != '-') return Ok{};
      ++at_;
      EDGETWIN_TRY(product());
      put(plus ? Code::add : Code::subtract);
    }
  }

  Status product() {
    EDGETWIN_TRY(factor());
    for (;;) {
      const bool times = next() == '*';
      if (!times && next() != '/') return Ok{};
      ++at_;
      EDGETWIN_TRY(factor());
      put(times ? Code::multiply : Code::divide);
    }
  }

  Status factor() {
    if (++depth_ > Formula::kMaxDepth) {
      return wrong("at most " + std::to_string(Formula::kMaxDepth) +
                   " levels of brackets are taken");
    }
    const Status done = signed_power();
    --depth_;
    return done;
  }

  Status signed_power() {
    if (take('-')) {
      EDGETWIN_TRY(factor());
      put(Code::negate);
      return Ok{};
    }
    if (take('+')) return factor();
    EDGETWIN_TRY(primary());
    if (!take('^')) return Ok{};
    EDGETWIN_TRY(factor());
    put(Code::f_pow);
    return Ok{};
  }

  Status primary() {
    if (is_digit(next()) || next() == '.') return number();
    if (is_letter(next())) return name();
    if (!take('(')) return wrong("a number, x, a function or a bracket is expected");
    EDGETWIN_TRY(sum());
    return take(')') ? Status(Ok{}) : Status(wrong("')' is expected"));
  }

  Status number() {
    double n = 0.0;
    const char* end = text_.data() + text_.size();
    const auto [after, error] = std::from_chars(text_.data() + at_, end, n);
    if (error != std::errc() || !std::isfinite(n)) return wrong("a number is expected");
    at_ = static_cast<size_t>(after - text_.data());
    put(Code::number, n);
    return Ok{};
  }

  Status name() {
    const size_t from = at_;
    while (is_letter(next()) || is_digit(next())) ++at_;
    const std::string_view word = text_.substr(from, at_ - from);
    if (next() == '(') return call(word, from);
    if (word == "x") {
      put(Code::x);
    } else if (word == "pi") {
      put(Code::number, kPi);
    } else if (word == "e") {
      put(Code::number, kE);
    } else {
      at_ = from;
      return wrong("x, pi or e is expected");
    }
    return Ok{};
  }

  Status call(std::string_view word, size_t from) {
    if (word == "clip") {
      // min(max(a, low), high)
      EDGETWIN_TRY(operands(word, {Code::f_max, Code::f_min}, 3));
      return Ok{};
    }
    for (const Named& f : kNamed) {
      if (f.name != word) continue;
      if (f.operands == 2) return operands(word, {f.code}, 2);
      EDGETWIN_TRY(operands(word, {}, 1));
      put(f.code);
      return Ok{};
    }
    at_ = from;
    return wrong("the name of a function is expected");
  }

  // "(a, b, …)"; after each operand but the first one of `between`.
  Status operands(std::string_view word, std::initializer_list<Code> between, size_t count) {
    ++at_;
    const auto* code = between.begin();
    for (size_t i = 0; i < count; ++i) {
      if (i > 0 && !take(',')) {
        return wrong(std::string(word) + " takes " + std::to_string(count) +
                     " operands; ',' is expected");
      }
      EDGETWIN_TRY(sum());
      if (i > 0) put(*code++);
    }
    return take(')') ? Status(Ok{}) : Status(wrong("')' is expected"));
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t depth_ = 0;
  std::vector<Formula::Step> steps_;
};

}  // namespace

Result<std::vector<Formula::Step>> parse_steps(std::string_view text) { return Parser(text).run(); }

}  // namespace edgetwin::lut
