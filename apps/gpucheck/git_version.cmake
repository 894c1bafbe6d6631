# cmake -Dsource_dir=… -Dproject_version=… -Dtemplate=… -Doutput=… -P git_version.cmake
#   Writes <output> from <template>, only when its text changes: "1.2.0-3-gabc1234" after
#   a tag v1.2.0, "0.1.0+gabc1234" where no tag is, the bare project version without git.
function(git_describe result)
  execute_process(COMMAND git describe ${ARGN} WORKING_DIRECTORY ${source_dir}
                  OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(text "")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

git_describe(from_tag --tags --dirty --match "v[0-9]*")
git_describe(from_commit --always --dirty --exclude "*")
if(from_tag)
  string(SUBSTRING "${from_tag}" 1 -1 version)
elseif(from_commit)
  set(version "${project_version}+g${from_commit}")
else()
  set(version "${project_version}")
endif()
configure_file(${template} ${output} @ONLY)
