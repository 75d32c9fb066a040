// Rules of GRU and LSTM. Specification "Operators", 11.
#include <algorithm>

#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

void check_state(const Subject& s) {
  std::vector<std::string_view> group = {s.out(0), s.out(1), s.in(5)};
  std::erase_if(group, [&](std::string_view name) { return !s.c.exponent(name); });
  const bool differ = std::any_of(group.begin(), group.end(), [&](std::string_view name) {
    return s.c.exponent(name) != s.c.exponent(group.front());
  });
  if (differ) {
    s.say(Rule::recurrent_state, "exponents " + exponent_list(s, group) + " must be equal",
          "Quantize again with the alignment of recurrent operators.");
  }
  const std::string_view cell = s.out(2);
  const auto type = s.c.type(cell);
  if (!s.is("LSTM") || !type) return;
  const int64_t gate = s.number("gate_exponent", -8);
  const auto e = s.c.exponent(cell);
  if (type == DataType::int16 && e == gate) return;
  s.say(Rule::recurrent_state, "the cell state " + in_quotes(cell) + " is " +
                                   std::string(name(*type)) + " with exponent " +
                                   (e ? std::to_string(*e) : std::string("?")) + ", INT16 with " +
                                   std::to_string(gate) + " is needed");
}

}  // namespace

void check_recurrent(const Subject& s) {
  if (!s.any_of({"GRU", "LSTM"})) return;
  s.say(Rule::recurrent_inferred, "the results here follow the vendor's source, not a recording");
  if (s.word("direction", "forward") == "reverse") {
    s.say(Rule::recurrent_reverse, "direction is reverse, the runtime computes forward",
          "Reverse the sequence before and after, or use bidirectional.");
  }
  const auto* x = s.c.dims(s.in(0));
  if (x != nullptr && x->size() == 3 && (*x)[1] != 1) {
    s.say(Rule::recurrent_form, "the batch is " + std::to_string((*x)[1]) + ", must be 1");
  }
  if (s.number("layout", 0) != 0) {
    s.say(Rule::recurrent_form,
          "layout is " + std::to_string(s.number("layout", 0)) + ", must be 0");
  }
  if (s.is("GRU") && s.number("linear_before_reset", 0) != 1) {
    s.say(Rule::recurrent_form, "linear_before_reset is " +
                                    std::to_string(s.number("linear_before_reset", 0)) +
                                    ", must be 1");
  }
  if (s.quantized()) check_state(s);
}

}  // namespace edgetwin::targets::espdl
