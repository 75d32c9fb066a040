// What happens on Ctrl-C and its like.
#pragma once

namespace edgetwin::cli {

// From now on SIGINT, SIGTERM and SIGHUP first remove unfinished outputs and then end the program
// as they always do. Call before any thread is started. A signal that the caller had ignored stays
// ignored.
void tidy_up_on_signals();

// From now on the first such signal only makes stop_was_asked() true: the verb ends at its next
// whole step and gives exit code 130. A second signal ends the program as above.
void stop_gently();
bool stop_was_asked();

}  // namespace edgetwin::cli
