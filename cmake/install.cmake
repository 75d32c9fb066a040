# `cmake --install`: program, shared library, headers, package files, man pages, shell completion,
# documents. Nothing of tests/ is installed; some of the tests link code under the GPL.
install(TARGETS edgetwin RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(EDGETWIN_SHARED)
  include(install_library)
endif()

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
