# `cmake --install`: program, shared library, headers, package files, man pages, shell completion,
# documents. Nothing of tests/ is installed; some of the tests link code under the GPL.
include(CMakePackageConfigHelpers)

install(TARGETS edgetwin RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS edgetwin_shared EXPORT edgetwinTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/edgetwin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")

# find_package(edgetwin)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/edgetwin)
install(EXPORT edgetwinTargets NAMESPACE edgetwin:: DESTINATION ${config})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/edgetwinConfig.cmake.in
  ${PROJECT_BINARY_DIR}/edgetwinConfig.cmake INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/edgetwinConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/edgetwinConfig.cmake
              ${PROJECT_BINARY_DIR}/edgetwinConfigVersion.cmake DESTINATION ${config})

# pkg-config edgetwin; the file finds its prefix from its own place.
file(RELATIVE_PATH edgetwin_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" edgetwin_prefix ${edgetwin_prefix})
configure_file(${PROJECT_SOURCE_DIR}/cmake/edgetwin.pc.in ${PROJECT_BINARY_DIR}/edgetwin.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/edgetwin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Man pages and completion, which the build makes from the program's own table of verbs.
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL
        FILES_MATCHING PATTERN "*.1")
set(completions ${PROJECT_BINARY_DIR}/completions)
install(FILES ${completions}/edgetwin.bash RENAME edgetwin OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completions}/_edgetwin OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${completions}/edgetwin.fish OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD-PARTY.md
              ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")

# Debian wants one file with this name; the licences that it names are in /usr/share/common-licenses.
set(copyright ${PROJECT_BINARY_DIR}/copyright)
file(READ ${PROJECT_SOURCE_DIR}/THIRD-PARTY.md third_party)
file(CONFIGURE OUTPUT ${copyright} @ONLY CONTENT "edgetwin @PROJECT_VERSION@
Copyright: the edgetwin authors
License: Apache-2.0, the text is in /usr/share/common-licenses/Apache-2.0

@third_party@")
install(FILES ${copyright} DESTINATION ${CMAKE_INSTALL_DOCDIR})
