// Windows of the memories: what they are called and where they end.
#include "base/text.h"
#include "targets/edgetpu/debugger/debugger.h"

namespace edgetwin::edgetpu {
namespace {

std::string_view name(MemoryWindow::Memory memory) {
  switch (memory) {
    case MemoryWindow::Memory::narrow:
      return "narrow";
    case MemoryWindow::Memory::wide:
      return "wide";
    case MemoryWindow::Memory::scalar:
      return "scalar";
  }
  return "";
}

uint64_t bytes_of(MemoryWindow::Memory memory) {
  switch (memory) {
    case MemoryWindow::Memory::narrow:
      return kNarrowBytes;
    case MemoryWindow::Memory::wide:
      return static_cast<uint64_t>(machine::kWideBytes);
    case MemoryWindow::Memory::scalar:
      return ScalarCore::kMemoryWords * 4;
  }
  return 0;
}

}  // namespace

std::string to_text(const MemoryWindow& w) {
  std::string text(name(w.memory));
  if (w.memory != MemoryWindow::Memory::scalar) text += " " + std::to_string(w.tile);
  return text + " " + hex_number(w.begin) + "+" + std::to_string(w.size);
}

Status Debugger::check(const MemoryWindow& w) const {
  if (w.memory != MemoryWindow::Memory::scalar && w.tile >= static_cast<size_t>(kTiles)) {
    return Error(ErrorCode::usage, "there is no tile " + std::to_string(w.tile))
        .with_hint("Tiles have the numbers 0 to 15.");
  }
  const uint64_t size = bytes_of(w.memory);
  if (w.size != 0 && w.begin < size && w.size <= size - w.begin) return Ok{};
  return Error(ErrorCode::usage,
               to_text(w) + " is not in the memory: it has " + std::to_string(size) + " bytes")
      .with_hint("Name a place below " + hex_number(size) + " and at least one byte.");
}

}  // namespace edgetwin::edgetpu
