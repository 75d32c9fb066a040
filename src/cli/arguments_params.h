// The arguments of `params list`, `params build`, `params extract` and `patch`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace edgetwin::cli {

struct ParamsListArguments {
  std::string model, reference;
};

struct ParamsBuildArguments {
  std::string reference, like, output;
  bool force = false;
};

struct ParamsExtractArguments {
  std::string model, reference, output;
  bool force = false;
};

struct ParamsArguments {
  ParamsListArguments list;
  ParamsBuildArguments build;
  ParamsExtractArguments extract;
};

struct PatchArguments {
  std::string model, reference, output;
  std::vector<std::string> weights, bias, scale;  // LAYER=FILE; scale also LAYER=NUMBER
  bool force = false;
};

void add_params(CLI::App& app, ParamsArguments& a);
void add_patch(CLI::App& app, PatchArguments& a);

}  // namespace edgetwin::cli
