// The state of one check, what it knows about tensors, and one function per group of rules.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/espdl/document/target.h"
#include "targets/espdl/check/check.h"

namespace edgetwin::targets::espdl {

using edgetwin::espdl::DataType;
using edgetwin::espdl::Document;
using edgetwin::espdl::Node;
using edgetwin::espdl::Target;
using edgetwin::espdl::TensorData;
using edgetwin::espdl::ValueInfo;

class Checker {
 public:
  Checker(const Document& document, Target target);

  const Document& document() const { return document_; }
  Target target() const { return target_; }
  bool vector_chip() const { return target_ != Target::c; }
  std::vector<Finding>& findings() { return findings_; }

  // Adds a finding of the rule's own severity, or of another.
  void say(Rule rule, std::string place, std::string message, std::string hint = "");
  void say(Rule rule, Severity severity, std::string place, std::string message,
           std::string hint = "");

  // What a name stands for; null or nothing where the file does not say.
  const TensorData* constant(std::string_view name) const;
  const ValueInfo* declared(std::string_view name) const;
  std::optional<DataType> type(std::string_view name) const;
  const std::vector<int64_t>* dims(std::string_view name) const;
  const std::vector<int64_t>* exponents(std::string_view name) const;
  // Of an INT8 or INT16 tensor with one exponent (the first), kept within +-kFarExponent.
  std::optional<int64_t> exponent(std::string_view name) const;
  // Product of the sizes; nothing where one is unknown or there are more than 2^31.
  std::optional<int64_t> elements(std::string_view name) const;
  // Numbers of an INT32 or INT64 initializer; nothing for all else.
  std::optional<std::vector<int64_t>> integers(std::string_view name) const;

 private:
  const Document& document_;
  Target target_;
  std::vector<Finding> findings_;
  std::map<std::string_view, const TensorData*> constants_;
  std::map<std::string_view, const ValueInfo*> infos_;
};

// Exponents further out are damage; sums of a few of them do not overflow.
inline constexpr int64_t kFarExponent = 1'000'000;

// A node under check.
struct Subject {
  Checker& c;
  const Node& node;
  std::string label;  // "#12 Conv 'name'"

  bool is(std::string_view type) const { return node.op_type == type; }
  bool any_of(std::initializer_list<std::string_view> types) const {
    return std::find(types.begin(), types.end(), node.op_type) != types.end();
  }
  // The name of an input or output; "" where it is absent.
  std::string_view in(size_t i) const {
    return i < node.inputs.size() ? std::string_view(node.inputs[i]) : std::string_view();
  }
  std::string_view out(size_t i = 0) const {
    return i < node.outputs.size() ? std::string_view(node.outputs[i]) : std::string_view();
  }
  bool s8() const { return node.text("quant_type") == "S8"; }
  bool s16() const { return node.text("quant_type") == "S16"; }
  bool quantized() const { return s8() || s16(); }
  int64_t number(std::string_view attribute, int64_t otherwise) const {
    return node.integer(attribute).value_or(otherwise);
  }
  std::string word(std::string_view attribute, std::string_view otherwise) const {
    return node.text(attribute).value_or(std::string(otherwise));
  }
  void say(Rule rule, std::string message, std::string hint = "") const {
    c.say(rule, label, std::move(message), std::move(hint));
  }
  void say(Rule rule, Severity severity, std::string message, std::string hint = "") const {
    c.say(rule, severity, label, std::move(message), std::move(hint));
  }
};

// "'name'"; a name from a file may be long.
std::string in_quotes(std::string_view name);
// "'a' -6, 'b' -6, 'c' -7"
std::string exponent_list(const Subject& s, const std::vector<std::string_view>& names);

void check_document(Checker& c);          // check_structure.cc
void check_references(Checker& c);        // check_structure.cc
void check_attributes(const Subject& s);  // check_types.cc
void check_types(const Subject& s);       // check_types.cc
void check_parameters(const Subject& s);  // check_types.cc
void check_exponents(const Subject& s);   // check_exponents.cc
void check_shifts(const Subject& s);      // check_shifts.cc
void check_products(const Subject& s);    // check_products.cc: Conv, Gemm, MatMul
void check_sums(const Subject& s);        // check_sums.cc
void check_tables(const Subject& s);      // check_tables.cc
void check_windows(const Subject& s);     // check_windows.cc: pooling, Resize, blocks
void check_traps(const Subject& s);       // check_traps.cc: single operators
void check_recurrent(const Subject& s);   // check_recurrent.cc

}  // namespace edgetwin::targets::espdl
