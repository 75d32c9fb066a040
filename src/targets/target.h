// The table of targets for the rooms of this project: its rows by id, and refusals as errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edgetwin/target.h"

namespace edgetwin::targets {

// The first column of targets.def: code that treats one chip in its own way names it by this.
enum class Id : uint8_t {
#define TARGET(id, name, family, numerics, aliases, takes, summary) id,
#include "targets/targets.def"
};
const Target& row(Id id);
inline std::string_view name(Id id) { return row(id).name; }
// By name or alias, in any case.
std::optional<Id> find_id(std::string_view name);

// Whether it computes files with this ending (".tflite"), by the column `takes`.
bool takes(const Target& target, std::string_view ending);

// A target that `families` (empty: any) has. Errors: usage where the name is empty, not in the
// table, or of another family; the hint lists the names that fit.
Result<const Target*> require_target(std::string_view name,
                                     const std::vector<Family>& families = {});

// The same for a verb: refused with the reason of the table. Error: usage.
Result<const Target*> require_target_for(std::string_view name, std::string_view verb);

// "max78000 or max78002", in the order of the table; the families in `families` (empty: all).
// `last` stands before the last name.
std::string target_names(const std::vector<Family>& families = {}, std::string_view last = ", ");
// The chips that have a verb.
std::vector<const Target*> having(std::string_view verb);
// "edgetpu, max78000 or max78002"
std::string targets_with(std::string_view verb, std::string_view last = " or ");

// A row of what is lacking: the chips, the verb and the reason.
struct Lack {
  std::vector<const Target*> targets;
  std::string_view verb, reason;
};
const std::vector<Lack>& all_lacks();

}  // namespace edgetwin::targets
