// Writes the documents that are made from tables: make_docs FOLDER.
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "ops/support.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_docs FOLDER\n");
    return 2;
  }
  const auto path = std::filesystem::path(argv[1]) / "supported-ops.md";
  const auto written =
      edgetwin::write_file(path, edgetwin::ops::supported_ops_markdown(), edgetwin::Overwrite::yes);
  if (written.ok()) return 0;
  std::fputs(edgetwin::to_text(written.error()).c_str(), stderr);
  return 4;
}
