# Run by CPack in each package's own folder, before that becomes an archive.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
file(READ ${root}/share/doc/gpucheck/copyright copyright)
if(copyright MATCHES "==== ([^\n]*)\n\nNo notice was found")
  message(FATAL_ERROR "gpucheck: /usr/share/doc/${CMAKE_MATCH_1}/copyright was not there, and the package would lack what "
                      "a licence demands. Configure and build where these files are kept, then try again.")
endif()
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

# What Debian's policy wants besides: a changelog, compressed pages, and a reason for what is not done.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where it is set
file(WRITE ${root}/share/doc/gpucheck/changelog
     "gpucheck (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * Built from the sources of this version.\n\n"
     " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(GLOB_RECURSE pages ${root}/share/man/*)
execute_process(COMMAND gzip -9n ${root}/share/doc/gpucheck/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${root}/share/lintian/overrides/gpucheck
     "# Stacks that gpucheck records name files and lines.\ngpucheck: unstripped-binary-or-object [usr/bin/gpucheck]\n"
     "# The program starts on nodes that have no libraries but the system's.\ngpucheck: embedded-library zlib [usr/bin/gpucheck]\n")
# Where Debian's zsh looks.
file(MAKE_DIRECTORY ${root}/share/zsh)
file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
