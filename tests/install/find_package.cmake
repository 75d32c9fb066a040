# A project of its own finds the package in the prefix, builds its program and runs it.
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/client -B ${WORK} -G ${GENERATOR}
     -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${PREFIX})
step(${CMAKE_COMMAND} --build ${WORK})
check_client(${WORK}/client)
