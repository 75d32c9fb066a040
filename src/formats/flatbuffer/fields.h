// Strings, lists and tables out of verified FlatBuffers. The functions are templates over the
// library's types, so that this header does not need it.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/flatbuffer/source.h"

namespace edgetwin::flatbuffer {

// How deep tables may be nested, and how many there may be, each counted at every use.
struct Limits {
  uint32_t depth = 0;
  uint32_t tables = 0;
};

// True if no offset and no length in the tables points outside of the data, and the data have the
// identifier (null: whatever they have). Verifier is flatbuffers::Verifier, Root the root table.
template <class Verifier, class Root>
bool is_whole(ByteSpan data, const char* identifier, const Limits& limits) {
  // The library's own smallest: an offset and a table.
  if (data.size() < 2 * sizeof(uint32_t)) return false;
  Verifier verifier(reinterpret_cast<const uint8_t*>(data.data()), data.size(), limits.depth,
                    limits.tables);
  return verifier.template VerifyBuffer<Root>(identifier);
}

// The bytes of a vector, in place; an absent one is empty.
template <class Vector>
ByteSpan bytes_of(const Vector* vector) {
  return vector == nullptr ? ByteSpan() : std::as_bytes(std::span(vector->data(), vector->size()));
}

// An absent text is empty.
template <class Text>
Result<std::string> read_text(const Source& source, const Text* text, std::string_view field) {
  if (text == nullptr) return std::string();
  EDGETWIN_TRY(source.charge(text->size(), text, field));
  return text->str();
}

template <class Vector>
Result<Bytes> read_bytes(const Source& source, const Vector* vector, std::string_view field) {
  EDGETWIN_TRY(source.charge(bytes_of(vector).size(), vector, field));
  return to_bytes(bytes_of(vector));
}

// Vector<T> of plain numbers. They may be at any address: a verifier looks at lengths only.
template <class T, class Vector>
Result<std::vector<T>> read_numbers(const Source& source, const Vector* vector,
                                    std::string_view field) {
  std::vector<T> result;
  if (vector == nullptr || vector->size() == 0) return result;
  static_assert(sizeof(T) == sizeof(typename Vector::value_type));
  EDGETWIN_TRY(source.charge(uint64_t{vector->size()} * sizeof(T), vector, field));
  result.resize(vector->size());
  std::memcpy(result.data(), vector->Data(), result.size() * sizeof(T));
  return result;
}

// Reads each element of a vector of tables or strings with `read(element)`, which gives a Result
// of T.
template <class T, class Vector, class Read>
Result<std::vector<T>> read_tables(const Source& source, const Vector* vector,
                                   std::string_view field, Read read) {
  std::vector<T> result;
  if (vector == nullptr) return result;
  EDGETWIN_TRY(source.charge(uint64_t{vector->size()} * sizeof(T), vector, field));
  for (const auto* element : *vector) {
    EDGETWIN_TRY_ASSIGN(T one, read(*element));
    result.push_back(std::move(one));
  }
  return result;
}

template <class Vector>
Result<std::vector<std::string>> read_texts(const Source& source, const Vector* vector,
                                            std::string_view field) {
  return read_tables<std::string>(
      source, vector, field, [&](const auto& text) { return read_text(source, &text, field); });
}

}  // namespace edgetwin::flatbuffer
