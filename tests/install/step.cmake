# step(command...): runs a command and ends the test with what it printed if it fails.
function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE printed
                  ERROR_VARIABLE printed)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${printed}\nexit code ${result}")
  endif()
  set(STEP_OUTPUT "${printed}" PARENT_SCOPE)
endfunction()

# check_client(program): the client runs and says what it must say.
function(check_client program)
  step(${program})
  if(NOT STEP_OUTPUT STREQUAL "edgetwin ${VERSION}\n")
    message(FATAL_ERROR "the client printed\n${STEP_OUTPUT}")
  endif()
endfunction()
