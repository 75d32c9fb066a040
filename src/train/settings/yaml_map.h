// A map of a settings file whose keys are taken one by one; what is left over is an error.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/ai8x/yaml_tree.h"
#include "train/rules/rules.h"

namespace edgetwin::train {

inline constexpr int kMostEpochs = 100'000;

class YamlMap {
 public:
  // `what` names the map in messages. Error: `rule`, where the node is not a map.
  static Result<YamlMap> of(const ai8x::YamlNode& node, const std::string& file, std::string what,
                            Rule rule);

  const ai8x::YamlNode* take(const std::string& key);
  // The key with its value must be there.
  Result<const ai8x::YamlNode*> need(const std::string& key);

  // `value` keeps what it has where the key is missing.
  Status integer(const std::string& key, int& value, int least, int most);
  Status integer(const std::string& key, std::optional<int>& value, int least, int most);
  Status number(const std::string& key, double& value, double least, double most);
  Status truth(const std::string& key, bool& value);
  Status text(const std::string& key, std::string& value);
  Status integers(const std::string& key, std::vector<int>& values, int least);
  Status numbers(const std::string& key, std::vector<double>& values);

  // Error where keys were not taken: the first one, with the nearest of those that were asked for.
  Status done() const;

  Error error(const ai8x::YamlNode& at, std::string message) const;
  const std::string& file() const { return file_; }
  const std::string& what() const { return what_; }
  const ai8x::YamlNode& node() const { return *node_; }

 private:
  const ai8x::YamlNode* node_ = nullptr;
  std::string file_, what_;
  Rule rule_ = Rule::setting;
  std::set<std::string> asked_;
};

// Of a scalar that is a finite number; nothing else.
std::optional<double> number_of(const ai8x::YamlNode& node);

}  // namespace edgetwin::train
