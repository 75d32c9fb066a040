# `cpack -G DEB`: one Debian package with program, library, headers and documents.
# docs/packaging.md shows how it was tried.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME edgetwin)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "bit-exact twins of neural network accelerators")
set(CPACK_PACKAGE_DESCRIPTION
"edgetwin computes what a chip computes, bit for bit, from the files that the
chip loads. It reads, checks, runs, compares and writes networks for the Coral
Edge TPU, the MAX78000 and MAX78002, and the ESP32-S3 and ESP32-P4 with ESP-DL,
and it quantizes ONNX networks for them.
.
This package contains the program, the shared library and its C++ headers.")
set(CPACK_PACKAGE_VENDOR "edgetwin")
set(CPACK_PACKAGE_CONTACT "The edgetwin authors <edgetwin@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
