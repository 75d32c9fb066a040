// Networks of the robotics modules, made from formulas: no training, no calibration. Weights are
// given or computed, and the quantization of every tensor follows from them. docs/templates.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"

namespace edgetwin::edgetpu::templates {

// One struct of arguments for each template of templates.def.
#define EDGETWIN_LIST_OF(...) \
  { __VA_ARGS__ }
#define TEMPLATE(name, Struct, text) struct Struct {
#define INTEGER(name, initial, least, most, text) int name = initial;
#define NUMBER(name, initial, text) double name = initial;
#define WORD(name, initial, text) std::string name = initial;
#define LIST(name, values, text) std::vector<double> name = EDGETWIN_LIST_OF values;
#define WEIGHTS(name, text) std::vector<int8_t> name = {};
#define END(Struct) \
  }                 \
  ;
#include "targets/edgetpu/templates/templates.def"
#include "targets/edgetpu/templates/undefine.h"
#undef EDGETWIN_LIST_OF

// What stands beside a model in its side-car file, in the order of the file.
using MetadataValue = std::variant<bool, int64_t, double, std::string, std::vector<double>>;
using Metadata = std::vector<std::pair<std::string, MetadataValue>>;

struct Template {
  Model model;
  Metadata metadata;
};

// Error: template_argument.
#define TEMPLATE(name, Struct, text) Result<Template> build(const Struct& arguments);
#define INTEGER(name, initial, least, most, text)
#define NUMBER(name, initial, text)
#define WORD(name, initial, text)
#define LIST(name, values, text)
#define WEIGHTS(name, text)
#define END(Struct)
#include "targets/edgetpu/templates/templates.def"
#include "targets/edgetpu/templates/undefine.h"

// The same for callers that have the arguments as text: `value` of WEIGHTS and LIST is comma
// separated. One row per argument.
struct Argument {
  enum class Type : uint8_t { integer, number, word, list, weights };
  std::string_view name;
  Type type;
  bool required;
  std::string initial;
  std::string_view text;
};
struct Kind {
  std::string_view name, text;
  std::vector<Argument> arguments;
};
const std::vector<Kind>& kinds();

// Errors: template_argument, also for unknown names and words that are no numbers.
Result<Template> build(std::string_view kind,
                       const std::vector<std::pair<std::string, std::string>>& arguments);

// The filters of optical_flow: [filter][row][column], largest magnitude 1.
std::vector<float> gabor_bank(int ksize, int orientations, const std::vector<double>& sigmas);

// Where each position of a map lies: x of every column and y of every row, from -1/temperature to
// 1/temperature.
std::vector<float> coordinates(int count, double temperature);

}  // namespace edgetwin::edgetpu::templates
