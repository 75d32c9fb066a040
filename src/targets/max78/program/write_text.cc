#include "targets/max78/program/program.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

// At most eight digits.
void put_hex(std::string& to, uint32_t value, int digits = 8) {
  char text[8];
  for (int i = 0; i < digits; ++i) text[i] = kDigits[(value >> (4 * (digits - 1 - i))) & 15U];
  to.append(text, static_cast<size_t>(digits));
}

void put_words(std::string& to, const std::vector<uint32_t>& words) {
  for (size_t i = 0; i < words.size(); i += 8) {
    to += ' ';
    for (size_t j = i; j < std::min(i + 8, words.size()); ++j) {
      to += ' ';
      put_hex(to, words[j]);
    }
    to += '\n';
  }
}

constexpr size_t kShortestBurst = 4;

void put_write(std::string& to, uint32_t address, const std::vector<uint32_t>& words) {
  if (words.size() >= kShortestBurst) {
    to += "burst ";
    put_hex(to, address);
    to += ' ' + std::to_string(words.size()) + '\n';
    put_words(to, words);
    return;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    to += "w ";
    put_hex(to, address + 4 * static_cast<uint32_t>(i));
    to += ' ';
    put_hex(to, words[i]);
    to += '\n';
  }
}

void put_pair(std::string& to, std::string_view what, uint32_t address, uint32_t value,
              int digits = 8) {
  to += what;
  to += ' ';
  put_hex(to, address);
  to += ' ';
  put_hex(to, value, digits);
  to += '\n';
}

void put_fifo(std::string& to, const Access& a) {
  to += "fifo ";
  for (size_t i = 0; i < a.addresses.size(); ++i) {
    if (i > 0) to += ',';
    put_hex(to, a.addresses[i]);
  }
  to += ' ' + std::to_string(a.words.size()) + '\n';
  put_words(to, a.words);
}

void put_access(std::string& to, const Access& a) {
  switch (a.kind) {
    case Access::Kind::write: {
      std::vector<uint32_t> words{a.value};
      words.insert(words.end(), a.words.begin(), a.words.end());
      put_write(to, a.address, words);
      break;
    }
    case Access::Kind::write_byte:
      put_pair(to, "b", a.address, a.value, 2);
      break;
    case Access::Kind::set_bits:
      put_pair(to, "or", a.address, a.value);
      break;
    case Access::Kind::keep_bits:
      put_pair(to, "and", a.address, a.value);
      break;
    case Access::Kind::read:
    case Access::Kind::poll:
      to += a.kind == Access::Kind::read ? "r " : "poll ";
      put_hex(to, a.address);
      to += '\n';
      break;
    case Access::Kind::idle:
      to += "nop\n";
      break;
    case Access::Kind::check:
    case Access::Kind::wait:
      to += a.kind == Access::Kind::check ? "check " : "wait ";
      put_hex(to, a.address);
      to += ' ';
      put_hex(to, a.mask);
      to += ' ';
      put_hex(to, a.value);
      to += '\n';
      break;
    case Access::Kind::fifo:
      put_fifo(to, a);
      break;
    case Access::Kind::camera:
      to += "camera " + std::to_string(a.value);
      for (size_t i = 0; i < a.addresses.size(); ++i) {
        to += i == 0 ? ' ' : ',';
        put_hex(to, a.addresses[i]);
      }
      to += '\n';
      break;
  }
}

}  // namespace

const Function* Program::find(std::string_view name) const {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const Function& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

std::string to_text(const Program& program) {
  std::string text;
  for (const Function& f : program.functions) {
    text += "fn " + f.name + "\n";
    for (const Access& a : f.accesses) put_access(text, a);
  }
  return text;
}

std::string expected_text(const std::vector<Run>& runs) {
  std::string text;
  for (const Run& r : runs) {
    text += "expect ";
    put_hex(text, r.address);
    text += ' ';
    put_hex(text, r.mask);
    text += ' ' + std::to_string(r.words.size()) + '\n';
    put_words(text, r.words);
  }
  return text;
}

std::string unload_text(const std::vector<UnloadAccess>& accesses) {
  std::string text;
  for (const UnloadAccess& a : accesses) {
    if (a.write) {
      put_pair(text, "w", a.address, a.value);
      continue;
    }
    text += "r ";
    put_hex(text, a.address);
    text += ' ' + std::to_string(a.count) + (a.fixed ? " fixed\n" : "\n");
  }
  return text;
}

}  // namespace edgetwin::max78
