#include "lut/header.h"

#include <charconv>
#include <cmath>
#include <vector>

namespace edgetwin::lut {
namespace {

constexpr size_t kIntegersPerLine = 16;
constexpr size_t kFloatsPerLine = 128;

// A name in a comment: nothing that could end it or the line.
std::string comment_safe(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = c >= ' ' && c < 127 && c != '*' && c != '\\' && c != '?';
    out += plain ? c : '_';
  }
  return out;
}

template <class Values>
void append_integers(std::string& out, const Values& values) {
  size_t i = 0;
  for (const auto v : values) {
    if (i > 0) out += i % kIntegersPerLine == 0 ? ",\n" : ", ";
    if (i % kIntegersPerLine == 0) out += "    ";
    out += std::to_string(int{v});
    ++i;
  }
  out += "\n};\n";
}

void append_floats(std::string& out, const std::vector<double>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += i % kFloatsPerLine == 0 ? ",\n" : ", ";
    char text[64];
    const auto end =
        std::to_chars(text, text + sizeof(text), values[i], std::chars_format::fixed, 6);
    out.append(text, end.ptr);
    out += 'f';
  }
  out += "\n};\n";
}

std::string type_of(int bits) { return bits == 8 ? "int8_t" : "int16_t"; }

}  // namespace

std::string integer_header(int k, std::string_view layer, const Report& report,
                           const RuleReport& rule, const Tensor& table) {
  const TableSpec& spec = report.spec;
  const std::string prefix = "lut_" + std::to_string(k) + "_";
  const std::string constant = "enum { " + prefix;
  const std::string type = "static const " + type_of(spec.bits) + " " + prefix;
  std::string out = "#pragma once\n/* " + comment_safe(layer) + ": " + to_string(spec) +
                    ", rule: " + std::string(name(rule.rule)) +
                    ". Element i of expected belongs to input " +
                    std::to_string(lowest_input(spec.bits)) + " + i. */\n#include <stdint.h>\n\n";
  out += constant + "in_exponent = " + std::to_string(spec.in_exponent) + " };\n";
  out += constant + "out_exponent = " + std::to_string(spec.out_exponent) + " };\n";
  out += constant + "table_len = " + std::to_string(report.form.count) + " };\n";
  out += constant + "expected_len = " + std::to_string(rule.outputs.size()) + " };\n\n";
  out += type + "table[] = {\n";
  if (spec.bits == 8) {
    append_integers(out, table.as<int8_t>());
  } else {
    append_integers(out, table.as<int16_t>());
  }
  out += "\n" + type + "expected[] = {\n";
  append_integers(out, rule.outputs);
  return out;
}

std::string float_header(int k, std::string_view layer, const Report& report,
                         const RuleReport& rule) {
  const TableSpec& spec = report.spec;
  std::vector<double> in, out;
  const auto add = [&](double real, int output) {
    in.push_back(real);
    out.push_back(std::ldexp(output, spec.out_exponent));
  };
  const auto& stress = rule.stress;
  for (size_t i = 0; i < stress.size() / 2; ++i) add(stress[i].real, stress[i].output);
  int q = lowest_input(spec.bits);
  for (const int16_t output : rule.outputs) add(std::ldexp(q++, spec.in_exponent), output);
  for (size_t i = stress.size() / 2; i < stress.size(); ++i) add(stress[i].real, stress[i].output);

  const std::string number = std::to_string(k);
  std::string text = "#pragma once\n// " + comment_safe(layer) + ": " + to_string(spec) +
                     ", rule: " + std::string(name(rule.rule)) + "\n";
  for (const auto& [word, values] : {std::pair{"input_", &in}, std::pair{"output_", &out}}) {
    const std::string array = word + number;
    text += "const float " + array + "[] = {\n";
    append_floats(text, *values);
    text += "const int " + array + "_len = " + std::to_string(values->size()) + ";\n";
  }
  return text;
}

}  // namespace edgetwin::lut
