#include "ops/registry/numerics.h"

#include <array>

#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/registry/columns.h"

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

Result<Prepared> by_column(const Column<PrepareFn>& column, const OpContext& c,
                           std::string_view refused) {
  const PrepareFn prepare = column[static_cast<size_t>(c.op().kind)];
  if (prepare != nullptr) return prepare(c);
  return c.error(ErrorCode::op_unsupported, op_type_name(c.op()) + " " + std::string(refused));
}

template <class F>
[[gnu::cold]] Result<Prepared> prepare_tflite(const OpContext& c) {
  return by_column(kTfliteColumn<F>, c, "is not implemented in these numerics");
}

template <class F>
[[gnu::cold]] Result<Prepared> prepare_espdl(const OpContext& c) {
  return by_column(kEspdlColumn<F>, c, "is not an operator of ESP-DL's runtime");
}

template <class F>
[[gnu::cold]] Result<Prepared> prepare_onnx(const OpContext& c) {
  return by_column(kOnnxColumn<F>, c, "is not implemented in the numerics of ONNX networks");
}

// The chip computes on bytes. TRANSPOSE_CONV has its data in operand 2.
bool on_chip(const OpContext& c) {
  const auto is_byte = [](DType type) { return type == DType::uint8 || type == DType::int8; };
  const size_t data = c.op().kind == OpKind::transpose_conv ? 2 : 0;
  return c.has_input(data) && is_byte(c.input(data).dtype) && is_byte(c.output(0).dtype);
}

// What the compiler of the Edge TPU leaves to the host, and what moves bytes only, is TensorFlow
// Lite's.
template <class F>
[[gnu::cold]] Result<Prepared> prepare_edgetpu(const OpContext& c) {
  const ChipCell& cell = kChipColumn<F>[static_cast<size_t>(c.op().kind)];
  if (cell.prepare == nullptr || !on_chip(c)) return prepare_tflite<numerics::Tflite>(c);
  return cell.rule ? with_evidence(c, *cell.rule, cell.prepare(c)) : cell.prepare(c);
}

// Its networks are descriptions of layers.
template <class F>
[[gnu::cold]] Result<Prepared> prepare_max78(const OpContext& c) {
  return c.error(ErrorCode::op_unsupported,
                 op_type_name(c.op()) + " is not a layer of a network description");
}

bool has_optional_operands(OpKind kind) {
  return kind == OpKind::unidirectional_sequence_lstm || kind == OpKind::opaque;
}

// Required operands must be there; each prepare function looks at optional ones itself.
template <PrepareFn prepare>
[[gnu::cold]] Result<Prepared> prepare_checked(const OpContext& c) {
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

#define NUMERICS(name, type, family, summary) constexpr auto k_##name = with_dashes(#name);
#include "numerics/numerics.def"

enum class Computes : uint8_t { graph, layers };
#define FAMILY(family, computes) constexpr auto k_computes_##family = Computes::computes;
#include "numerics/numerics.def"

const std::array kNumericsRows = {
#define NUMERICS(name, type, family, summary)                                                      \
  NumericsInfo{std::string_view(k_##name.data()), summary, k_computes_##family == Computes::graph, \
               prepare_checked<prepare_##family<type>>, rounding_of<type>()},
#include "numerics/numerics.def"
};

}  // namespace

std::span<const NumericsInfo> all_numerics() { return kNumericsRows; }

const NumericsInfo* find_numerics(std::string_view name) {
  const size_t colon = name.find(':');
  for (const NumericsInfo& row : kNumericsRows) {
    // Only the Edge TPU's arithmetic has options.
    if (colon != std::string_view::npos && row.name != "edgetpu") continue;
    if (row.name == name.substr(0, colon)) return &row;
  }
  return nullptr;
}

Result<const NumericsInfo*> numerics_of_graphs(std::string_view name) {
  const NumericsInfo* row = find_numerics(name);
  if (row != nullptr && row->graphs) return row;
  std::string known;
  for (const NumericsInfo& one : all_numerics()) {
    if (one.graphs) known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  const std::string given = "'" + std::string(name) + "'";
  if (row == nullptr) {
    return Error(ErrorCode::numerics_unknown, "unknown numerics " + given)
        .with_hint("Known are: " + known + ".");
  }
  return Error(ErrorCode::usage,
               "the numerics " + given +
                   " are of networks that are not graphs: " + std::string(row->summary))
      .with_hint("Numerics of this network: " + known + ".");
}

}  // namespace edgetwin::ops
