// How a verb declares its options. The parser, the help, the manual pages and the completion of
// shells are made of these declarations. CLI11 is included in three files of this folder only: it
// takes a compiler seconds per file, and it does not keep what completion needs (the choices, and
// whether a value is a file).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/output.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace edgetwin::cli {

struct Verb;

enum class ValueKind : uint8_t { none, text, file, folder };

// What the command line says about the chip: --target, and the files among the words by position.
struct GivenTarget {
  std::string target;  // empty: none
  std::vector<std::string> files;
  std::vector<std::string> options = {};  // long names of those that were given
  std::vector<std::string> unknown = {};  // words that keep_unknown() kept
  std::vector<std::string> known = {};    // the long names of all options of the verb
  std::vector<std::string> words = {};    // by position, source() too
  std::vector<std::string> outputs = {};  // places that are written
};

// What was declared, for texts about it.
struct OptionInfo {
  std::string names;  // "-o,--output"; of a positional "MODEL"
  std::string value;  // the word for its value, "FILE"; empty: none
  std::string help;   // a line that begins with two blanks stays a line; all others are wrapped
  std::string group;  // empty: the general options
  ValueKind kind = ValueKind::none;
  std::vector<std::string> choices;
  bool positional = false, required = false, several = false;
  bool source = false;  // of a positional: what another is made of, for whatever chip
};

// One declaration, to be made narrower. A value that a check refuses is wrong use.
class OptionHandle {
 public:
  OptionHandle(CLI::Option* option, OptionInfo* info) : option_(option), info_(info) {}

  OptionHandle& required();
  OptionHandle& not_empty();
  OptionHandle& not_negative();  // and finite
  OptionHandle& positive();
  OptionHandle& range(int least, int most);
  OptionHandle& range(double least, double most);
  OptionHandle& choices(const std::vector<std::string>& words);
  OptionHandle& one_of(const std::vector<int>& numbers);
  // `refusal` gives why a word is refused; empty: it is accepted.
  OptionHandle& check(std::function<std::string(const std::string&)> refusal);
  // Only together with the other, or never together with it.
  OptionHandle& needs(const OptionHandle& other);
  OptionHandle& excludes(const OptionHandle& other);
  // What completion offers for the value.
  OptionHandle& kind(ValueKind kind);
  // A word by position whose kind does not tell the chip: something else is made of it.
  OptionHandle& source();

 private:
  CLI::Option* option_;
  OptionInfo* info_;
};

class OptionSet {
 public:
  // `table`: all verbs of the program.
  OptionSet(CLI::App& app, const std::vector<Verb>& table);
  // The same verb; options declared through the result are listed under `title`.
  OptionSet in_group(const std::string& title) const;

  // Words by position.
  OptionHandle positional(const std::string& name, std::string& value, const std::string& help);
  OptionHandle positional(const std::string& name, std::vector<std::string>& values,
                          const std::string& help);
  // An option with one value; `word` is what the help shows for it.
  OptionHandle text(const std::string& names, std::string& value, const std::string& word,
                    const std::string& help);
  // The name of a file or folder, not empty.
  OptionHandle file(const std::string& names, std::string& value, const std::string& help);
  OptionHandle folder(const std::string& names, std::string& value, const std::string& help);
  // The same for a place that is written.
  OptionHandle file(const std::string& names, Output& value, const std::string& help);
  OptionHandle folder(const std::string& names, Output& value, const std::string& help);
  OptionHandle output(const std::string& names, Output& value, const std::string& word,
                      const std::string& help);
  // The name that an option had before: taken, but in no help.
  OptionHandle formerly(const std::string& name, Output& value);
  // --target: a chip by name or alias, kept under the name that targets.def has. Which chips have
  // the verb is checked for all verbs in one place (verbs.cc).
  OptionHandle target(std::string& value, const std::string& help);
  // --force: of all places of this verb that are written, those that are declared later too.
  OptionHandle force(const std::string& help);
  // One value each time that the option is given.
  OptionHandle repeated(const std::string& names, std::vector<std::string>& values,
                        const std::string& word, const std::string& help);
  // One or more values each time.
  OptionHandle several(const std::string& names, std::vector<std::string>& values,
                       const std::string& word, const std::string& help);
  // "a,b,c"
  OptionHandle list(const std::string& names, std::vector<std::string>& values,
                    const std::string& word, const std::string& help);
  OptionHandle list(const std::string& names, std::vector<float>& values, const std::string& word,
                    const std::string& help);
  // int, uint64_t, double, and optional int, int64_t, float, double.
  template <class T>
  OptionHandle number(const std::string& names, T& value, const std::string& word,
                      const std::string& help);
  OptionHandle flag(const std::string& names, bool& value, const std::string& help);
  // "--on,!--off"; nothing if neither is given.
  OptionHandle flag(const std::string& names, std::optional<bool>& value, const std::string& help);
  // An option whose value is handed to `set`.
  OptionHandle setting(const std::string& names, std::function<void(const std::string&)> set,
                       const std::string& word, const std::string& help);
  // What the verb does not know is kept in `words` instead of refused: options and their values. A
  // positional with a check takes no word that it refuses, so that values of unknown options stay.
  void keep_unknown(std::vector<std::string>& words);

  // All verbs of the program, for those that write about them.
  const std::vector<Verb>& table() const { return *table_; }
  const std::deque<OptionInfo>& options() const;
  // Filled by finish(); lives as long as it is held.
  std::shared_ptr<const GivenTarget> given_target() const;
  // For the parser, after parsing.
  void finish() const;

 private:
  struct Declared;
  OptionHandle add(CLI::Option* option, OptionInfo info) const;

  CLI::App* app_;
  const std::vector<Verb>* table_;
  std::shared_ptr<Declared> declared_;
  std::string group_;
};

}  // namespace edgetwin::cli
