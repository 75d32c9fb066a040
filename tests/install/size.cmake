# The program without its symbols stays small: docs/performance.md, "Program".
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(MAKE_DIRECTORY ${WORK})
set(stripped ${WORK}/edgetwin)
step(${STRIP} -o ${stripped} ${PREFIX}/bin/edgetwin)
file(SIZE ${stripped} bytes)
if(bytes GREATER ${LIMIT})
  message(FATAL_ERROR "the stripped program has ${bytes} bytes, the limit is ${LIMIT}. `nm --size-sort -S -C` of the program "
                      "names what is large; templates for every numerics and -O2 or -O3 folders cost most.")
endif()
message(STATUS "the stripped program: ${bytes} bytes, the limit is ${LIMIT}")
