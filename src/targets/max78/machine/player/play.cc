#include "targets/max78/machine/player/play.h"

#include "targets/max78/machine/state/finding_list.h"

namespace edgetwin::max78 {
namespace {

constexpr uint32_t kDoneBit = 1U << 12;  // of a group's control register

using Kind = Access::Kind;

class Player {
 public:
  Player(const ProgramText& program, Machine& machine) : program_(program), machine_(machine) {}

  Status run() {
    for (const auto& part : program_.parts) {
      for (const auto& l : part.accesses) {
        line_ = l.line;
        part_ = &part;
        EDGETWIN_TRY(access(l.access));
      }
    }
    machine_.end_of_input();
    return Ok{};
  }

 private:
  Error error(ErrorCode code, std::string text) const {
    Error e(code, std::move(text));
    e.place.file = program_.file;
    if (line_ > 0) e.place.line = line_;
    e.place.field = part_->name;
    return e;
  }

  Status step() {
    if (!machine_.running()) return Ok{};
    const MachineState s = machine_.run();
    if (s != MachineState::stuck && s != MachineState::step_limit) return Ok{};
    const auto& findings = machine_.findings();
    Error e = error(ErrorCode::max78_program_stops,
                    s == MachineState::stuck ? "the accelerator cannot go on"
                                             : "the accelerator does not come to an end");
    if (!findings.empty()) e.details.push_back(findings.back().message);
    return e;
  }

  Status write(uint32_t address, uint32_t value) {
    machine_.write32(address, value);
    return step();
  }

  Status access(const Access& a) {
    switch (a.kind) {
      case Kind::write: {
        EDGETWIN_TRY(write(a.address, a.value));
        uint32_t at = a.address;
        for (const uint32_t w : a.words) EDGETWIN_TRY(write(at += 4, w));
        return Ok{};
      }
      case Kind::write_byte:
        machine_.write8(a.address, static_cast<uint8_t>(a.value));
        return Ok{};
      case Kind::set_bits:
        return write(a.address, machine_.read32(a.address) | a.value);
      case Kind::keep_bits:
        return write(a.address, machine_.read32(a.address) & a.value);
      case Kind::read:
        machine_.read32(a.address);
        return Ok{};
      case Kind::wait:
        return wait(a);
      case Kind::check:
        return check(a);
      case Kind::poll:
      case Kind::idle:
        return Ok{};
      case Kind::camera:
        return error(ErrorCode::max78_program_waits, "the program waits for words of a camera")
            .with_hint("`verify DIR` reads them from the camera's signals in the test folder.");
      case Kind::fifo:
        for (size_t i = 0; i < a.words.size(); ++i) {
          EDGETWIN_TRY(write(a.addresses[i % a.addresses.size()], a.words[i]));
        }
        return Ok{};
    }
    return Ok{};
  }

  // Self tests of memories and what is written in vain read differently on a chip.
  Status check(const Access& a) {
    const uint32_t value = machine_.read32(a.address);
    if ((value & a.mask) == a.value) return Ok{};
    // What started the layers is read back (--verify-writes): on the chip they still run, here they
    // are done and the bit that says so is set.
    if (is_control(a.address) && ((value ^ a.value) & a.mask & ~kDoneBit) == 0) return Ok{};
    return error(ErrorCode::max78_program_waits,
                 "the program stops at its check of " + hex_text(a.address))
        .detail("read " + hex_text(value) + " & mask " + hex_text(a.mask) + " = " +
                hex_text(value & a.mask) + ", wanted " + hex_text(a.value));
  }

  bool is_control(uint32_t address) const {
    for (int g = 0; g < kGroups; ++g) {
      if (address == machine_.chip().group(g)) return true;
    }
    return false;
  }

  // The machine has done all it can: a value that is not there now never comes.
  Status wait(const Access& a) {
    EDGETWIN_TRY(step());
    const uint32_t value = machine_.read32(a.address);
    if ((value & a.mask) == a.value) return Ok{};
    return error(ErrorCode::max78_program_waits,
                 "the program waits for ever for " + hex_text(a.address))
        .detail("read " + hex_text(value) + " & mask " + hex_text(a.mask) + " = " +
                hex_text(value & a.mask) + ", wanted " + hex_text(a.value));
  }

  const ProgramText& program_;
  Machine& machine_;
  const ProgramText::Part* part_ = nullptr;
  int line_ = 0;
};

int signed_byte(uint32_t word, int byte) {
  return static_cast<int8_t>(static_cast<uint8_t>(word >> (8 * byte)));
}

}  // namespace

Status play(const ProgramText& program, Machine& machine) { return Player(program, machine).run(); }

Comparison compare(const Machine& machine, const std::vector<Run>& expected, size_t most) {
  Comparison result;
  for (const Run& run : expected) {
    for (size_t i = 0; i < run.words.size(); ++i) {
      const uint32_t address = run.address + 4 * static_cast<uint32_t>(i);
      const uint32_t want = run.words[i] & run.mask, found = machine.peek32(address) & run.mask;
      ++result.words;
      if (want == found) continue;
      ++result.different;
      if (result.first.size() >= most) continue;
      WordDifference d{address, run.mask, want, found, machine.origin(address), 0, std::nullopt};
      if (!d.origin.wide) {
        while (d.byte < 3 && signed_byte(want, d.byte) == signed_byte(found, d.byte)) ++d.byte;
      }
      d.accumulator = machine.accumulator(address, d.byte);
      result.first.push_back(d);
    }
  }
  return result;
}

std::string describe(const WordDifference& d) {
  const WordOrigin& o = d.origin;
  std::string text = hex_text(d.address) + ": ";
  if (o.writer == kNobody) {
    text += "written by nobody";
  } else {
    text += (o.writer < 0 ? "written by " : "") + actor_name(o.writer);
  }
  const int channel = o.channels[o.wide ? 0 : d.byte];
  if (channel >= 0) text += ", channel " + std::to_string(channel);
  if (o.pixel >= 0) {
    text += ", row " + std::to_string(o.row) + ", column " + std::to_string(o.column);
  }
  if (o.wide) {
    text += ": expected " + std::to_string(static_cast<int32_t>(d.expected)) + ", found " +
            std::to_string(static_cast<int32_t>(d.found));
  } else {
    text += ": expected " + std::to_string(signed_byte(d.expected, d.byte)) + ", found " +
            std::to_string(signed_byte(d.found, d.byte)) + " (words " + hex_text(d.expected) +
            ", " + hex_text(d.found) + ")";
  }
  if (d.accumulator) text += ", sum before rounding " + std::to_string(*d.accumulator);
  return text;
}

}  // namespace edgetwin::max78
