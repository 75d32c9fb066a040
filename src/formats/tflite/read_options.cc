#include <cmath>

#include "formats/tflite/codes.h"
#include "formats/tflite/options_tables.h"
#include "formats/tflite/reader.h"

namespace edgetwin::tflite {
namespace {

// Where options are, for errors; and the conversions that can fail.
class Context {
 public:
  Context(Source& source, const void* at, const std::string& label)
      : source_(source), at_(at), label_(label) {}

  Error bad(ErrorCode code, const std::string& message, const char* field) const {
    return source_.error(code, message, at_, label_ + " " + field);
  }
  Status set(Activation& to, schema::Activation from, const char* field) const {
    if (from < schema::Activation::MIN || from > schema::Activation::MAX) {
      return unknown(field, static_cast<int>(from));
    }
    to = static_cast<Activation>(from);
    return Ok{};
  }
  Status set(Padding& to, schema::Padding from, const char* field) const {
    if (from < schema::Padding::MIN || from > schema::Padding::MAX) {
      return unknown(field, static_cast<int>(from));
    }
    to.kind = from == schema::Padding::SAME ? Padding::Kind::same : Padding::Kind::valid;
    return Ok{};
  }
  Status set(DType& to, schema::TensorType from, const char* field) const {
    const auto type = dtype_from_code(static_cast<int>(from));
    if (!type) {
      return bad(ErrorCode::tflite_type, "type code " + std::to_string(static_cast<int>(from)),
                 field);
    }
    to = *type;
    return Ok{};
  }
  Status set(bool& to, bool from, const char*) const {
    to = from;
    return Ok{};
  }
  // Numbers, and enumerations that are kept as numbers.
  template <class From>
  Status set(int& to, From from, const char*) const {
    to = static_cast<int>(from);
    return Ok{};
  }
  Status set(float& to, float from, const char* field) const {
    if (!std::isfinite(from)) return bad(ErrorCode::bad_value, "not a finite number", field);
    to = from;
    return Ok{};
  }
  Status set(std::vector<int32_t>& to, const flatbuffers::Vector<int32_t>* from,
             const char* field) const {
    if (from == nullptr) return Ok{};
    EDGETWIN_TRY(source_.charge(uint64_t{from->size()} * sizeof(int32_t), at_, field));
    to.assign(from->begin(), from->end());
    return Ok{};
  }

 private:
  Error unknown(const char* field, int value) const {
    return bad(ErrorCode::bad_value, "the value " + std::to_string(value) + " is unknown", field);
  }
  Source& source_;
  const void* at_;
  const std::string& label_;
};

#define NAMED(member, name) EDGETWIN_TRY(in.set(a.member, o.name(), #name));
#define FIELD(name) NAMED(name, name)
#define SOME(name) \
  if constexpr (requires { o.name(); }) NAMED(name, name)
#define OPTIONS(Attributes, fields)                                                  \
  template <class Options>                                                           \
  Status fill([[maybe_unused]] const Context& in, [[maybe_unused]] const Options& o, \
              [[maybe_unused]] Attributes& a) {                                      \
    fields return Ok{};                                                              \
  }
#include "formats/tflite/options.def"
#undef OPTIONS
#undef SOME
#undef FIELD
#undef NAMED

template <class Options>
constexpr schema::OperatorOptions type_of() {
  if constexpr (std::is_same_v<Options, table::NONE>) {
    return schema::OperatorOptions::NONE;
  } else {
    return schema::OperatorOptionsTraits<Options>::enum_value;
  }
}

// Absent options mean that all have their default values.
template <class Options, class A>
Result<Attrs> options_of(Source& source, const schema::Operator& op, const std::string& label) {
  A attrs;
  // Nothing hangs on the options of these, and there are writers that number their tables wrongly.
  if constexpr (std::is_same_v<A, NoAttrs>) return Attrs(attrs);
  const auto found = op.options_type();
  if (found == schema::OperatorOptions::NONE) return Attrs(std::move(attrs));
  if (found != type_of<Options>()) {
    return source.error(ErrorCode::bad_value,
                        "options of type " + std::to_string(static_cast<int>(found)) + ", " +
                            std::to_string(static_cast<int>(type_of<Options>())) +
                            " belongs to the operator",
                        &op, label + " builtin_options_type");
  }
  if constexpr (!std::is_same_v<Options, table::NONE>) {
    if (const auto* options = static_cast<const Options*>(op.options())) {
      EDGETWIN_TRY(fill(Context(source, options, label), *options, attrs));
    }
  }
  return Attrs(std::move(attrs));
}

}  // namespace

Result<Attrs> read_options(Source& source, OpKind kind, const schema::Operator& op,
                           const std::string& label) {
  switch (kind) {
#define RANGE(min, max)
#define OP(kind_, Attrs_, inputs_, outputs_, builtin_, options_) \
  case OpKind::kind_:                                            \
    return options_of<table::options_, Attrs_>(source, op, label);
#include "graph/op.def"
#undef OP
#undef RANGE
  }
  return Error(ErrorCode::internal, "an operator kind outside of op.def");
}

}  // namespace edgetwin::tflite
