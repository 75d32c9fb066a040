// Expressions: numbers, pointers into the chip and into arrays, words of the chip.
#include <algorithm>
#include <array>
#include <string_view>

#include "targets/max78/csource/interpreter.h"

namespace edgetwin::max78 {
namespace {

using Kind = CValue::Kind;

constexpr int kMostNesting = 200;
// By rising binding.
constexpr std::array<std::string_view, 10> kLevels = {
    "||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"};
constexpr std::array<std::string_view, 10> kAssignments = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="};

bool on_level(std::string_view level, const Token& t) {
  if (t.kind != Token::Kind::mark) return false;
  while (!level.empty()) {
    const size_t end = std::min(level.find(' '), level.size());
    if (level.substr(0, end) == t.word) return true;
    level.remove_prefix(std::min(end + 1, level.size()));
  }
  return false;
}

uint32_t calculated(const std::string& op, uint32_t a, uint32_t b) {
  const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return b == 0 ? 0 : a / b;
  if (op == "%") return b == 0 ? 0 : a % b;
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "<<") return b > 31 ? 0 : a << b;
  if (op == ">>") return b > 31 ? 0 : a >> b;
  if (op == "==") return a == b ? 1 : 0;
  if (op == "!=") return a != b ? 1 : 0;
  // Counters are signed; addresses are not compared.
  if (op == "<") return sa < sb ? 1 : 0;
  if (op == ">") return sa > sb ? 1 : 0;
  if (op == "<=") return sa <= sb ? 1 : 0;
  if (op == ">=") return sa >= sb ? 1 : 0;
  if (op == "&&") return a != 0 && b != 0 ? 1 : 0;
  return a != 0 || b != 0 ? 1 : 0;
}

CValue moved(CValue pointer, uint32_t by) {
  pointer.n += pointer.kind == Kind::device ? by * pointer.size : by;
  return pointer;
}

}  // namespace

CValue CInterpreter::combined(const std::string& op, const CValue& a, const CValue& b) {
  if (a.known() && b.known()) {
    if (a.kind == Kind::device && (op == "+" || op == "-")) {
      return moved(a, op == "+" ? b.n : 0U - b.n);
    }
    return CValue::of(calculated(op, a.n, b.n));
  }
  if (a.kind == Kind::array && b.kind == Kind::number && (op == "+" || op == "-")) {
    return moved(a, op == "+" ? b.n : 0U - b.n);
  }
  const CValue& read = a.kind == Kind::read ? a : b;
  const CValue& other = a.kind == Kind::read ? b : a;
  if (read.kind != Kind::read || other.kind != Kind::number) return {};
  CValue v = read;
  if (op == "&") {
    v.mask &= other.n;
    return v;
  }
  if (op != "==" && op != "!=") return {};
  v.kind = Kind::test;
  v.n = other.n;
  v.equal = op == "==";
  return v;
}

CValue* CInterpreter::variable(const std::string& name) {
  if (!scopes_.empty()) {
    const auto found = scopes_.back().find(name);
    if (found != scopes_.back().end()) return &found->second;
  }
  const auto found = globals_.find(name);
  return found == globals_.end() ? nullptr : &found->second;
}

Result<CValue> CInterpreter::expression(bool live) {
  EDGETWIN_TRY_ASSIGN(CTerm t, assignment(live));
  while (take(",")) {
    EDGETWIN_TRY_ASSIGN(t, assignment(live));
  }
  return t.value;
}

Result<CTerm> CInterpreter::assignment(bool live) {
  EDGETWIN_TRY(step());
  if (++depth_ > kMostNesting) return fault("an expression has too many brackets");
  EDGETWIN_TRY_ASSIGN(CTerm left, binary(0, live));
  if (take("?")) {
    const bool known = left.value.known(), yes = known && left.value.n != 0;
    EDGETWIN_TRY_ASSIGN(const CTerm a, assignment(live && yes));
    EDGETWIN_TRY(want(":"));
    EDGETWIN_TRY_ASSIGN(const CTerm b, assignment(live && known && !yes));
    --depth_;
    return known ? (yes ? a : b) : CTerm{};
  }
  const std::string op = now().kind == Token::Kind::mark ? now().word : "";
  if (std::ranges::find(kAssignments, op) == kAssignments.end()) {
    --depth_;
    return left;
  }
  ++at_;
  EDGETWIN_TRY_ASSIGN(const CTerm right, assignment(live));
  --depth_;
  if (!live) return CTerm{};
  EDGETWIN_TRY(assign(left.place, op, right.value));
  return CTerm{right.value, {}};
}

