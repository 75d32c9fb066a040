// Fields of one executable, by name.
#pragma once

#include <string>
#include <vector>

#include "formats/darwinn/reader.h"
#include "formats/flatbuffer/fields.h"

namespace edgetwin::darwinn {

namespace schema {
struct Layer;
}  // namespace schema

class Fields {
 public:
  Fields(const Source& source, std::string label) : source_(source), label_(std::move(label)) {}

  std::string field(const std::string& name) const { return label_ + " " + name; }
  Error content(std::string message, const void* at, const std::string& name) const {
    return source_.error(ErrorCode::darwinn_content, std::move(message), at, field(name));
  }
  // A number of the file as an enumerator; `last` is its largest value.
  template <class E>
  Result<E> enumerator(int value, int last, const void* at, const char* name) const {
    if (value >= 0 && value <= last) return static_cast<E>(value);
    return source_.error(ErrorCode::bad_value,
                         std::to_string(value) + " is none of 0 to " + std::to_string(last), at,
                         field(name));
  }
  template <class Text>
  Result<std::string> text(const Text* s, const char* name) const {
    return flatbuffer::read_text(source_, s, field(name));
  }
  template <class Vector>
  Result<Bytes> bytes(const Vector* v, const char* name) const {
    return flatbuffer::read_bytes(source_, v, field(name));
  }
  template <class Vector>
  Extent extent(const Vector* v) const {
    return v == nullptr ? Extent{} : extent_of(source_, v->data(), v->size());
  }
  template <class Vector>
  Result<std::vector<int32_t>> ints(const Vector* v, const char* name) const {
    if (v == nullptr) return std::vector<int32_t>();
    EDGETWIN_TRY(source_.charge(uint64_t{v->size()} * sizeof(int32_t), v, field(name)));
    return std::vector<int32_t>(v->begin(), v->end());
  }
  template <class T>
  Result<std::vector<T>> room(size_t size, const void* at, const char* name) const {
    EDGETWIN_TRY(source_.charge(size * sizeof(T), at, field(name)));
    std::vector<T> result;
    result.reserve(size);
    return result;
  }

 protected:
  const Source& source_;
  std::string label_;
};

// read_layers.cc
Result<Layer> read_layer(const Fields& fields, const schema::Layer& table);

}  // namespace edgetwin::darwinn
