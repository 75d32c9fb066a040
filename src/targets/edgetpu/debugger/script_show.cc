// The commands that show something.
#include "targets/edgetpu/debugger/script.h"

#include <algorithm>

#include "base/text.h"
#include "base/words/near_word.h"
#include "targets/edgetpu/debugger/script_text.h"

namespace edgetwin::edgetpu {

using script::dump;
using script::kMostShown;
using script::misunderstood;
using script::number_at;
Result<MemoryWindow> DebugScript::window_of(const Words& words) const {
  MemoryWindow w;
  if (words.size() < 2) return misunderstood("'" + std::string(words[0]) + "' needs a window");
  const bool scalar = words[1] == "scalar";
  if (words[1] == "wide") w.memory = MemoryWindow::Memory::wide;
  if (scalar) w.memory = MemoryWindow::Memory::scalar;
  if (!scalar && words[1] != "narrow" && words[1] != "wide") {
    return misunderstood("'" + std::string(words[1]) + "' is not narrow, wide or scalar" +
                         did_you_mean(words[1], {"narrow", "wide", "scalar"}));
  }
  if (!scalar) {
    EDGETWIN_TRY_ASSIGN(w.tile, number_at(words, 2));
  }
  EDGETWIN_TRY_ASSIGN(w.begin, number_at(words, scalar ? 2 : 3));
  EDGETWIN_TRY_ASSIGN(w.size, number_at(words, scalar ? 3 : 4, 16));
  EDGETWIN_TRY(debugger_.check(w));
  return w;
}

Result<std::string> DebugScript::watch(const Words& words) {
  EDGETWIN_TRY_ASSIGN(const MemoryWindow w, window_of(words));
  watches_.push_back({w, debugger_.read(w)});
  return "watch " + to_text(w) + "\n";
}

Result<std::string> DebugScript::who(const Words& words) {
  EDGETWIN_TRY_ASSIGN(const MemoryWindow w, window_of(words));
  EDGETWIN_TRY_ASSIGN(const auto change, debugger_.last_change(w));
  if (!change) return to_text(w) + ": no instruction has changed it\n";
  return to_text(w) + ": step " + std::to_string(change->step) + ",\n   " +
         instruction_text(change->executed.number).substr(3) + "\n" + engine_text(change->executed);
}

Result<std::string> DebugScript::show(const Words& words) {
  EDGETWIN_TRY_ASSIGN(const MemoryWindow w, window_of(words));
  if (w.size > kMostShown) return misunderstood("at most 65536 bytes are shown");
  return to_text(w) + "\n" + dump(w.begin, debugger_.read(w));
}

Result<std::string> DebugScript::registers(const Words& /*words*/) {
  std::string text =
      "pc " + std::to_string(debugger_.chunk()) + "." + std::to_string(debugger_.pc()) + "\n";
  for (size_t n = 0; n < 32; ++n) {
    const uint32_t value = debugger_.scalar().reg(n);
    if (value != 0) text += "s" + std::to_string(n) + " " + hex_number(value) + "\n";
  }
  for (size_t n = 0; n < 8; ++n) {
    if (debugger_.scalar().predicate(n)) text += "p" + std::to_string(n) + " 1\n";
  }
  return text;
}

Result<std::string> DebugScript::where(const Words& /*words*/) {
  return std::to_string(debugger_.steps()) + " instructions executed\n" + here();
}

Result<std::string> DebugScript::list(const Words& words) {
  EDGETWIN_TRY_ASSIGN(const uint64_t n, number_at(words, 1, 9));
  const size_t all = debugger_.program().all.size();
  const size_t at = debugger_.number();
  const size_t count = static_cast<size_t>(std::min<uint64_t>(n, all));
  const size_t begin = std::min(at - std::min(at, count / 2), all - count);
  std::string text;
  for (size_t k = begin; k < begin + count; ++k) {
    text += (k == at ? "=> " : "   ") + instruction_text(k).substr(3) + "\n";
  }
  return text;
}

Result<std::string> DebugScript::transfers(const Words& /*words*/) {
  std::string text;
  for (const Descriptor& d : debugger_.scalar().descriptors()) {
    text += "  word " + std::to_string(d.word) + ": " + tag_text(d.tag);
    if (d.length != 0) {
      text += ", " + std::to_string(d.length) + " bytes at " + hex_number(d.address);
    }
    text += "\n";
  }
  return text.empty() ? "nothing yet\n" : text;
}

Result<std::string> DebugScript::sent(const Words& words) {
  EDGETWIN_TRY_ASSIGN(const uint64_t n, number_at(words, 1, 64));
  const Bytes& all = debugger_.sent();
  const size_t size = static_cast<size_t>(std::min<uint64_t>({n, all.size(), kMostShown}));
  const size_t begin = all.size() - size;
  return std::to_string(all.size()) + " bytes\n" + dump(begin, ByteSpan(all).subspan(begin));
}

Result<std::string> DebugScript::help(const Words& /*words*/) { return help_text(); }

Result<std::string> DebugScript::quit(const Words& /*words*/) {
  ended_ = true;
  return std::string();
}

}  // namespace edgetwin::edgetpu
