// The word of the scalar core, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

enum class ScalarOp : uint8_t {
#define SCALAR_OP(code, name, kind, text, evidence, meaning) name = code,
#include "targets/edgetpu/isa/scalar.def"
};

enum class ScalarKind : uint8_t { none, integer, compare, real };

struct ScalarOpInfo {
  ScalarOp op;
  ScalarKind kind;
  std::string_view name;
  std::string_view text;  // in explanations
  Evidence evidence;
  std::string_view meaning;
};

std::span<const ScalarOpInfo> all_scalar_ops();
const ScalarOpInfo* find_scalar_op(uint64_t code);  // null: no such operation

// An operation as listings name it: "ADD" with a register as second operand, "ADDI" with an
// immediate one.
struct Mnemonic {
  unsigned op = 0;
  bool immediate = false;
  bool operator==(const Mnemonic&) const = default;
};
// Empty: operation 0, or one that is not known.
std::string to_text(const Mnemonic& mnemonic);
// In upper or lower case; nothing: no such operation.
std::optional<Mnemonic> find_mnemonic(std::string_view text);

inline constexpr unsigned kStoreStream = 4;
inline constexpr unsigned kStoreSlot = 5;
inline constexpr unsigned kStoreIssue = 6;
inline constexpr unsigned kFnReciprocal = 2;
inline constexpr unsigned kFnExp2 = 3;

struct ScalarWord {
  bool predicated = false, predicate_value = false;
  unsigned predicate = 0;
  unsigned load = 0, load_register = 0, load_address = 0;
  unsigned store = 0, store_address = 0, store_register = 0;
  unsigned op = 0, x = 0, y = 0;
  bool immediate = false;
  uint32_t imm = 0;
  unsigned fn = 0, fa = 0, fb = 0;
};
ScalarWord decode_scalar(ByteSpan word);

struct Branch {
  bool conditional = false, value = false;
  unsigned predicate = 0;
  int64_t offset = 0;  // in words, from the branch
};
Branch decode_branch(ByteSpan word);

struct Loop {
  uint64_t count = 0, body = 0;  // the body follows the loop word
};
Loop decode_loop(ByteSpan word);

}  // namespace edgetwin::edgetpu
