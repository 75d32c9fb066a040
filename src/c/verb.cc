#include "c/verb.h"

#include <algorithm>

#include "base/file.h"
#include "cli/shared/parser.h"
#include "cli/verbs.h"

namespace edgetwin::c {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> command_line(std::vector<std::string> words, const Options& options) {
  words.insert(words.begin(), "edgetwin");
  for (const auto& [key, value] : options) {
    const bool flag = value.empty() || value == "true";
    words.push_back("--" + key + (flag ? "" : "=" + value));
  }
  words.emplace_back("--json");
  return words;
}

// A text without the folder's place.
std::string without(std::string text, const fs::path& folder) {
  if (folder.empty()) return text;
  for (const std::string& place :
       {(folder / kResults).string() + "/", folder.string() + "/", folder.string()}) {
    for (size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
      text.erase(at, place.size());
    }
  }
  return text;
}

Error in_place(Error error, const fs::path& folder) {
  error.place.file = without(error.place.file, folder);
  error.message = without(error.message, folder);
  return error;
}

Status collect(const fs::path& folder, edgetwin_document& document) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    EDGETWIN_TRY_ASSIGN(Bytes bytes, read_file(file));
    const std::string name = file.lexically_relative(folder).generic_string();
    if (name == "page.html") {
      document.parts["html"] = std::string(as_text(bytes));
    } else {
      document.files.emplace_back(name, std::move(bytes));
    }
  }
  return Ok{};
}

}  // namespace

Result<std::unique_ptr<edgetwin_document>> run_verb(std::vector<std::string> words,
                                                    const Options& options,
                                                    const fs::path& scratch) {
  const std::vector<std::string> line = command_line(std::move(words), options);
  std::vector<const char*> argv;
  for (const std::string& word : line) argv.push_back(word.c_str());
  cli::Captured captured;
  cli::Parsed parsed = cli::parse(cli::verbs(), static_cast<int>(argv.size()), argv.data());
  if (parsed.error) return *parsed.error;
  if (!parsed.action) return Error(ErrorCode::usage, "these options only ask for help");
  parsed.console.captured = &captured;
  cli::Console console(parsed.console);
  const Result<int> ended = parsed.action(console);
  if (!ended.ok()) return in_place(ended.error(), scratch);
  const int code = *ended;
  if (code > 1 && !captured.errors.empty()) return in_place(captured.errors.front(), scratch);
  auto document = std::make_unique<edgetwin_document>();
  document->verdict = console.finish(code) == 0 ? 0 : 1;
  document->parts["text"] = without(captured.text, scratch);
  document->parts["json"] = without(captured.json, scratch);
  std::error_code none;
  if (!scratch.empty() && fs::exists(scratch / kResults, none)) {
    EDGETWIN_TRY(collect(scratch / kResults, *document));
  }
  return document;
}

Options with_open_options(const std::string& verb, const NetworkState& network,
                          const Options& given) {
  Options all;
  for (const cli::VerbInfo& info : cli::describe(cli::verbs())) {
    if (info.words != verb) continue;
    for (const auto& option : network.options) {
      const bool known = std::any_of(info.options.begin(), info.options.end(), [&](const auto& o) {
        return ("," + o.names + ",").find(",--" + option.first + ",") != std::string::npos;
      });
      const bool again = std::any_of(given.begin(), given.end(),
                                     [&](const auto& g) { return g.first == option.first; });
      // `info` takes a chip only where the file leaves it open.
      const bool open = network.network.kind() == FileKind::max78;
      const bool useful = verb != "info" || option.first != "target" || open;
      if (known && !again && useful) all.push_back(option);
    }
  }
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

Result<std::string> file_of(const NetworkState& network, const ScratchFolder& folder) {
  std::error_code failed;
  if (network.is_file && fs::exists(network.name, failed)) return network.name;
  const std::string name = fs::path(network.name).filename().string();
  const fs::path path = folder.path() / (name.empty() ? "network" : name);
  EDGETWIN_TRY(write_file(path, ByteSpan(network.bytes), Overwrite::yes));
  return path.string();
}

}  // namespace edgetwin::c
