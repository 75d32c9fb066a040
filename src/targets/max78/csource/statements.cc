// Statements: what decides, what repeats, what waits for the chip.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>

#include "targets/max78/csource/interpreter.h"

namespace edgetwin::max78 {
namespace {

constexpr int kMostDepth = 64;  // of statements and calls inside each other
constexpr std::array<std::string_view, 25> kTypes = {
    "const",    "static",   "volatile", "unsigned", "signed", "int",    "char",
    "void",     "short",    "long",     "float",    "double", "size_t", "uint32_t",
    "uint16_t", "uint8_t",  "int32_t",  "int16_t",  "int8_t", "extern", "uintptr_t",
    "intptr_t", "uint64_t", "int64_t",  "bool"};

uint32_t size_of(std::string_view type) {
  if (type == "uint8_t" || type == "int8_t" || type == "char") return 1;
  if (type == "uint16_t" || type == "int16_t" || type == "short") return 2;
  return 4;
}

// The value under a mask of one bit that is not this one.
std::optional<uint32_t> other_value(const CValue& v) {
  if (!std::has_single_bit(v.mask)) return std::nullopt;
  return v.n ^ v.mask;
}

}  // namespace

bool CInterpreter::at_type() const {
  if (now().kind != Token::Kind::name) return false;
  return now().word.ends_with("_t") || std::ranges::find(kTypes, now().word) != kTypes.end();
}

CInterpreter::Type CInterpreter::type() {
  Type t;
  while (at_type() || now().is("*")) {
    if (now().is("*")) {
      t.pointer = true;
    } else if (size_of(now().word) != 4) {
      t.size = size_of(now().word);
    }
    ++at_;
  }
  return t;
}

Result<CInterpreter::Flow> CInterpreter::block(bool live) {
  EDGETWIN_TRY(want("{"));
  Flow flow = Flow::next;
  while (!take("}")) {
    if (now().kind == Token::Kind::end) return fault("a block is not closed");
    EDGETWIN_TRY_ASSIGN(const Flow f, statement(live && flow == Flow::next));
    if (flow == Flow::next) flow = f;
  }
  return flow;
}

Result<CInterpreter::Flow> CInterpreter::statement(bool live) {
  EDGETWIN_TRY(step());
  if (++depth_ > kMostDepth) return fault("statements stand too deeply inside each other");
  const auto done = [this](Result<Flow> flow) {
    --depth_;
    return flow;
  };
  if (now().is("{")) return done(block(live));
  if (take(";")) return done(Flow::next);
  if (take("if")) return done(branch(live));
  if (take("while")) return done(loop(live));
  if (take("for")) return done(counted_loop(live));
  if (now().is("do") || now().is("switch") || now().is("goto")) {
    return fault("'" + now().word + "' is not understood");
  }
  if (at_type()) return done(declaration(live));
  // A variable of a type that the sources do not have.
  if (now().kind == Token::Kind::name && next().kind == Token::Kind::name && !now().is("return") &&
      !now().is("asm")) {
    while (!now().is(";") && now().kind != Token::Kind::end) ++at_;
    EDGETWIN_TRY(want(";"));
    return done(Flow::next);
  }
  if (take("asm") || take("__asm")) {
    while (at_type()) ++at_;
    const bool sleeps = next().word.find("wfi") != std::string::npos;
    EDGETWIN_TRY(skip_pair("(", ")"));
    EDGETWIN_TRY(want(";"));
    if (live && sleeps) {
      interrupted_ = false;
      EDGETWIN_TRY(interrupt());
    } else if (live) {
      put({.kind = Access::Kind::idle, .address = 0x50000000U});
    }
    return done(Flow::next);
  }
  if (take("break")) {
    EDGETWIN_TRY(want(";"));
    return done(live ? Flow::leave : Flow::next);
  }
  if (take("continue")) {
    EDGETWIN_TRY(want(";"));
    return done(live ? Flow::again : Flow::next);
  }
  if (take("return")) {
    CValue value;
    if (!now().is(";")) {
      EDGETWIN_TRY_ASSIGN(value, expression(live));
    }
    EDGETWIN_TRY(want(";"));
    if (live) result_ = value;
    return done(live ? Flow::back : Flow::next);
  }
  kept_ = false;
  EDGETWIN_TRY_ASSIGN(const CValue value, expression(live));
  EDGETWIN_TRY(want(";"));
  // A word that is read and not used.
  if (live && !kept_ && value.kind == CValue::Kind::read) {
    put({.kind = Access::Kind::read, .address = value.address});
  }
  return done(Flow::next);
}

// What is unknown decides nothing: neither side is taken. A comparison with a word of the chip is
// a check that the other side fails.
Result<CInterpreter::Flow> CInterpreter::branch(bool live) {
  EDGETWIN_TRY(want("("));
  EDGETWIN_TRY_ASSIGN(const CValue condition, expression(live));
  EDGETWIN_TRY(want(")"));
  const bool number = condition.known();
  if (live && !number && condition.kind != CValue::Kind::unknown) EDGETWIN_TRY(check(condition));
  const bool yes = live && number && condition.n != 0;
  EDGETWIN_TRY_ASSIGN(Flow flow, statement(yes));
  if (!take("else")) return flow;
  const bool no = live && !yes && condition.kind != CValue::Kind::unknown;
  EDGETWIN_TRY_ASSIGN(const Flow other, statement(no));
  return no ? other : flow;
}

Status CInterpreter::check(const CValue& c) {
  if (c.kind == CValue::Kind::array) return Ok{};
  Access a{.kind = Access::Kind::check, .address = c.address, .value = c.n, .mask = c.mask};
  if (c.kind == CValue::Kind::read) a.value = 0;  // anything else fails
  if (c.kind == CValue::Kind::test && c.equal) {
    const auto other = other_value(c);
    if (!other) return fault("a comparison with a word of the chip that must not be equal");
    a.value = *other;
  }
  a.value &= a.mask;
  put(std::move(a));
  return Ok{};
}

// The loop goes on while the condition holds.
Status CInterpreter::wait_for(const CValue& c) {
  Access a{.kind = Access::Kind::wait, .address = c.address, .value = c.n, .mask = c.mask};
  if (c.kind == CValue::Kind::read) a.value = 0;
  if (c.kind == CValue::Kind::test && c.equal) {
    const auto other = other_value(c);
    if (!other) return fault("a loop until a word of the chip is another one");
    a.value = *other;
  }
  a.value &= a.mask;
  const bool fifo = a.address == 0x50000004U || a.address == 0x400c0404U;
  // Room in a FIFO.
  if (fifo && a.value == 0) a = {.kind = Access::Kind::poll, .address = a.address};
  put(std::move(a));
  return Ok{};
}

// The core sleeps: what wakes it is the accelerator's interrupt.
Status CInterpreter::interrupt() {
  if (interrupted_) return Ok{};
  interrupted_ = true;
  for (const std::string& name : {vector_, std::string("CNN_ISR"), std::string("CNN_IRQHandler")}) {
    const auto f = functions_.find(name);
    if (f == functions_.end()) continue;
    const size_t back = at_;
    at_ = f->second.body;
    scopes_.emplace_back();
    enter(name);
    EDGETWIN_TRY(block(true));
    scopes_.pop_back();
    names_.pop_back();
    fresh_part_ = true;
    at_ = back;
    return Ok{};
  }
  return Ok{};
}

Result<CInterpreter::Flow> CInterpreter::loop(bool live) {
  const size_t begin = at_;
  for (;;) {
    at_ = begin;
    EDGETWIN_TRY(want("("));
    EDGETWIN_TRY_ASSIGN(const CValue c, expression(live));
    EDGETWIN_TRY(want(")"));
    const bool chip = c.kind == CValue::Kind::read || c.kind == CValue::Kind::test;
    if (live && chip) EDGETWIN_TRY(wait_for(c));
    if (!live || !c.known() || c.n == 0) {
      EDGETWIN_TRY(statement(false));
      return Flow::next;
    }
    const int64_t before = effects_;
    ++loops_;
    EDGETWIN_TRY_ASSIGN(const Flow f, statement(true));
    --loops_;
    if (f == Flow::back) return f;
    if (f == Flow::leave) return Flow::next;
    if (effects_ != before) continue;
    // Nothing changes any more but by an interrupt.
    EDGETWIN_TRY(interrupt());
    return Flow::next;
  }
}

Result<CInterpreter::Flow> CInterpreter::counted_loop(bool live) {
  EDGETWIN_TRY(want("("));
  EDGETWIN_TRY(statement(live));  // with its semicolon
  const size_t test = at_;
  size_t advance = 0, body = 0, end = 0;
  for (;;) {
    at_ = test;
    CValue c = CValue::of(1);
    if (!now().is(";")) {
      EDGETWIN_TRY_ASSIGN(c, expression(live));
    }
    EDGETWIN_TRY(want(";"));
    if (body == 0) {
      advance = at_;
      int level = 0;
      for (; level > 0 || !now().is(")"); ++at_) {
        if (now().kind == Token::Kind::end) return fault("a bracket is not closed");
        level += now().is("(") ? 1 : now().is(")") ? -1 : 0;
      }
      body = ++at_;
    }
    at_ = body;
    const bool go = live && c.known() && c.n != 0;
    ++loops_;
    EDGETWIN_TRY_ASSIGN(const Flow f, statement(go));
    --loops_;
    end = at_;
    if (!go || f == Flow::leave) return Flow::next;
    if (f == Flow::back) return f;
    at_ = advance;
    const int64_t before = effects_;
    if (!now().is(")")) EDGETWIN_TRY(expression(true));
    at_ = end;
    if (effects_ == before) return Flow::next;
  }
}

Result<CInterpreter::Flow> CInterpreter::declaration(bool live) {
  uint32_t size = type().size;
  for (;;) {
    if (now().kind != Token::Kind::name) return fault("a declaration without a name");
    const std::string name = now().word;
    ++at_;
    CValue value;
    bool made = false;
    if (now().is("[")) {
      EDGETWIN_TRY(skip_pair("[", "]"));
      if (now().is("=")) {
        EDGETWIN_TRY(array_of(name, size, live));
        made = true;
      }
    } else if (take("=")) {
      EDGETWIN_TRY_ASSIGN(const CTerm t, assignment(live));
      value = t.value;
    }
    if (live && !made) {
      scopes_.back()[name] = value;
      ++effects_;
    }
    if (now().is(";") || tokens_[at_ - 1].is(";")) {
      take(";");
      return Flow::next;
    }
    EDGETWIN_TRY(want(","));
    type();
  }
}

// "= { 1, 2 };"
Status CInterpreter::array_of(const std::string& name, uint32_t size, bool live) {
  EDGETWIN_TRY(want("="));
  Array a;
  a.size = size;
  if (now().kind == Token::Kind::name || now().kind == Token::Kind::text) {
    // A macro that is not in the sources, or a text.
    while (!now().is(";") && now().kind != Token::Kind::end) ++at_;
  } else {
    EDGETWIN_TRY(want("{"));
    while (!take("}")) {
      if (now().kind == Token::Kind::end) return fault("a list is not closed");
      if (now().kind == Token::Kind::number && (next().is(",") || next().is("}"))) {
        a.words.push_back(now().number);
        ++at_;
      } else {
        EDGETWIN_TRY_ASSIGN(const CTerm t, assignment(live));
        a.words.push_back(t.value.known() ? t.value.n : 0);
      }
      if (!now().is("}")) EDGETWIN_TRY(want(","));
    }
  }
  EDGETWIN_TRY(want(";"));
  if (!live) return Ok{};
  CValue v;
  v.kind = CValue::Kind::array;
  v.array = arrays_.size();
  v.size = size;
  (scopes_.empty() ? globals_ : scopes_.back())[name] = v;
  arrays_.push_back(std::move(a));
  return Ok{};
}

}  // namespace edgetwin::max78
