#include "cli/verbs.h"

#include "cli/networks/verb_target.h"
#include "targets/document.h"

namespace edgetwin::cli {

#define VERB(folder, name, meets) Verb verb_##name();
#include "cli/verbs.def"
#undef VERB

namespace {

// Before the verb itself: does the target that was named, or the chip of the file, have it, and do
// the options mean something for the file?
void add_target_check(Verb& verb, const std::string& top) {
  if (verb.declare) {
    verb.declare = [inner = verb.declare, top](OptionSet& options) -> Action {
      Action action = inner(options);
      const std::shared_ptr<const GivenTarget> given = options.given_target();
      return [action = std::move(action), given, top](Console& console) -> Result<int> {
        EDGETWIN_TRY(check_given(top, *given));
        return action(console);
      };
    };
  }
  for (Verb& below : verb.verbs) add_target_check(below, top);
}

Verb with_targets(Verb verb, bool meets) {
  verb.meets_targets = meets;
  if (!meets) return verb;
  verb.notes += (verb.notes.empty() ? "" : "\n") + targets::verb_text(verb.name);
  verb.notes.pop_back();
  add_target_check(verb, verb.name);
  return verb;
}

constexpr bool targets = true;
constexpr bool none = false;

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
#define VERB(folder, name, meets) with_targets(verb_##name(), meets),
#include "cli/verbs.def"
#undef VERB
  };
  return all;
}

}  // namespace edgetwin::cli
