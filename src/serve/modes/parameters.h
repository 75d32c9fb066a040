// Parameters of a mode as a schema that the page draws controls from, and values that hold to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace edgetwin::serve {

struct Parameter {
  enum class Kind : uint8_t { select, number, range, checkbox };
  std::string name;
  Kind kind = Kind::select;
  std::string label;
  Json initial;
  std::vector<Json> options = {};  // of select
  double least = 0, most = 0;      // of number and range
  bool whole = false;              // of number: without a fraction
};

Parameter select(std::string name, std::string label, std::vector<Json> options, Json initial);
Parameter number(std::string name, std::string label, double least, double most, double initial);
Parameter whole_number(std::string name, std::string label, int least, int most, int initial);
Parameter range(std::string name, std::string label, double least, double most, double initial);
Parameter checkbox(std::string name, std::string label, bool initial);

// {"image_size": {"type": "select", "label": …, "default": 64, "options": [64, 128]}, …}
Json schema_of(const std::vector<Parameter>& parameters);

// Values of all parameters of a schema, as an object.
class ParameterValues {
 public:
  // What is missing has its default. Error: bad_value, with the messages of all values that are
  // wrong, joined by "; ".
  static Result<ParameterValues> make(const std::vector<Parameter>& parameters, const Json& given);

  const Json& json() const { return values_; }
  int integer(std::string_view name) const;
  double real(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;

 private:
  Json values_ = Json::object();
};

}  // namespace edgetwin::serve
