#include "ops/edgetpu/options.h"

#include <algorithm>
#include <array>

namespace edgetwin::ops {
namespace {

using numerics::EdgetpuOptions;
using numerics::EdgetpuSoftmax;
using numerics::Rounding;

template <size_t N>
constexpr std::array<char, N> dashed(const char (&text)[N]) {
  std::array<char, N> out{};
  for (size_t i = 0; i < N; ++i) out[i] = text[i] == '_' ? '-' : text[i];
  return out;
}

#define EDGETPU_OPTION(key, value, statement, meaning) \
  [[maybe_unused]] constexpr auto k_##key##_##value = dashed(#key "\0" #value);
#include "ops/edgetpu/options.def"
#undef EDGETPU_OPTION

template <size_t N>
constexpr std::string_view key_of(const std::array<char, N>& text) {
  return text.data();
}
template <size_t N>
constexpr std::string_view value_of(const std::array<char, N>& text) {
  return text.data() + key_of(text).size() + 1;
}

constexpr std::array kOptionRows = {
#define EDGETPU_OPTION(key, value, statement, meaning)                              \
  EdgetpuOptionRow{key_of(k_##key##_##value), value_of(k_##key##_##value), meaning, \
                   [](EdgetpuOptions& o) { statement; }},
#include "ops/edgetpu/options.def"
#undef EDGETPU_OPTION
};

Error unknown_option(std::string_view word) {
  std::string known;
  for (const EdgetpuOptionRow& row : kOptionRows) {
    known += (known.empty() ? "" : ", ") + std::string(row.key) + "=" + std::string(row.value);
  }
  return Error(ErrorCode::numerics_unknown,
               "the Edge TPU's arithmetic has no option '" + std::string(word) + "'")
      .with_hint("known: " + known);
}

}  // namespace

std::span<const EdgetpuOptionRow> edgetpu_option_table() { return kOptionRows; }

Result<EdgetpuOptions> edgetpu_options(std::string_view given) {
  EdgetpuOptions options;
  const size_t colon = given.find(':');
  if (colon == std::string_view::npos) return options;
  std::string_view rest = given.substr(colon + 1);
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(word.size(), equals + 1));
    const auto row =
        std::find_if(kOptionRows.begin(), kOptionRows.end(),
                     [&](const EdgetpuOptionRow& r) { return r.key == key && r.value == value; });
    if (row == kOptionRows.end()) return unknown_option(word);
    row->set(options);
  }
  return options;
}

}  // namespace edgetwin::ops
