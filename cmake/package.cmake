# `cpack -G DEB`: edgetwin, edgetwin-modules, libedgetwin0, libedgetwin-dev, python3-edgetwin, python3-edgetwin-compat.
# docs/packaging.md shows how they were tried.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME edgetwin)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "bit-exact twins of neural network accelerators")
set(about
"edgetwin computes what a chip computes, bit for bit, from the files that the
chip loads. It reads, checks, runs, compares and writes networks for the Coral
Edge TPU, the MAX78000 and MAX78002, and the ESP32-S3 and ESP32-P4 with ESP-DL,
and it quantizes ONNX networks for them.
.
")
set(CPACK_PACKAGE_VENDOR "edgetwin")
set(CPACK_PACKAGE_CONTACT "The edgetwin authors <authors@edgetwin.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program modules library development python python_compat)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # otherwise that of this machine's dpkg
endif()
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# edgetwin_package(component NAME name SECTION section SUMMARY text [DEPENDS text] [ALL])
function(edgetwin_package component)
  cmake_parse_arguments(arg "ALL" "NAME;SECTION;SUMMARY;DEPENDS;CONFLICTS" "" ${ARGN})
  string(TOUPPER ${component} c)
  set(values PACKAGE_NAME "${arg_NAME}" PACKAGE_SECTION "${arg_SECTION}" PACKAGE_DEPENDS "${arg_DEPENDS}"
      PACKAGE_CONFLICTS "${arg_CONFLICTS}" PACKAGE_PROVIDES "${arg_CONFLICTS}")
  while(values)
    list(POP_FRONT values key value)
    set(CPACK_DEBIAN_${c}_${key} "${value}" PARENT_SCOPE)
  endwhile()
  set(CPACK_DEBIAN_${c}_DESCRIPTION "${about}${arg_SUMMARY}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${c}_DESCRIPTION "${about}${arg_SUMMARY}" PARENT_SCOPE)
  if(arg_ALL)
    set(CPACK_DEBIAN_${c}_PACKAGE_ARCHITECTURE all PARENT_SCOPE)
  else()
    set(CPACK_DEBIAN_${c}_PACKAGE_SHLIBDEPS ON PARENT_SCOPE)
  endif()
endfunction()

set(modules "edgetwin-modules (= ${PROJECT_VERSION})")
edgetwin_package(program NAME edgetwin SECTION science DEPENDS "${modules}"
                 SUMMARY "This package contains the program.")
edgetwin_package(modules NAME edgetwin-modules SECTION libs
                 SUMMARY "This package contains what program and libraries load when they use it.")
edgetwin_package(library NAME libedgetwin0 SECTION libs DEPENDS "${modules}"
                 SUMMARY "This package contains the shared libraries.")
edgetwin_package(development NAME libedgetwin-dev SECTION libdevel DEPENDS "libedgetwin0 (= ${PROJECT_VERSION})"
                 SUMMARY "This package contains the headers for C and C++.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
edgetwin_package(python NAME python3-edgetwin SECTION python ALL
                 DEPENDS "python3:any, python3-numpy, libedgetwin0 (>= ${PROJECT_VERSION})"
                 SUMMARY "This package contains the Python package.")
edgetwin_package(python_compat NAME python3-edgetwin-compat SECTION python ALL
                 DEPENDS "python3:any, python3-edgetwin (>= ${PROJECT_VERSION})"
                 CONFLICTS "python3-tflite-runtime, python3-pycoral"
                 SUMMARY "This package contains tflite_runtime, ai_edge_litert and pycoral.")

# The loader's cache, and what programs that link the library depend on.
set(control ${PROJECT_BINARY_DIR}/debian/library)
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
file(WRITE ${control}/shlibs "libedgetwin 0 libedgetwin0 (>= ${PROJECT_VERSION})\n"
                             "libedgetwin_cxx 0 libedgetwin0 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${control}/triggers ${control}/shlibs)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/compress_manual.cmake)
include(CPack)
