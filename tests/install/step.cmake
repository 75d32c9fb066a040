cmake_minimum_required(VERSION 3.25)

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

# check_client(program): the client computes a picture as it was recorded, sees that another one
# differs, and reports what is not a network.
function(check_client program)
  set(digits ${SOURCE}/models/digits)
  set(arguments ${digits}/digits_int8.tflite ${digits}/pictures/000_3.png)
  step(${program} ${arguments} ${digits}/expected/000_3)
  if(NOT STEP_OUTPUT MATCHES "^edgetwin ${VERSION}\n" OR
     NOT STEP_OUTPUT MATCHES "\nprobabilities: 0 of 10 differ\n$")
    message(FATAL_ERROR "the client printed\n${STEP_OUTPUT}")
  endif()
  execute_process(COMMAND ${program} ${arguments} ${digits}/expected/066_4 RESULT_VARIABLE result
                  OUTPUT_VARIABLE printed)
  if(NOT result EQUAL 1)
    message(FATAL_ERROR "another picture: exit code ${result}\n${printed}")
  endif()
  execute_process(COMMAND ${program} ${digits}/labels.txt ${digits}/pictures/000_3.png ${digits}/expected/000_3
                  RESULT_VARIABLE result ERROR_VARIABLE printed)
  if(NOT result EQUAL 3 OR NOT printed MATCHES "error\\[")
    message(FATAL_ERROR "a file without a network: exit code ${result}\n${printed}")
  endif()
endfunction()
