#include "targets/max78/csource/read_c.h"

#include <algorithm>

#include "targets/max78/csource/interpreter.h"

namespace edgetwin::max78 {
namespace {

// The accelerator and its FIFOs; clocks and power of the core are not the machine's.
bool of_accelerator(uint32_t address) {
  return (address >= 0x50000000U && address < 0x60000000U) ||
         (address >= 0x400c0400U && address < 0x400c0500U);
}

}  // namespace

CInterpreter::CInterpreter(const std::vector<CFile>& files, std::vector<Token> tokens,
                           const CLimits& limits)
    : files_(files), tokens_(std::move(tokens)), limits_(limits) {}

Error CInterpreter::fault(const std::string& what) const {
  Error e(ErrorCode::max78_program_text, what);
  const Token& t = now();
  const Token& known = t.kind == Token::Kind::end && at_ > 0 ? tokens_[at_ - 1] : t;
  if (known.file < static_cast<int>(files_.size()) && known.line > 0) {
    e.place.file = files_[static_cast<size_t>(known.file)].name;
    e.place.line = known.line;
  }
  return e;
}

Status CInterpreter::step() {
  if (++steps_ > limits_.steps) return fault("the program does not end");
  return Ok{};
}

bool CInterpreter::take(const char* word) {
  if (!now().is(word)) return false;
  ++at_;
  return true;
}

Status CInterpreter::want(const char* word) {
  if (take(word)) return Ok{};
  return fault("expected '" + std::string(word) + "' before '" + now().word + "'");
}

// From an opening bracket to the one that closes it.
Status CInterpreter::skip_pair(const char* open, const char* close) {
  EDGETWIN_TRY(want(open));
  for (int level = 1; level > 0;) {
    if (now().kind == Token::Kind::end) return fault("a bracket is not closed");
    if (now().is(open)) ++level;
    if (now().is(close)) --level;
    ++at_;
  }
  return Ok{};
}

Status CInterpreter::globals() {
  while (now().kind != Token::Kind::end) EDGETWIN_TRY(global());
  return Ok{};
}

// A function, an array of numbers, a variable; anything else is passed over.
Status CInterpreter::global() {
  uint32_t size = 4;
  std::string name;
  while (now().kind == Token::Kind::name || now().is("*")) {
    if (at_type()) {
      size = type().size;
      continue;
    }
    name = now().word;
    ++at_;
  }
  if (now().is("(")) {
    Defined d;
    const size_t from = at_;
    EDGETWIN_TRY(skip_pair("(", ")"));
    for (size_t i = from + 1; i < at_; ++i) {
      const bool last = tokens_[i].is(",") || tokens_[i].is(")");
      if (last && tokens_[i - 1].kind == Token::Kind::name && !tokens_[i - 1].is("void")) {
        d.parameters.push_back(tokens_[i - 1].word);
      }
    }
    if (take("__attribute__")) EDGETWIN_TRY(skip_pair("(", ")"));
    if (!now().is("{")) return take(";") ? Status(Ok{}) : Status(fault("a function without body"));
    d.body = at_;
    functions_[name] = std::move(d);
    return skip_pair("{", "}");
  }
  if (now().is("[")) {
    EDGETWIN_TRY(skip_pair("[", "]"));
    if (now().is("=")) return array_of(name, size, true);
    globals_[name] = {};
  } else if (take("=")) {
    if (!now().is("{")) {
      EDGETWIN_TRY_ASSIGN(const CTerm t, assignment(true));
      globals_[name] = t.value;
    }
  } else if (!name.empty()) {
    globals_[name] = CValue::of(0);
  }
  while (!now().is(";") && now().kind != Token::Kind::end) {
    if (now().is("{")) {
      EDGETWIN_TRY(skip_pair("{", "}"));
    } else {
      ++at_;
    }
  }
  take(";");
  return Ok{};
}

void CInterpreter::enter(const std::string& function) {
  names_.push_back(function);
  fresh_part_ = true;
}

// Loops that write one word after the other are bursts.
void CInterpreter::put(Access access) {
  ++effects_;
  if (!of_accelerator(access.address)) return;
  auto& parts = out_.program.functions;
  if (fresh_part_ || parts.empty()) {
    parts.push_back({names_.empty() ? "main" : names_.back(), {}});
    fresh_part_ = false;
  }
  auto& list = parts.back().accesses;
  if (loops_ > 0 && access.kind == Access::Kind::write && !list.empty()) {
    Access& last = list.back();
    const bool after =
        last.kind == Access::Kind::write &&
        last.address + 4 * (static_cast<uint32_t>(last.words.size()) + 1) == access.address;
    if (after) {
      last.words.push_back(access.value);
      return;
    }
  }
  list.push_back(std::move(access));
}

// Comparisons that check_output does, and nothing else, are the known answer.
Result<CProgram> CInterpreter::finished() {
  auto& parts = out_.program.functions;
  const auto only_checks = [](const Function& f) {
    return f.name == "check_output" && std::ranges::all_of(f.accesses, [](const Access& a) {
             return a.kind == Access::Kind::check;
           });
  };
  const bool all = std::ranges::all_of(
      parts, [&](const Function& f) { return f.name != "check_output" || only_checks(f); });
  for (const Function& f : parts) {
    for (const Access& a : f.accesses) {
      if (a.kind != Access::Kind::check) continue;
      if (!all || f.name != "check_output") {
        ++out_.checks;
        continue;
      }
      const bool joins = !out_.expected.empty() && out_.expected.back().mask == a.mask &&
                         out_.expected.back().address +
                                 4 * static_cast<uint32_t>(out_.expected.back().words.size()) ==
                             a.address;
      if (joins) {
        out_.expected.back().words.push_back(a.value);
      } else {
        out_.expected.push_back({a.address, a.mask, {a.value}});
      }
    }
  }
  if (all) std::erase_if(parts, only_checks);
  return std::move(out_);
}

Result<CProgram> CInterpreter::run() {
  EDGETWIN_TRY(globals());
  const auto start = functions_.find("main");
  // Two networks in one program have their names in front.
  const bool network =
      std::ranges::any_of(functions_, [](const auto& f) { return f.first.ends_with("cnn_init"); });
  if (start == functions_.end() || !network) {
    return Error(ErrorCode::max78_program_text,
                 "the sources have no main() with a cnn_init(): they are not a network's program");
  }
  at_ = start->second.body;
  scopes_.emplace_back();
  enter("main");
  EDGETWIN_TRY(block(true));
  return finished();
}

Result<CProgram> read_c_program(const std::vector<CFile>& files, const CLimits& limits) {
  EDGETWIN_TRY_ASSIGN(std::vector<Token> tokens, c_tokens(files, limits));
  return CInterpreter(files, std::move(tokens), limits).run();
}

}  // namespace edgetwin::max78
