// What a tensor instruction multiplies, and what it makes of the sums. Only forms whose results
// were held against a network's are known.
#include "targets/edgetpu/machine/engines/tensor_iteration.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr uint32_t kZeroPoints = 0x2000;  // weight zero points from the parameters
constexpr uint64_t kWideResult = 2;
constexpr uint64_t kRootResult = 3;
constexpr uint64_t kOdd = 3;  // both bits, wherever one is set

struct KindForm {
  uint32_t kind;
  Form form;
};

constexpr KindForm kForms[] = {
#define FORM(kind, input, weight, products, evidence) {kind, {input, weight, products}},
#include "targets/edgetpu/machine/engines/forms.def"
};

// The maximum and the sum of what wide memory holds; narrow memory takes no part. Both are known as
// softmax has them.
constexpr uint32_t kMaximumKind = 0x30;
constexpr uint32_t kSumKind = 0xB0;
constexpr Form kBytes{1, 1, 1};

}  // namespace

std::optional<Form> form_of(const Step& s) {
  const Nest& n = *s.nest;
  if (s.opcode == Opcode::tensor_max) {
    const bool known = n.kind == kMaximumKind && !n.function && s.result_form == 0;
    return known ? std::optional(kBytes) : std::nullopt;
  }
  // The table of 1 / sqrt(x) goes with the sum and nothing else.
  const bool sum = s.opcode == Opcode::tensor_exp;
  if (sum != (s.result_form == kRootResult)) return std::nullopt;
  if (sum && (n.kind != kSumKind || !n.function)) return std::nullopt;
  if (!sum && s.result_form != 0 && s.result_form != kWideResult) return std::nullopt;
  if (s.odd != 0 && (s.odd != kOdd || !n.function || sum)) return std::nullopt;
  for (const KindForm& f : kForms) {
    if (f.kind == (n.kind & ~kZeroPoints)) return f.form;
  }
  return std::nullopt;
}

std::vector<Address> addresses_of(const Generator& g) {
  constexpr uint64_t kMostReserved = 1U << 26U;
  std::vector<Address> all(g.count(kMostReserved));
  size_t size = 0;
  unroll_rows(g, [&](const PlaceRow& row) {
    const auto count = static_cast<size_t>(row.count);
    if (all.size() < size + count) all.resize(2 * all.size() + count);
    int64_t at = row.first;
    for (Address* to = all.data() + size; to != all.data() + size + count; ++to, at += row.step) {
      *to = {static_cast<int32_t>(at), row.pass};
    }
    size += count;
  });
  all.resize(size);
  return all;
}

}  // namespace edgetwin::edgetpu::machine
