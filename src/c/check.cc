#include "c/options.h"
#include "c/verb.h"

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_check(const edgetwin_network* network,
                                       const edgetwin_option* options, size_t n,
                                       edgetwin_document** out, edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    EDGETWIN_TRY_ASSIGN(const Options given, options_of(options, n));
    EDGETWIN_TRY_ASSIGN(const ScratchFolder folder, ScratchFolder::make());
    EDGETWIN_TRY_ASSIGN(const std::string file, file_of(*network->state, folder));
    return run_verb({"check", file}, with_open_options("check", *network->state, given),
                    folder.path());
  });
}

EDGETWIN_EXPORT int32_t edgetwin_diff(const char* path_a, const char* path_b,
                                      const edgetwin_option* options, size_t n,
                                      edgetwin_document** out, edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require(path_a != nullptr && path_b != nullptr, "a path is NULL"));
    EDGETWIN_TRY_ASSIGN(const Options given, options_of(options, n));
    return run_verb({"diff", path_a, path_b}, given, {});
  });
}

}  // extern "C"
