#include "cli/verbs.h"

namespace edgetwin::cli {

#define VERB(folder, name) Verb verb_##name();
#include "cli/verbs.def"
#undef VERB

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
#define VERB(folder, name) verb_##name(),
#include "cli/verbs.def"
#undef VERB
  };
  return all;
}

}  // namespace edgetwin::cli
