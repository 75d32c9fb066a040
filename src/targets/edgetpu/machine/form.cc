// What a tensor instruction multiplies. Only forms whose results were held against a network's are
// known: others would give numbers, too, but nobody knows whether the right ones.
#include "targets/edgetpu/machine/work.h"

namespace edgetwin::edgetpu::machine {

namespace {

constexpr uint32_t kVariants = kKindFinished | 0x2000U;  // finished in one go; zero points
constexpr uint32_t kPlain = 0x30;
constexpr uint32_t kProduct = 0x1C30;
constexpr uint32_t kBytesByHalves = 0x1870;
constexpr uint32_t kAddition = 0xB0;
constexpr uint32_t kHalves = 0xF0;
constexpr uint32_t kWideResult = 2;  // the other value that is not 0 belongs to softmax's sum

// Kinds, and what they may come with.
struct Row {
  uint32_t kind, ignored;  // bits that do not matter
  bool wide;               // may make results of 16 bits
  bool function;           // may pass a table
  Form form;
};

constexpr Row kRows[] = {
    {kKindWeights | 0x10U, kVariants, false, false, Form::words},
    {kPlain, 0, true, true, Form::words},
    {kProduct, 0, true, false, Form::bytes},
    {kBytesByHalves, 0, true, false, Form::halves_bytes},
    {kAddition, 0, false, true, Form::pairs},
    {kHalves, 0, true, true, Form::halves},
};

bool fits(const Row& row, const Step& s) {
  const Nest& n = *s.nest;
  if ((n.kind & ~row.ignored) != row.kind || (n.function && !row.function)) return false;
  if (s.wide_result != 0 && !row.wide) return false;
  // With biases an addition is the subtraction of a softmax.
  return n.kind != kAddition || !n.has_bias;
}

}  // namespace

std::optional<Form> form_of(const Step& s) {
  constexpr uint32_t kOdd = 3;  // both bits, wherever one is set
  if (s.wide_result != 0 && s.wide_result != kWideResult) return std::nullopt;
  if (s.odd != 0 && (s.odd != kOdd || !s.nest->function)) return std::nullopt;
  for (const Row& row : kRows) {
    if (fits(row, s)) return row.form;
  }
  return std::nullopt;
}

std::vector<Place> places_of(const Generator& g) {
  std::vector<Place> all;
  unroll(g, [&](int64_t at, uint32_t pass) { all.push_back({static_cast<int32_t>(at), pass}); });
  return all;
}

}  // namespace edgetwin::edgetpu::machine
