#include "cli/shared/parser.h"

#include <algorithm>
#include <map>
#include <set>

#include <CLI/CLI.hpp>

#include "base/words/example.h"
#include "base/words/near_word.h"
#include "cli/shared/version.h"
#include "targets/document.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

constexpr const char* kAbout =
    "Computes neural networks for small accelerators bit for bit as the chip does.";
constexpr const char* kHelpNames = "-h,--help";
constexpr const char* kHelpText = "This text";
constexpr size_t kNameWidth = 24;

void declare_common(OptionSet& all, ConsoleOptions& console) {
  static const std::map<std::string, Color> kColors = {
      {"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}};
  OptionSet set = all.in_group("Output");
  set.flag("--json", console.json, "One JSON document on standard output, also on failure");
  const OptionHandle quiet = set.flag("-q,--quiet", console.quiet, "Only errors on standard error");
  set.flag("-v,--verbose", console.verbose, "Notes on standard error too").excludes(quiet);
  set.setting(
         "--color", [&console](const std::string& word) { console.color = kColors.at(word); },
         "WHEN", "Colour the words error and warning: auto, always or never;\nNO_COLOR is obeyed")
      .choices({"auto", "always", "never"});
}

std::string footer_of(const Verb& verb) {
  return (verb.notes.empty() ? "" : verb.notes + "\n") + "Example:\n" + shown_example(verb.example);
}

std::string footer_of(const std::vector<Verb>& verbs) {
  std::vector<std::string_view> with_targets;
  for (const Verb& verb : verbs) {
    if (verb.meets_targets) with_targets.push_back(verb.name);
  }
  return targets::matrix_text(with_targets) +
         "\nExit codes: 0 yes, 1 the answer is no, 2 wrong use, 3 unusable input,\n"
         "4 environment, 70 our bug.\nExample:\n  edgetwin info model.tflite";
}

// A verb with the values of its options, while the command line is parsed.
struct Declared {
  OptionSet options;
  Action action;
};

class Parser {
 public:
  Parser(const std::vector<Verb>& verbs, std::set<std::string> given)
      : app_(kAbout, "edgetwin"), verbs_(verbs), given_(std::move(given)) {
    app_.require_subcommand(1);
    app_.set_version_flag(
        "-V,--version", [] { return version_text(); }, "Version, build and formats");
    app_.set_help_flag(kHelpNames, kHelpText);
    app_.footer([&verbs] { return footer_of(verbs); });
    for (const Verb& verb : verbs) add(app_, verb);
  }

  Parsed parse(int argc, const char* const* argv) {
    Parsed parsed;
    try {
      std::vector<std::string> words = words_of(argc, argv);
      std::reverse(words.begin(), words.end());  // as CLI11 takes them
      app_.parse(words);
      refuse_gaps(argc, argv);
      const Declared& chosen = declared_.at(chosen_verb());
      chosen.options.finish();
      parsed.action = chosen.action;
      parsed.console = console();
    } catch (const CLI::CallForHelp&) {
      parsed.text = help();
    } catch (const CLI::CallForVersion& e) {
      parsed.text = tidy(e.what());
    } catch (const CLI::ParseError& e) {
      parsed.error = usage_error(e, argc > 1 ? argv[1] : "");
      const auto is_json = [](std::string_view word) { return word == "--json"; };
      console_.json = std::any_of(argv, argv + argc, is_json);
      parsed.console = console();
    }
    parsed.console.words.assign(argv, argv + argc);
    return parsed;
  }

 private:
  void add(CLI::App& parent, const Verb& verb) {
    CLI::App* app = parent.add_subcommand(verb.name, verb.summary);
    app->group(verb.group.empty() ? "Subcommands" : verb.group);
    app->footer([&verb] { return footer_of(verb); });
    app->get_formatter()->column_width(kNameWidth);
    if (!verb.verbs.empty()) app->require_subcommand(1);
    for (const Verb& below : verb.verbs) add(*app, below);
    // A verb that is not named is not chosen: its options, hundreds in all, are not needed.
    if (!verb.declare || !given_.contains(verb.name)) {
      app->set_help_flag(kHelpNames, kHelpText);
      return;
    }
    OptionSet options(*app, verbs_);
    Action action = verb.declare(options);
    app->set_help_flag(kHelpNames, kHelpText);
    declare_common(options, console_);
    declared_.emplace(app, Declared{options, std::move(action)});
  }

  // The words of the command line. After `--` all are files: one that begins with a minus is named
  // as one of this folder. CLI11's own `--` ends a verb that has no word left to take.
  std::vector<std::string> words_of(int argc, const char* const* argv) const {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const auto mark = std::find(words.begin(), words.end(), "--");
    if (mark == words.end()) return words;
    for (auto word = mark + 1; word != words.end(); ++word) {
      if (word->starts_with('-')) *word = "./" + *word;
    }
    // It ends the values of an option that takes several.
    if (!takes_several(words.begin(), mark)) words.erase(mark);
    return words;
  }

  // CLI11 drops empty words between commas.
  void refuse_gaps(int argc, const char* const* argv) const {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (!word.starts_with("--")) continue;
      const size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      const CLI::Option* option = chosen_verb()->get_option_no_throw(name);
      if (option == nullptr || option->get_delimiter() != ',') continue;
      const std::string list = equals != std::string::npos ? word.substr(equals + 1)
                               : i + 1 < argc              ? argv[i + 1]
                                                           : "";
      const bool gap =
          list.starts_with(',') || list.ends_with(',') || list.find(",,") != std::string::npos;
      if (gap) throw CLI::ValidationError(name, "'" + list + "' has nothing beside a comma");
    }
  }

  using Words = std::vector<std::string>::const_iterator;
  bool takes_several(Words first, Words mark) const {
    const CLI::App* app = &app_;
    for (; first != mark; ++first) {
      const auto below =
          app->get_subcommands([&](const CLI::App* verb) { return verb->get_name() == *first; });
      if (below.empty()) break;
      app = below.front();
    }
    while (mark != first) {
      const CLI::Option* option = app->get_option_no_throw(*--mark);
      if (mark->starts_with('-') && option != nullptr) return option->get_allow_extra_args();
    }
    return false;
  }

  // The verb that was chosen, however deep; the program itself if none was.
  const CLI::App* chosen_verb() const {
    const CLI::App* chosen = &app_;
    while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
    return chosen;
  }

  // "info", "lut build"
  std::string command() const {
    std::string words;
    for (const CLI::App* at = &app_; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      words += (words.empty() ? "" : " ") + at->get_name();
    }
    return words;
  }

  ConsoleOptions console() const {
    ConsoleOptions options = console_;
    options.command = command();
    return options;
  }

  std::string help() const {
    const CLI::App* asked = chosen_verb();
    const CLI::App* above = asked->get_parent();  // "edgetwin lut" of `lut build`
    const bool nested = above != nullptr && above != &app_;
    const std::string before = app_.get_name() + (nested ? " " + above->get_name() : "");
    return tidy(asked->help(asked == &app_ ? "" : before));
  }

  // One empty line between paragraphs, one newline at the end.
  static std::string tidy(std::string text) {
    for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    text.erase(text.find_last_not_of('\n') + 1);
    return text + "\n";
  }

  // `first` is the first word, where the verb should be.
  Error usage_error(const CLI::ParseError& e, const std::string& first) const {
    std::string message = e.what();
    const CLI::App* chosen = chosen_verb();
    if (chosen == &app_) {
      const bool is_option = first.empty() || first[0] == '-';
      if (first.empty()) message = "no verb was given";
      if (!is_option) message = "there is no verb '" + first + "'" + near_verb(app_, first);
    } else {
      // The name of an ExtrasError is that of the verb.
      const bool extras = dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr;
      const std::string word = unknown_verb(*chosen);
      if (word.empty()) {
        message += about_unknown(extras ? "ExtrasError" : e.get_name(), *chosen);
      } else {
        message = "there is no '" + word + "' of " + command() + near_verb(*chosen, word);
      }
    }
    std::replace(message.begin(), message.end(), '\n', ' ');
    const std::string words = command();
    const std::string missing = missing_option(e, *chosen, words);
    return Error(ErrorCode::usage, message)
        .with_hint(missing + "edgetwin" + (words.empty() ? "" : " " + words) +
                   " --help lists the options and ends with an example.");
  }

  // What an option is that is missing, in front of the usual hint.
  static std::string missing_option(const CLI::ParseError& e, const CLI::App& app,
                                    const std::string& words) {
    if (e.get_name() != "RequiredError") return "";
    const std::string text = e.what();
    const std::string name = text.substr(0, text.find(' '));
    if (name == "--target") {
      const std::string with = targets::targets_with(words.substr(0, words.find(' ')), ", ");
      return "Add --target with one of: " + with + ". ";
    }
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option == nullptr) return "";
    std::string help = option->get_description();
    std::replace(help.begin(), help.end(), '\n', ' ');
    return name + ": " + help + (help.ends_with('.') ? " " : ". ");
  }

  // CLI11 says first what is missing, though the word may have been meant for it.
  static std::string about_unknown(const std::string& error, const CLI::App& app) {
    const std::string word = unknown_option(app);
    if (word.empty()) return "";
    const std::string near = near_option(app, word);
    if (error == "ExtrasError") return near;
    if (error != "RequiredError") return "";
    if (!app.get_allow_extras()) return ", and there is no option '" + word + "'" + near;
    return ", and '" + word +
           "' could only be an option of the vendor's loader, for a network .yaml" + near;
  }

  // The word that stands where a verb below `app` should be.
  static std::string unknown_verb(const CLI::App& app) {
    const std::vector<std::string> rest = app.remaining();
    const bool has_verbs = !app.get_subcommands([](const CLI::App*) { return true; }).empty();
    return has_verbs && !rest.empty() && !rest[0].starts_with('-') ? rest[0] : "";
  }

  static std::string unknown_option(const CLI::App& app) {
    for (const std::string& word : app.remaining()) {
      if (word.starts_with('-')) return word.substr(0, word.find('='));
    }
    return "";
  }

  static std::string near_option(const CLI::App& app, const std::string& word) {
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    return did_you_mean(word, known);
  }

  static std::string near_verb(const CLI::App& app, const std::string& word) {
    std::vector<std::string> known;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(verb->get_name());
    }
    return did_you_mean(word, known);
  }

  CLI::App app_;
  const std::vector<Verb>& verbs_;
  std::set<std::string> given_;  // the words of the command line
  ConsoleOptions console_;
  std::map<const CLI::App*, Declared> declared_;
};

void describe_below(const Verb& verb, const std::string& before, const std::vector<Verb>& table,
                    std::vector<VerbInfo>& all) {
  const std::string words = before.empty() ? verb.name : before + " " + verb.name;
  if (verb.declare) {
    CLI::App app;
    OptionSet options(app, table);
    const Action keeps_the_values = verb.declare(options);
    ConsoleOptions console;
    declare_common(options, console);
    all.push_back({words, &verb, {options.options().begin(), options.options().end()}});
  }
  for (const Verb& below : verb.verbs) describe_below(below, words, table, all);
}

}  // namespace

Parsed parse(const std::vector<Verb>& verbs, int argc, const char* const* argv) {
  return Parser(verbs, {argv, argv + argc}).parse(argc, argv);
}

std::vector<VerbInfo> describe(const std::vector<Verb>& verbs) {
  std::vector<VerbInfo> all;
  for (const Verb& verb : verbs) describe_below(verb, "", verbs, all);
  return all;
}

}  // namespace edgetwin::cli
