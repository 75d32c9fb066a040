#include "targets/edgetpu/debugger/script.h"

#include <algorithm>

#include "base/text.h"
#include "base/words/near_word.h"
#include "targets/edgetpu/debugger/script_text.h"
#include "targets/edgetpu/isa/listing.h"
#include "targets/edgetpu/program/trace.h"

namespace edgetwin::edgetpu {

using script::hex_bytes;
using script::kMostSteps;
using script::misunderstood;
using script::number_at;
using script::number_in;
using script::words_in;

struct DebugScript::Command {
  std::string_view name, shorter, arguments, meaning;
  Result<std::string> (DebugScript::*run)(const Words&);
};

const std::vector<DebugScript::Command>& DebugScript::commands() {
  static const std::vector<Command> kCommands = {
      {"step", "s", "[N]", "executes one instruction, or N", &DebugScript::step},
      {"continue", "c", "", "runs to a break, a watch or the end", &DebugScript::go},
      {"until", "u", "PLACE", "runs to a place, as `break` takes it, or `steps N`",
       &DebugScript::until},
      {"break", "b", "PLACE", "stops before N, CHUNK.WORD, OPCODE or `operation K`",
       &DebugScript::add_break},
      {"breaks", "", "", "lists what stops the program", &DebugScript::breaks},
      {"delete", "d", "N", "forgets break or watch number N of that list", &DebugScript::remove},
      {"watch", "w", "WINDOW", "stops after an instruction that changes these bytes",
       &DebugScript::watch},
      {"who", "", "WINDOW", "says which instruction changed these bytes last", &DebugScript::who},
      {"show", "x", "WINDOW", "bytes: narrow TILE PLACE [N], wide …, scalar PLACE [N]",
       &DebugScript::show},
      {"registers", "r", "", "scalar registers and predicates that are not 0",
       &DebugScript::registers},
      {"where", "", "", "the next instruction, and how many were executed", &DebugScript::where},
      {"list", "l", "[N]", "N instructions around the next one", &DebugScript::list},
      {"transfers", "t", "", "what the program has asked the host for", &DebugScript::transfers},
      {"sent", "o", "[N]", "bytes that went to the host: how many, and the last N",
       &DebugScript::sent},
      {"help", "h", "", "this list", &DebugScript::help},
      {"quit", "q", "", "ends", &DebugScript::quit}};
  return kCommands;
}

std::string DebugScript::help_text() {
  std::string text;
  for (const Command& c : commands()) {
    std::string left(c.name);
    if (!c.shorter.empty()) left += ", " + std::string(c.shorter);
    if (!c.arguments.empty()) left += " " + std::string(c.arguments);
    left.resize(std::max<size_t>(left.size(), 20), ' ');
    text += "  " + left + " " + std::string(c.meaning) + "\n";
  }
  return text;
}

Result<std::string> DebugScript::line(std::string_view text) {
  const Words words = words_in(text);
  if (words.empty()) return std::string();
  for (const Command& c : commands()) {
    if (words[0] == c.name || (!c.shorter.empty() && words[0] == c.shorter)) {
      return (this->*c.run)(words);
    }
  }
  std::vector<std::string> known;
  for (const Command& c : commands()) known.emplace_back(c.name);
  return misunderstood("there is no command '" + std::string(words[0]) + "'" +
                       did_you_mean(words[0], known));
}

std::string DebugScript::instruction_text(size_t number) const {
  const ProgramInstruction& i = debugger_.program().all[number];
  std::string text = std::to_string(number);
  text.insert(0, text.size() < 6 ? 6 - text.size() : 0, ' ');
  text += " " + std::to_string(i.chunk) + "." + std::to_string(i.word) + ": ";
  text += to_text(i.instruction());
  const std::string comment = explain(i.instruction());
  return comment.empty() ? text : text + "  ; " + comment;
}

std::string DebugScript::engine_text(const Debugger::Executed& e) const {
  std::string text;
  for (const size_t n : e.engine) {
    if (n == e.number) continue;
    text += (text.empty() ? "       ran before their turn: " : ", ") + std::to_string(n) + " " +
            std::string(debugger_.program().all[n].instruction().info->name);
  }
  return text.empty() ? text : text + "\n";
}

std::string DebugScript::here() const {
  if (debugger_.finished()) {
    return "ended after " + std::to_string(debugger_.steps()) + " instructions, " +
           std::to_string(debugger_.sent().size()) + " bytes sent\n";
  }
  return "=> " + instruction_text(debugger_.number()).substr(3) + "\n";
}

bool DebugScript::stops_at(const Break& b) const {
  const size_t number = debugger_.number();
  const ProgramInstruction& i = debugger_.program().all[number];
  if (b.number) return *b.number == number;
  if (b.opcode) return *b.opcode == i.opcode;
  return b.operation && *b.operation == i.instruction().get_or_zero("operation");
}

std::string DebugScript::changed(const Debugger::Executed& executed) {
  std::string text;
  for (Watch& w : watches_) {
    Bytes now = debugger_.read(w.window);
    if (now == w.last) continue;
    constexpr size_t kShown = 16;
    size_t first = 0;
    while (now[first] == w.last[first]) ++first;
    const size_t size = std::min(kShown, now.size() - first);
    text += "watch " + to_text(w.window) + ": at " + hex_number(w.window.begin + first) + " " +
            hex_bytes(ByteSpan(w.last).subspan(first, size)) + " became " +
            hex_bytes(ByteSpan(now).subspan(first, size)) + "\n";
    w.last = std::move(now);
  }
  if (text.empty()) return text;
  return text + "   by " + instruction_text(executed.number).substr(3) + "\n" +
         engine_text(executed);
}

Result<std::string> DebugScript::run(const std::vector<Break>& wanted, uint64_t steps,
                                     bool speaks) {
  std::string text;
  for (uint64_t n = 0; n < steps && !debugger_.finished(); ++n) {
    EDGETWIN_TRY_ASSIGN(const Debugger::Executed executed, debugger_.step());
    if (beside_) EDGETWIN_TRY(beside_());
    if (speaks)
      text += "   " + instruction_text(executed.number).substr(3) + "\n" + engine_text(executed);
    const std::string change = changed(executed);
    text += change;
    if (debugger_.finished() || !change.empty()) break;
    const auto stops = [this](const Break& b) { return stops_at(b); };
    if (std::ranges::any_of(wanted, stops)) break;
    const auto broken = std::ranges::find_if(breaks_, stops);
    if (broken != breaks_.end()) {
      text += "break " + broken->text + "\n";
      break;
    }
  }
  return text + here();
}

Result<std::string> DebugScript::step(const Words& words) {
  EDGETWIN_TRY_ASSIGN(const uint64_t n, number_at(words, 1, 1));
  return run({}, std::min(n, kMostSteps), true);
}

Result<std::string> DebugScript::go(const Words& /*words*/) { return run({}, kMostSteps, false); }

Result<DebugScript::Break> DebugScript::place_of(const Words& words) const {
  if (words.size() < 2) return misunderstood("'" + std::string(words[0]) + "' needs a place");
  Break b;
  for (size_t k = 1; k < words.size(); ++k) b.text += (k == 1 ? "" : " ") + std::string(words[k]);
  if (words[1] == "operation") {
    EDGETWIN_TRY_ASSIGN(b.operation, number_at(words, 2));
    return b;
  }
  const DecodedProgram& program = debugger_.program();
  if (const OpcodeInfo* opcode = find_opcode(words[1])) {
    b.opcode = opcode->opcode;
    return b;
  }
  const size_t dot = words[1].find('.');
  const auto first = number_in(words[1].substr(0, dot));
  if (dot == std::string_view::npos) {
    if (first && *first < program.all.size()) b.number = static_cast<size_t>(*first);
  } else if (const auto word = number_in(words[1].substr(dot + 1)); first && word) {
    for (size_t n = 0; n < program.all.size(); ++n) {
      if (program.all[n].chunk == *first && program.all[n].word == *word) b.number = n;
    }
  }
  if (b.number) return b;
  std::vector<std::string> known = {"operation"};
  for (const ProgramInstruction& i : program.all) {
    known.emplace_back(i.instruction().info->name);
  }
  const std::string near = first ? "" : did_you_mean(words[1], known);
  if (!near.empty()) return misunderstood("'" + b.text + "' is not a place of this program" + near);
  return misunderstood("'" + b.text + "' is not a place of this program, which has " +
                       std::to_string(program.all.size()) + " instructions");
}

Result<std::string> DebugScript::until(const Words& words) {
  if (words.size() > 1 && words[1] == "steps") {
    EDGETWIN_TRY_ASSIGN(const uint64_t n, number_at(words, 2));
    const uint64_t done = debugger_.steps();
    return n <= done ? here() : run({}, std::min(n - done, kMostSteps), false);
  }
  EDGETWIN_TRY_ASSIGN(const Break to, place_of(words));
  return run({to}, kMostSteps, false);
}

Result<std::string> DebugScript::add_break(const Words& words) {
  EDGETWIN_TRY_ASSIGN(Break b, place_of(words));
  breaks_.push_back(std::move(b));
  return "break " + breaks_.back().text + "\n";
}

Result<std::string> DebugScript::breaks(const Words& /*words*/) {
  std::string text;
  size_t n = 0;
  for (const Break& b : breaks_) text += "  " + std::to_string(n++) + " break " + b.text + "\n";
  for (const Watch& w : watches_) {
    text += "  " + std::to_string(n++) + " watch " + to_text(w.window) + "\n";
  }
  return text.empty() ? "nothing stops the program\n" : text;
}

Result<std::string> DebugScript::remove(const Words& words) {
  EDGETWIN_TRY_ASSIGN(const uint64_t n, number_at(words, 1));
  if (n < breaks_.size()) {
    breaks_.erase(breaks_.begin() + static_cast<std::ptrdiff_t>(n));
  } else if (n - breaks_.size() < watches_.size()) {
    watches_.erase(watches_.begin() + static_cast<std::ptrdiff_t>(n - breaks_.size()));
  } else {
    return misunderstood("`breaks` lists no number " + std::to_string(n));
  }
  return std::string();
}

}  // namespace edgetwin::edgetpu
