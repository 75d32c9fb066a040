// Rules of look-up tables. Specification 5.
#include <algorithm>
#include <bit>

#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

// Specification 5.3: whether the runtime looks up what this node's table holds.
bool looks_up(const Subject& s) {
  if (s.any_of({"LUT", "Gelu"})) return true;
  return s.s8() && s.any_of({"Relu", "PRelu", "Clip", "Sigmoid", "Tanh", "HardSwish", "HardSigmoid",
                             "Elu", "LeakyRelu", "Swish", "Exp", "Log", "Sqrt"});
}

void check_length16(const Subject& s, int64_t count) {
  const std::string entries = std::to_string(count) + " entries";
  if (count == 65536) return;  // a whole table
  if (count >= 3 && count <= 65537 && std::has_single_bit(static_cast<uint64_t>(count - 1))) {
    return;
  }
  if (count < 3) {
    return s.say(Rule::lut_length, entries + ", an INT16 table has at least 3",
                 "Export again with a step of 32: 65536 / 32 + 1 = 2049 entries.");
  }
  const int64_t derived = 65536 / (count - 1);
  const auto nearest = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count)));
  std::string hint = "With the step " + std::to_string(65536 / std::min<int64_t>(nearest, 65536)) +
                     " there are " + std::to_string(std::min<int64_t>(nearest, 65536) + 1) +
                     " entries: 65536 / step + 1.";
  std::string text = entries + ": the runtime derives the step 65536 / (" + std::to_string(count) +
                     " - 1) = " + std::to_string(derived);
  if (count == nearest) {
    text +=
        ", and the last entry is missing: the table has one for each segment, and segments "
        "need one more";
  } else {
    text += ", no power of two that divides 65536 into " + std::to_string(count - 1) + " segments";
  }
  s.say(Rule::lut_length, text, hint);
}

void check_step(const Subject& s, int64_t count) {
  const auto stated = s.node.integer("int16_lut_step");
  if (!stated || !s.s16() || count < 3) return;
  const int64_t derived = 65536 / (count - 1);
  if (*stated == std::max<int64_t>(derived, 1)) return;
  s.say(Rule::lut_step,
        "int16_lut_step is " + std::to_string(*stated) + ", " + std::to_string(count) +
            " entries make the step 65536 / (" + std::to_string(count) +
            " - 1) = " + std::to_string(derived),
        "Give the exporter the same step as the simulation.");
}

void check_table(const Subject& s, const TensorData& table) {
  const DataType wanted = s.s8() ? DataType::int8 : DataType::int16;
  if (table.type != wanted) {
    s.say(Rule::lut_type, "the table " + in_quotes(table.name) + " is " +
                              std::string(name(table.type)) + ", " + s.word("quant_type", "") +
                              " needs " + std::string(name(wanted)));
    return;
  }
  const int64_t count = s.c.elements(table.name).value_or(0);
  if (s.s16()) {
    check_length16(s, count);
  } else if (count != 256) {
    s.say(Rule::lut_length, std::to_string(count) + " entries, an INT8 table has 256",
          "The table is read at input + 128.");
  }
  check_step(s, count);
  const auto out = s.c.exponent(s.out());
  const auto own = s.c.exponent(table.name);
  if (out && own && *out != *own) {
    s.say(Rule::lut_exponent,
          "the table's exponent is " + std::to_string(*own) + ", the output's " +
              std::to_string(*out),
          "Export the model again: the table was made for another scale.");
  }
}

}  // namespace

void check_tables(const Subject& s) {
  const auto lut = s.node.text("lut");
  const TensorData* table = lut ? s.c.constant(*lut) : nullptr;
  const bool only_table = s.any_of({"LUT", "Gelu"}) && s.quantized();
  if (table == nullptr && only_table) {
    s.say(
        Rule::lut_missing,
        lut ? "the table " + in_quotes(*lut) + " is not in the file" : "there is no attribute lut",
        "Export the model again with tables (int16_lut_step above 0).");
    return;
  }
  if (lut && table == nullptr) {
    s.say(Rule::lut_unresolved, "the table " + in_quotes(*lut) + " is not in the file");
    return;
  }
  if (table == nullptr || !s.quantized()) return;
  if (!looks_up(s)) {
    // A table has a staircase or a wrong slope where a function has an edge.
    const bool smooth = !s.any_of({"Relu", "Clip", "PRelu", "LeakyRelu", "Neg", "Identity"});
    s.say(Rule::lut_ignored,
          "the table " + in_quotes(*lut) + " of " + std::to_string(table->data.size()) +
              " bytes is not read by " + s.node.op_type + " with " + s.word("quant_type", ""),
          s.s16() && smooth ? "Rewrite the operator to LUT to have the table executed."
                            : "Export without the table (int16_lut_step -1).");
    return;
  }
  check_table(s, *table);
}

}  // namespace edgetwin::targets::espdl
