#include "base/file.h"
#include "base/words/near_word.h"
#include "cli/manual/arguments.h"
#include "cli/manual/completion.h"
#include "cli/manual/roff.h"
#include "cli/shared/exit_codes.h"

namespace edgetwin::cli {
namespace {

Result<std::string> page_of(const ManualArguments& a, const std::vector<VerbInfo>& all) {
  if (a.verb.empty()) return program_page(*a.verbs);
  for (const Verb& verb : *a.verbs) {
    if (verb.name == a.verb) return verb_page(verb, all);
  }
  std::vector<std::string> names;
  for (const Verb& verb : *a.verbs) names.push_back(verb.name);
  return Error(ErrorCode::usage, "there is no verb '" + a.verb + "'" + did_you_mean(a.verb, names))
      .with_hint("edgetwin --help lists the verbs.");
}

}  // namespace

Result<int> execute(const ManualArguments& a, Console& console) {
  const std::vector<VerbInfo> all = describe(*a.verbs);
  if (a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(const std::string text, page_of(a, all));
    console.print(text);
    console.json().set("text", text);
    return kYes;
  }
  if (!a.verb.empty()) return Error(ErrorCode::usage, "--output writes the pages of all verbs");
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  EDGETWIN_TRY(folder.write("edgetwin.1", std::string_view(program_page(*a.verbs))));
  for (const Verb& verb : *a.verbs) {
    EDGETWIN_TRY(
        folder.write("edgetwin-" + verb.name + ".1", std::string_view(verb_page(verb, all))));
  }
  EDGETWIN_TRY(folder.commit());
  const size_t pages = a.verbs->size() + 1;
  console.print(a.output.path + ": " + std::to_string(pages) + " pages\n");
  console.json().set("output", a.output.path).set("pages", pages);
  return kYes;
}

Result<int> execute(const CompletionArguments& a, Console& console) {
  const std::string text = completion(a.shell, *a.verbs);
  if (a.output.empty()) {
    console.print(text);
    console.json().set("text", text);
    return kYes;
  }
  EDGETWIN_TRY(a.output.write(std::string_view(text)));
  console.print("wrote " + a.output.path + "\n");
  console.json().set("output", a.output.path);
  return kYes;
}

}  // namespace edgetwin::cli
