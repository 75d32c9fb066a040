# B6: configures a project that contains this one, and builds what reads files of this source tree:
# the generated headers and the check of the dependency table.
# cmake -DSOURCE=DIR -DWORK=DIR -DGENERATOR=NAME -DCXX=FILE -P add_subdirectory.cmake
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/parent -B ${WORK} -G ${GENERATOR}
     -DCMAKE_CXX_COMPILER=${CXX} -DEDGETWIN_SOURCE=${SOURCE})
step(${CMAKE_COMMAND} --build ${WORK} --target generated_headers check_includes)
