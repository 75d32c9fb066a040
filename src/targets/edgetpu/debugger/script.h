// The debugger's commands, one per line; docs/edgetpu-debugger.md lists them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/edgetpu/debugger/debugger.h"

namespace edgetwin::edgetpu {

class DebugScript {
 public:
  // The debugger must outlive the script.
  explicit DebugScript(Debugger& debugger) : debugger_(debugger) {}
  // Called after each instruction that runs; an error ends the command.
  using Beside = std::function<Status()>;
  void follow(Beside beside) { beside_ = std::move(beside); }

  // Executes a line and gives what it says; text after '#' is a comment. Errors: usage where
  // the line cannot be understood; those of the program that runs.
  Result<std::string> line(std::string_view text);
  bool ended() const { return ended_; }
  // The commands with their meaning, one per line.
  static std::string help_text();

 private:
  struct Watch {
    MemoryWindow window;
    Bytes last;
  };
  struct Break {
    std::string text;                        // as it was given
    std::optional<size_t> number;            // an instruction
    std::optional<Opcode> opcode;            // or all of an opcode
    std::optional<uint64_t> operation = {};  // or those with this counter
  };
  using Words = std::vector<std::string_view>;
  struct Command;
  static const std::vector<Command>& commands();

  Result<std::string> step(const Words& words);
  Result<std::string> go(const Words& words);
  Result<std::string> until(const Words& words);
  Result<std::string> add_break(const Words& words);
  Result<std::string> remove(const Words& words);
  Result<std::string> breaks(const Words& words);
  Result<std::string> watch(const Words& words);
  Result<std::string> who(const Words& words);
  Result<std::string> show(const Words& words);
  Result<std::string> registers(const Words& words);
  Result<std::string> where(const Words& words);
  Result<std::string> list(const Words& words);
  Result<std::string> transfers(const Words& words);
  Result<std::string> sent(const Words& words);
  Result<std::string> help(const Words& words);
  Result<std::string> quit(const Words& words);

  // Until a stop: `wanted`, a break or a watch; says why.
  Result<std::string> run(const std::vector<Break>& wanted, uint64_t steps, bool speaks);
  Result<Break> place_of(const Words& words) const;
  Result<MemoryWindow> window_of(const Words& words) const;
  bool stops_at(const Break& b) const;
  std::string changed(const Debugger::Executed& executed);
  std::string here() const;
  std::string instruction_text(size_t number) const;
  std::string engine_text(const Debugger::Executed& executed) const;

  Debugger& debugger_;
  std::vector<Break> breaks_;
  std::vector<Watch> watches_;
  Beside beside_;
  bool ended_ = false;
};

}  // namespace edgetwin::edgetpu
