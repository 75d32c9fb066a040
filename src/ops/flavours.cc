#include "ops/flavours.h"

#include <array>

#include "numerics/flavour/edgetpu.h"
#include "numerics/flavour/espdl.h"
#include "numerics/flavour/onnx.h"
#include "numerics/flavour/tflite.h"
#include "ops/prepare.h"

namespace edgetwin::ops {
namespace {

template <class F>
constexpr numerics::Rounding rounding_of() {
  if constexpr (requires { typename F::Unit; }) {
    return F::Unit::kRounding;
  } else {
    return numerics::Rounding::half_away;
  }
}

bool has_optional_operands(OpKind kind) {
  return kind == OpKind::unidirectional_sequence_lstm || kind == OpKind::opaque;
}

// Required operands must be there; each prepare function looks at optional ones itself.
template <PrepareFn prepare>
Result<Prepared> prepare_checked(const OpContext& c) {
  for (size_t i = 0; i < static_cast<size_t>(info(c.op().kind).inputs.min); ++i) {
    if (!has_optional_operands(c.op().kind) && !c.has_input(i)) {
      return c.error(ErrorCode::graph_arity, "operand " + std::to_string(i) + " is absent");
    }
  }
  return prepare(c);
}

// "tflite_single" of the table is "tflite-single" on the command line.
template <size_t N>
constexpr std::array<char, N> with_dashes(const char (&text)[N]) {
  std::array<char, N> out{};
  for (size_t i = 0; i < N; ++i) out[i] = text[i] == '_' ? '-' : text[i];
  return out;
}

#define FLAVOUR(name, type, family, summary) constexpr auto k_##name = with_dashes(#name);
#include "ops/flavours.def"
#undef FLAVOUR

const std::array kFlavourRows = {
#define FLAVOUR(name, type, family, summary)                                                       \
  FlavourInfo{std::string_view(k_##name.data()), summary, prepare_checked<prepare_##family<type>>, \
              rounding_of<type>()},
#include "ops/flavours.def"
#undef FLAVOUR
};

}  // namespace

std::span<const FlavourInfo> flavours() { return kFlavourRows; }

const FlavourInfo* find_flavour(std::string_view name) {
  const size_t colon = name.find(':');
  for (const FlavourInfo& row : kFlavourRows) {
    // Only the Edge TPU's arithmetic has options.
    if (colon != std::string_view::npos && row.name != "edgetpu") continue;
    if (row.name == name.substr(0, colon)) return &row;
  }
  return nullptr;
}

}  // namespace edgetwin::ops
