#include <type_traits>
#include <vector>

#include "formats/tflite/codes.h"
#include "formats/tflite/options_tables.h"
#include "formats/tflite/writer.h"

namespace edgetwin::tflite {
namespace {

using Vector = flatbuffers::Offset<flatbuffers::Vector<int32_t>>;

schema::Activation code(Activation activation) {
  return static_cast<schema::Activation>(activation);
}
schema::Padding code(const Padding& padding) {
  return padding.kind == Padding::Kind::valid ? schema::Padding::VALID : schema::Padding::SAME;
}
schema::TensorType code(DType type) { return static_cast<schema::TensorType>(code_of(type)); }
template <class Number>
requires std::is_arithmetic_v<Number> Number code(Number number) { return number; }

// Vectors must be written before their table; no options have more than one.
template <class Member>
void write_vector(flatbuffers::FlatBufferBuilder& builder, const Member& member, Vector& vector) {
  if constexpr (std::is_same_v<Member, std::vector<int32_t>>) {
    if (!member.empty()) vector = builder.CreateVector(member);
  }
}

// Adds a field by its function of the table's builder, which knows the type in the file.
template <class Builder, class Stored, class Member>
void add(Builder& to, void (Builder::*field)(Stored), const Member& member, Vector vector) {
  if constexpr (std::is_same_v<Stored, Vector>) {
    (to.*field)(vector);
  } else {
    (to.*field)(static_cast<Stored>(code(member)));
  }
}

#define FIELD(name) NAMED(name, name)
#define SOME(name) NAMED(name, name)
#define NAMED(member, name) write_vector(builder, a.member, vector);
#define OPTIONS(Attributes, fields)                                          \
  Vector vector_of([[maybe_unused]] flatbuffers::FlatBufferBuilder& builder, \
                   [[maybe_unused]] const Attributes& a) {                   \
    Vector vector;                                                           \
    fields return vector;                                                    \
  }
#include "formats/tflite/options.def"
#undef OPTIONS
#undef NAMED
#undef SOME

#define NAMED(member, name) add(to, &Builder::add_##name, a.member, vector);
#define SOME(name) \
  if constexpr (requires { &Builder::add_##name; }) NAMED(name, name)
#define OPTIONS(Attributes, fields)                                            \
  template <class Builder>                                                     \
  void put([[maybe_unused]] Builder& to, [[maybe_unused]] const Attributes& a, \
           [[maybe_unused]] Vector vector) {                                   \
    fields                                                                     \
  }
#include "formats/tflite/options.def"
#undef OPTIONS
#undef SOME
#undef NAMED
#undef FIELD

template <class Options, class A>
WrittenOptions options_of(flatbuffers::FlatBufferBuilder& builder, const A& attrs) {
  if constexpr (std::is_same_v<Options, table::NONE>) {
    return {};
  } else {
    const Vector vector = vector_of(builder, attrs);
    typename Options::Builder to(builder);
    put(to, attrs, vector);
    constexpr auto kType = schema::OperatorOptionsTraits<Options>::enum_value;
    return {static_cast<uint8_t>(kType), to.Finish().o};
  }
}

// What the options have room for and a file does not.
Status check_options(const Op& op, const std::string& label) {
  const auto fail = [&](const std::string& what) {
    return Error(ErrorCode::tflite_write, what).in_layer(label);
  };
  const Padding* padding = nullptr;
  if (const auto* conv = std::get_if<Conv2DAttrs>(&op.attrs)) padding = &conv->padding;
  if (const auto* pool = std::get_if<PoolAttrs>(&op.attrs)) padding = &pool->padding;
  if (const auto* conv = std::get_if<TransposeConvAttrs>(&op.attrs)) padding = &conv->padding;
  if (padding != nullptr && padding->kind == Padding::Kind::given) {
    return fail("padding in rows and columns; a file knows SAME and VALID");
  }
  if (const auto* dense = std::get_if<FullyConnectedAttrs>(&op.attrs)) {
    const int format = dense->weights_format;
    if (format < INT8_MIN || format > INT8_MAX) return fail("weights format outside of a byte");
  }
  return Ok{};
}

}  // namespace

Result<WrittenOptions> write_options(flatbuffers::FlatBufferBuilder& builder, const Op& op,
                                     const std::string& label) {
  EDGETWIN_TRY(check_options(op, label));
  switch (op.kind) {
#define RANGE(min, max)
#define OP(kind_, Attrs_, inputs_, outputs_, builtin_, options_) \
  case OpKind::kind_:                                            \
    return options_of<table::options_>(builder, op.as<Attrs_>());
#include "graph/op.def"
#undef OP
#undef RANGE
  }
  return Error(ErrorCode::internal, "an operator kind outside of op.def").in_layer(label);
}

}  // namespace edgetwin::tflite
