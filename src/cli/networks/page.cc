#include "cli/networks/page.h"

#include <filesystem>

#include "base/file.h"
#include "twin/report/pages.h"

namespace edgetwin::cli {

Status check_page(const Output& page, const std::vector<std::string>& coming_folders) {
  namespace fs = std::filesystem;
  EDGETWIN_TRY(page.check());
  std::error_code ignored;
  const auto place = [&ignored](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path, ignored) / "", ignored);
  };
  const fs::path folder = fs::absolute(page.path, ignored).parent_path();
  if (fs::is_directory(folder, ignored)) return Ok{};
  for (const std::string& coming : coming_folders) {
    if (!coming.empty() && place(coming) == place(folder)) return Ok{};
  }
  return Error(ErrorCode::file_write, "the folder of the page does not exist")
      .in_file(page.path)
      .with_hint("Make the folder, or name another file.");
}

Result<bool> write_page(const Output& output, const Network& network, const Inputs& inputs,
                        ReportOptions options, Console& console) {
  options.command = console.command_line();
  options.progress = console.progress_sink();
  EDGETWIN_TRY_ASSIGN(const twin::Page page, twin::page_of(network, inputs, options));
  EDGETWIN_TRY(output.write(std::string_view(page.html)));
  console.print("report  " + output.path + "\n" + page.verdict + "\n");
  console.json().merge(page.json).set("page", output.path);
  return page.equal.value_or(true);
}

}  // namespace edgetwin::cli
