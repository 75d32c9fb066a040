#include "firmware/elf.h"

#include <cstring>

namespace edgetwin::firmware {
namespace {

constexpr uint32_t kRam = 0x20000000U;

struct Elf {
  const Bytes& file;
  const std::string& name;

  template <typename T>
  bool get(uint64_t at, T& value) const {
    if (at + sizeof(T) > file.size()) return false;
    std::memcpy(&value, file.data() + at, sizeof(T));
    return true;
  }
  Error bad(const std::string& what) const {
    return Error(ErrorCode::file_kind, name + ": " + what);
  }
};

// The tables of the file's header: offset, size of an entry, number of entries.
struct Table {
  uint32_t offset = 0;
  uint16_t entry = 0, count = 0;
};

struct ProgramHeader {
  uint32_t type, offset, virtual_address, load_address, file_size, memory_size, flags, align;
};
struct SectionHeader {
  uint32_t name, type, flags, address, offset, size, link, info, align, entry;
};
struct SymbolEntry {
  uint32_t name, value, size;
  uint8_t info, other;
  uint16_t section;
};

Status load_segments(const Elf& elf, const Table& table, Image& image) {
  for (uint32_t i = 0; i < table.count; ++i) {
    ProgramHeader p{};
    if (!elf.get(table.offset + uint64_t{i} * table.entry, p)) return elf.bad("program headers");
    if (p.type != 1) continue;
    if (uint64_t{p.offset} + p.file_size > elf.file.size()) return elf.bad("segment");
    if (p.virtual_address >= kRam) image.ram_bytes += p.memory_size;
    if (p.file_size == 0) continue;
    image.flash_bytes += p.file_size;
    const auto begin = elf.file.begin() + p.offset;
    image.segments.push_back({p.load_address, Bytes(begin, begin + p.file_size)});
  }
  return Ok{};
}

Status read_symbols(const Elf& elf, const Table& table, Image& image) {
  for (uint32_t i = 0; i < table.count; ++i) {
    SectionHeader s{}, names{};
    if (!elf.get(table.offset + uint64_t{i} * table.entry, s)) return elf.bad("sections");
    if (s.type != 2) continue;
    if (!elf.get(table.offset + uint64_t{s.link} * table.entry, names)) return elf.bad("names");
    if (uint64_t{names.offset} + names.size > elf.file.size()) return elf.bad("names");
    for (uint64_t at = 0; at + sizeof(SymbolEntry) <= s.size; at += sizeof(SymbolEntry)) {
      SymbolEntry e{};
      if (!elf.get(s.offset + at, e)) return elf.bad("symbols");
      if (e.name >= names.size) return elf.bad("name of a symbol");
      const char* text = reinterpret_cast<const char*>(elf.file.data()) + names.offset + e.name;
      const std::string symbol(text, strnlen(text, names.size - e.name));
      if (!symbol.empty()) image.symbols[symbol] = {e.value & ~1U, e.size};
    }
  }
  return Ok{};
}

}  // namespace

Result<Image> read_elf(const Bytes& file, const std::string& name) {
  const Elf elf{file, name};
  uint32_t magic = 0;
  uint16_t machine = 0;
  Table programs, sections;
  const bool read = elf.get(0, magic) && elf.get(18, machine) && elf.get(28, programs.offset) &&
                    elf.get(32, sections.offset) && elf.get(42, programs.entry) &&
                    elf.get(44, programs.count) && elf.get(46, sections.entry) &&
                    elf.get(48, sections.count);
  if (!read || magic != 0x464c457fU || machine != 40) return elf.bad("not an executable for ARM");
  Image image;
  EDGETWIN_TRY(load_segments(elf, programs, image));
  EDGETWIN_TRY(read_symbols(elf, sections, image));
  return image;
}

}  // namespace edgetwin::firmware