// A variable that a word of the chip is put into stands for that word.
Status CInterpreter::assign(const CPlace& place, const std::string& op, const CValue& value) {
  kept_ = true;
  if (place.kind == CPlace::Kind::variable) {
    ++effects_;
    CValue* v = variable(place.name);
    if (v == nullptr) return Ok{};
    *v = op == "=" ? value : combined(op.substr(0, op.size() - 1), *v, value);
    return Ok{};
  }
  if (place.kind != CPlace::Kind::device) return Ok{};
  Access a{.address = place.address, .value = value.n};
  if (op == "|=") {
    a.kind = Access::Kind::set_bits;
  } else if (op == "&=") {
    a.kind = Access::Kind::keep_bits;
  } else if (op != "=") {
    return fault("'" + op + "' on a word of the chip");
  } else if (place.size == 1) {
    a.kind = Access::Kind::write_byte;
  }
  if (!value.known()) {
    const bool chip = place.address >= 0x50000000U && place.address < 0x60000000U;
    return chip ? Status(fault("a word that is written to the chip is not known")) : Status(Ok{});
  }
  put(std::move(a));
  return Ok{};
}

Result<CTerm> CInterpreter::binary(int level, bool live) {
  if (level == static_cast<int>(kLevels.size())) return unary(live);
  EDGETWIN_TRY_ASSIGN(CTerm left, binary(level + 1, live));
  while (on_level(kLevels[static_cast<size_t>(level)], now())) {
    const std::string op = now().word;
    ++at_;
    EDGETWIN_TRY_ASSIGN(const CTerm right, binary(level + 1, live));
    left = {combined(op, left.value, right.value), {}};
  }
  return left;
}

// What a pointer points to.
CTerm CInterpreter::target(const CValue& p) const {
  CTerm t;
  if (p.kind == Kind::device) {
    t.value = {.kind = Kind::read,
               .mask = p.size == 1 ? 0xffU : 0xffffffffU,
               .address = p.n,
               .size = p.size};
    t.place = {.kind = CPlace::Kind::device, .name = {}, .address = p.n, .size = p.size};
  } else if (p.kind == Kind::array && p.n < arrays_[p.array].words.size()) {
    t.value = CValue::of(arrays_[p.array].words[p.n]);
  }
  return t;
}

Result<CTerm> CInterpreter::unary(bool live) {
  EDGETWIN_TRY(step());
  if (now().is("(") && std::min(at_ + 1, tokens_.size() - 1) == at_ + 1) {
    ++at_;
    if (at_type()) {
      const Type t = type();
      EDGETWIN_TRY(want(")"));
      EDGETWIN_TRY_ASSIGN(CTerm of, unary(live));
      if (t.pointer && of.value.known()) of.value.kind = Kind::device;
      if (t.pointer) of.value.size = t.size;
      if (!t.pointer && of.value.kind == Kind::device) of.value.kind = Kind::number;
      of.place = {};
      return of;
    }
    --at_;
  }
  for (const char* mark : {"*", "&", "-", "!", "~", "+", "++", "--"}) {
    if (now().kind != Token::Kind::mark || !now().is(mark)) continue;
    ++at_;
    if (++depth_ > kMostNesting) return fault("an expression has too many signs");
    EDGETWIN_TRY_ASSIGN(const CTerm of, unary(live));
    --depth_;
    const std::string op = mark;
    if (op == "*") return target(of.value);
    if (op == "&") return CTerm{};
    if (op == "++" || op == "--") {
      if (live) EDGETWIN_TRY(assign(of.place, op == "++" ? "+=" : "-=", CValue::of(1)));
      return CTerm{combined(op == "++" ? "+" : "-", of.value, CValue::of(1)), {}};
    }
    if (!of.value.known()) return CTerm{};
    const uint32_t n = of.value.n;
    return CTerm{CValue::of(op == "-"   ? 0U - n
                            : op == "~" ? ~n
                            : op == "!" ? (n == 0 ? 1 : 0)
                                        : n),
                 {}};
  }
  return postfix(live);
}

