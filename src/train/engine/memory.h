// What the process does with memory that it has no use for.
#pragma once

namespace edgetwin::train {

// Freed memory stays with the process. The C library gives large blocks back to the system, which
// clears every page of the next one: a tenth of the time of work that needs the same large blocks
// again and again, as training does. For programs, not for libraries: it holds for all threads to
// the end. Nothing happens where the C library has no such switch.
void keep_freed_memory();

}  // namespace edgetwin::train
