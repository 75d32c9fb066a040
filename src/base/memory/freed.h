// Memory that was freed and stays with the process.
#pragma once

namespace edgetwin {

// Gives the system back all pages of the heap that nothing uses. Allocators keep freed memory for
// the next block, which is faster; where large blocks were freed between smaller ones, the next
// ones do not fit there, and the process has both. Does nothing where the C library has no means
// for it.
void give_back_freed_memory();

}  // namespace edgetwin