Result<CTerm> CInterpreter::postfix(bool live) {
  EDGETWIN_TRY_ASSIGN(CTerm t, primary(live));
  for (;;) {
    if (take("[")) {
      EDGETWIN_TRY_ASSIGN(t, index(t, live));
    } else if (take(".") || take("->")) {
      ++at_;
      t = {};
    } else if (now().is("++") || now().is("--")) {
      const std::string op = now().is("++") ? "+=" : "-=";
      ++at_;
      if (live) EDGETWIN_TRY(assign(t.place, op, CValue::of(1)));
      t.place = {};
    } else if (now().is("(")) {
      EDGETWIN_TRY(skip_pair("(", ")"));
      t = {};
    } else {
      return t;
    }
  }
}

Result<CTerm> CInterpreter::index(const CTerm& base, bool live) {
  EDGETWIN_TRY_ASSIGN(const CValue at, expression(live));
  EDGETWIN_TRY(want("]"));
  if (at.kind != Kind::number) return CTerm{};
  if (base.value.kind != Kind::device && base.value.kind != Kind::array) return CTerm{};
  return target(moved(base.value, at.n));
}

Result<CTerm> CInterpreter::primary(bool live) {
  const Token t = now();
  ++at_;
  if (t.kind == Token::Kind::number) return CTerm{CValue::of(t.number), {}};
  if (t.kind == Token::Kind::text) {
    while (now().kind == Token::Kind::text) ++at_;
    return CTerm{};
  }
  if (t.is("(")) {
    EDGETWIN_TRY_ASSIGN(CTerm inner, assignment(live));
    while (take(",")) {
      EDGETWIN_TRY_ASSIGN(inner, assignment(live));
    }
    EDGETWIN_TRY(want(")"));
    return inner;
  }
  if (t.is("sizeof") && now().is("(")) {
    ++at_;
    if (at_type()) {
      const Type type_of = type();
      EDGETWIN_TRY(want(")"));
      return CTerm{CValue::of(type_of.pointer ? 4 : type_of.size), {}};
    }
    const CValue* v = variable(now().word);
    --at_;
    EDGETWIN_TRY(skip_pair("(", ")"));
    if (v == nullptr || v->kind != Kind::array) return CTerm{};
    const Array& a = arrays_[v->array];
    return CTerm{CValue::of(static_cast<uint32_t>(a.words.size()) * a.size), {}};
  }
  if (t.kind != Token::Kind::name) {
    --at_;
    return fault("'" + t.word + "' is not understood");
  }
  if (now().is("(")) return call(t.word, live);
  if (t.is("CNN_OK") || t.is("true")) return CTerm{CValue::of(1), {}};
  if (t.is("CNN_FAIL") || t.is("false") || t.is("NULL")) return CTerm{CValue::of(0), {}};
  CTerm term;
  if (const CValue* v = variable(t.word)) {
    term.value = *v;
    term.place = {.kind = CPlace::Kind::variable, .name = t.word};
  }
  return term;
}

Result<CTerm> CInterpreter::call(const std::string& name, bool live) {
  EDGETWIN_TRY(want("("));
  std::vector<CValue> given;
  while (!take(")")) {
    if (live && name == "NVIC_SetVector" && now().kind == Token::Kind::name && next().is(")")) {
      vector_ = now().word;
      interrupted_ = false;
    }
    EDGETWIN_TRY_ASSIGN(const CTerm t, assignment(live));
    given.push_back(t.value);
    if (!now().is(")")) EDGETWIN_TRY(want(","));
  }
  if (live && name == "__WFI") {
    interrupted_ = false;
    EDGETWIN_TRY(interrupt());
  }
  const auto f = functions_.find(name);
  if (!live || f == functions_.end()) return CTerm{};
  constexpr size_t kMostCalls = 32;
  if (scopes_.size() > kMostCalls) return fault("'" + name + "' calls too deeply");
  Scope scope;
  for (size_t i = 0; i < f->second.parameters.size(); ++i) {
    scope[f->second.parameters[i]] = i < given.size() ? given[i] : CValue{};
  }
  const size_t back = at_;
  const int loops = loops_;
  loops_ = 0;
  scopes_.push_back(std::move(scope));
  // A helper that copies words is a part of who calls it.
  const bool helper = name.starts_with("memcpy");
  if (!helper) enter(name);
  at_ = f->second.body;
  result_ = CValue::of(1);
  EDGETWIN_TRY(block(true));
  at_ = back;
  loops_ = loops;
  scopes_.pop_back();
  if (!helper) {
    names_.pop_back();
    fresh_part_ = true;
  }
  return CTerm{result_, {}};
}

}  // namespace edgetwin::max78
