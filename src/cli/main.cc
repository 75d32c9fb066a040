#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/shared/exit_codes.h"
#include "cli/shared/interrupt.h"
#include "cli/shared/parser.h"
#include "cli/vendor/command_line.h"
#include "cli/vendor/edgetpu_compiler.h"
#include "cli/verbs.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace edgetwin::cli {
namespace {

int run_guarded(const Action& action, Console& console) {
  try {
    const Result<int> result = action(console);
    return result.ok() ? *result : console.error(result.error());
  } catch (const std::bad_alloc&) {
    return console.error(Error(ErrorCode::out_of_memory, "there is not enough memory for this"));
  } catch (const std::exception& e) {
    return console.error(
        Error(ErrorCode::internal, "something happened that must not: " + std::string(e.what()))
            .with_hint("Please send the command line, the file and the output of "
                       "`edgetwin --version`."));
  }
}

// The program under the name of the vendor's compiler has no verbs.
int compiler_program(const std::vector<std::string>& words) {
  ConsoleOptions options;
  options.words = words;
  options.verbose = true;  // what differs from the vendor's program is said
  Console console(options);
  tidy_up_on_signals();
  console.show_activity();
  return console.finish(
      run_guarded([&words](Console& c) { return edgetpu_compiler(words, c); }, console));
}

int program(int argc, const char* const* argv) {
  const std::vector<std::string> given(argv, argv + argc);
  if (is_edgetpu_compiler(given)) return compiler_program(given);
  const Result<std::vector<std::string>> words = own_command_line(given);
  if (!words.ok()) {
    ConsoleOptions options;
    options.words = given;
    options.json = std::ranges::count(options.words, "--json") > 0;
    Console console(options);
    return console.finish(console.error(words.error()));
  }
  std::vector<const char*> own;
  for (const std::string& word : *words) own.push_back(word.c_str());
  const Parsed parsed = parse(verbs(), static_cast<int>(own.size()), own.data());
  if (parsed.action) tidy_up_on_signals();
  Console console(parsed.console);
  if (parsed.error) return console.finish(console.error(*parsed.error));
  if (parsed.action) console.show_activity();
  if (parsed.action) return console.finish(run_guarded(parsed.action, console));
  console.print(parsed.text);
  return console.finish(kYes);
}

}  // namespace
}  // namespace edgetwin::cli

int main(int argc, char** argv) {
#if defined(__GLIBC__)
  // Larger blocks go back to the system when they are freed, and the next one is given page by page
  // again, which takes longer than to read a file into it. Networks have some megabytes.
  constexpr int kKept = 8 << 20;
  mallopt(M_MMAP_THRESHOLD, kKept);
  // The same for what is free at the end of the heap: the system's own limit is 128 KiB there.
  mallopt(M_TRIM_THRESHOLD, 4 * kKept);
#endif
  try {
    return edgetwin::cli::program(argc, argv);
  } catch (...) {
    std::fputs("error[BASE-BUG-01]: something happened that must not\n", stderr);
    return edgetwin::cli::kBug;
  }
}
