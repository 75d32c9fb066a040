#include "targets/espdl/check/checker.h"

#include <algorithm>
#include <cstring>

#include "tensor/shape.h"

namespace edgetwin::targets::espdl {

Checker::Checker(const Document& document, Target target) : document_(document), target_(target) {
  for (const TensorData& t : document.initializers) constants_.emplace(t.name, &t);
  for (const auto* list : {&document.values, &document.inputs, &document.outputs}) {
    for (const ValueInfo& v : *list) infos_.emplace(v.name, &v);
  }
}

void Checker::say(Rule rule, std::string place, std::string message, std::string hint) {
  say(rule, info(rule).severity, std::move(place), std::move(message), std::move(hint));
}

void Checker::say(Rule rule, Severity severity, std::string place, std::string message,
                  std::string hint) {
  if (hint.empty()) hint = info(rule).remedy;
  findings_.push_back({severity, std::string(info(rule).id), std::move(place), std::move(message),
                       std::move(hint)});
}

const TensorData* Checker::constant(std::string_view name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : found->second;
}

const ValueInfo* Checker::declared(std::string_view name) const {
  const auto found = infos_.find(name);
  return found == infos_.end() ? nullptr : found->second;
}

std::optional<DataType> Checker::type(std::string_view name) const {
  if (name.empty()) return std::nullopt;
  if (const TensorData* t = constant(name)) return t->type;
  if (const ValueInfo* v = declared(name)) return v->type;
  return std::nullopt;
}

const std::vector<int64_t>* Checker::dims(std::string_view name) const {
  if (name.empty()) return nullptr;
  if (const TensorData* t = constant(name)) return &t->dims;
  const ValueInfo* v = declared(name);
  return v != nullptr && v->has_shape ? &v->shape : nullptr;
}

const std::vector<int64_t>* Checker::exponents(std::string_view name) const {
  if (name.empty()) return nullptr;
  if (const TensorData* t = constant(name)) return &t->exponents;
  const ValueInfo* v = declared(name);
  return v == nullptr ? nullptr : &v->exponents;
}

std::optional<int64_t> Checker::exponent(std::string_view name) const {
  const auto kind = type(name);
  if (kind != DataType::int8 && kind != DataType::int16) return std::nullopt;
  const auto* all = exponents(name);
  if (all == nullptr || all->empty()) return std::nullopt;
  return std::clamp(all->front(), -kFarExponent, kFarExponent);
}

std::optional<int64_t> Checker::elements(std::string_view name) const {
  const auto* sizes = dims(name);
  if (sizes == nullptr) return std::nullopt;
  return checked_elements(*sizes, int64_t{1} << 31);
}

std::optional<std::vector<int64_t>> Checker::integers(std::string_view name) const {
  const TensorData* t = name.empty() ? nullptr : constant(name);
  if (t == nullptr || (t->type != DataType::int64 && t->type != DataType::int32)) {
    return std::nullopt;
  }
  const size_t size = t->type == DataType::int64 ? 8 : 4;
  std::vector<int64_t> numbers(t->data.size() / size);
  for (size_t i = 0; i < numbers.size(); ++i) {
    int32_t narrow = 0;
    if (size == 8) {
      std::memcpy(&numbers[i], t->data.data() + i * size, size);
    } else {
      std::memcpy(&narrow, t->data.data() + i * size, size);
      numbers[i] = narrow;
    }
  }
  return numbers;
}

std::string in_quotes(std::string_view name) {
  constexpr size_t kLongest = 120;
  if (name.size() <= kLongest) return "'" + std::string(name) + "'";
  return "'" + std::string(name.substr(0, kLongest)) + "...'";
}

std::string exponent_list(const Subject& s, const std::vector<std::string_view>& names) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i) {
    const auto e = s.c.exponent(names[i]);
    if (!text.empty()) text += ", ";
    text += in_quotes(names[i]) + " " + (e ? std::to_string(*e) : std::string("?"));
  }
  if (names.size() > kMost) text += ", and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

}  // namespace edgetwin::targets::espdl
