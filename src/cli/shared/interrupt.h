// What happens on Ctrl-C and its like.
#pragma once

namespace edgetwin::cli {

// From now on SIGINT, SIGTERM and SIGHUP first remove unfinished outputs and then end the program
// as they always do. Call before any thread is started. A signal that the caller had ignored stays
// ignored.
void tidy_up_on_signals();

}  // namespace edgetwin::cli
