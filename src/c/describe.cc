#include "c/options.h"
#include "c/verb.h"

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_network_describe(const edgetwin_network* network,
                                                  edgetwin_document** out, edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require_handle(network, "the network is NULL or was freed"));
    EDGETWIN_TRY_ASSIGN(const ScratchFolder folder, ScratchFolder::make());
    EDGETWIN_TRY_ASSIGN(const std::string file, file_of(*network->state, folder));
    return run_verb({"info", file}, with_open_options("info", *network->state, {}), folder.path());
  });
}

EDGETWIN_EXPORT int32_t edgetwin_explain(const char* id, edgetwin_document** out,
                                         edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require(id != nullptr && *id != '\0', "the id is NULL or empty"));
    return run_verb({"explain", id}, {}, {});
  });
}

}  // extern "C"
