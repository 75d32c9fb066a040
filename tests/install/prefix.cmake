# Builds what is installed, installs it into an empty prefix, looks for each file, and runs the
# installed program.
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

step(${CMAKE_COMMAND} --build ${BUILD} --target edgetwin edgetwin_shared edgetwin_cxx_shared docs_man completions)
file(REMOVE_RECURSE ${PREFIX})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})

foreach(file bin/edgetwin ${LIBDIR}/libedgetwin.so ${LIBDIR}/libedgetwin.so.0
        ${LIBDIR}/libedgetwin.so.${VERSION} ${LIBDIR}/cmake/edgetwin/edgetwinConfig.cmake
        ${LIBDIR}/cmake/edgetwin/edgetwinConfigVersion.cmake ${LIBDIR}/pkgconfig/edgetwin.pc
        ${LIBDIR}/pkgconfig/edgetwin_cxx.pc ${LIBDIR}/libedgetwin_cxx.so.0
        ${LIBDIR}/edgetwin/cipher-${VERSION}.so ${LIBDIR}/edgetwin/http-${VERSION}.so ${LIBDIR}/edgetwin/npz-${VERSION}.so
        ${LIBDIR}/edgetwin/onnx-${VERSION}.so
        include/edgetwin/version.h share/doc/edgetwin/LICENSE share/doc/edgetwin/THIRD-PARTY.md
        share/doc/edgetwin/copyright share/doc/libedgetwin0/copyright
        lib/python3/dist-packages/edgetwin/_abi.py lib/python3/dist-packages/tflite_runtime/interpreter.py
        lib/udev/rules.d/60-edgetwin-coral.rules share/doc/edgetwin/docs/cli.md share/man/man1/edgetwin.1
        share/bash-completion/completions/edgetwin share/zsh/vendor-completions/_edgetwin
        share/fish/vendor_completions.d/edgetwin.fish)
  if(NOT EXISTS ${PREFIX}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

# Every public header is there, and nothing is that only tests may link.
file(GLOB_RECURSE headers RELATIVE ${SOURCE}/include ${SOURCE}/include/*.h)
foreach(header IN LISTS headers)
  if(NOT EXISTS ${PREFIX}/include/${header})
    message(FATAL_ERROR "not installed: include/${header}")
  endif()
endforeach()
file(GLOB_RECURSE static_libraries ${PREFIX}/*.a)
file(GLOB programs RELATIVE ${PREFIX}/bin ${PREFIX}/bin/*)
if(static_libraries OR NOT programs STREQUAL "edgetwin")
  message(FATAL_ERROR "installed by mistake: ${static_libraries} ${programs}")
endif()

step(${PREFIX}/bin/edgetwin --version)
if(NOT STEP_OUTPUT MATCHES "^edgetwin ${VERSION}\n")
  message(FATAL_ERROR "--version: ${STEP_OUTPUT}")
endif()

# A module is found beside the installed program, and its absence is an error with the places that were looked at.
set(network ${SOURCE}/tests/cases/files/net.onnx)
step(${PREFIX}/bin/edgetwin info ${network})
set(module ${PREFIX}/${LIBDIR}/edgetwin/onnx-${VERSION}.so)
file(RENAME ${module} ${module}.away)
execute_process(COMMAND ${PREFIX}/bin/edgetwin info ${network} RESULT_VARIABLE result ERROR_VARIABLE printed)
file(RENAME ${module}.away ${module})
if(NOT result EQUAL 4 OR NOT printed MATCHES "error\\[DEV-ENV-01\\]: the module 'onnx' cannot be loaded: there is no onnx-${VERSION}.so" OR
   NOT printed MATCHES "looked for ${module}\n")
  message(FATAL_ERROR "without the module of ONNX: exit code ${result}\n${printed}")
endif()
