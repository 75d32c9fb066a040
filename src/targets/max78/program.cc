#include "targets/max78/program.h"

#include <algorithm>

#include "targets/max78/regs.h"

namespace edgetwin::max78 {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

void put_hex(std::string& to, uint32_t value, int digits = 8) {
  for (int i = digits - 1; i >= 0; --i) to += kDigits[(value >> (4 * i)) & 15U];
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
    case Access::Kind::wait:
      to += "wait ";
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
  }
}

}  // namespace

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

Function interrupt(const Plan& plan) {
  Function f{plan.options.riscv ? "CNN_IRQHandler" : "CNN_ISR", {}};
  uint32_t bits = 1U << 12;
  if (plan.small() || !plan.options.one_shot) bits |= 1U;
  if (plan.streams()) bits |= 1U << 14;
  for (const int g : plan.groups) {
    f.accesses.push_back({.kind = Access::Kind::keep_bits,
                          .address = address(*plan.chip, GlobalReg::ctl, g),
                          .value = ~bits});
  }
  return f;
}

Result<Program> make_program(const Plan& plan, const Tensor& sample) {
  for (const RuleFinding& f : plan.findings) {
    if (f.severity == Severity::error) return to_error(f);
  }
  if (sample.dtype != DType::int8 ||
      sample.shape.elements() != int64_t{plan.sample.c} * plan.sample.h * plan.sample.w) {
    return Error(ErrorCode::max78_sample, "the sample is not the one that the plan was made for");
  }
  Program p;
  p.functions.push_back(cnn_init(plan));
  p.functions.push_back(cnn_load_weights(plan));
  p.functions.push_back(cnn_load_bias(plan));
  p.functions.push_back(cnn_configure(plan));
  // A FIFO is fed while the machine runs; memory is filled before.
  if (!plan.options.use_fifo()) p.functions.push_back(load_input(plan, sample));
  p.functions.push_back(cnn_start(plan));
  if (plan.options.use_fifo()) p.functions.push_back(load_input(plan, sample));
  p.functions.push_back(interrupt(plan));
  return p;
}

}  // namespace edgetwin::max78
