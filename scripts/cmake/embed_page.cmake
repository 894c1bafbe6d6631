# cmake -DFOLDER=… -DFILES="html css js" -DHEADER=… -DNAMESPACE=… -DOUTPUT=file.cpp -P embed_page.cmake: page.html and so
# on as functions page_html() and so on of the namespace.
set(functions "")
separate_arguments(FILES)
foreach(kind IN LISTS FILES)
  file(READ ${FOLDER}/page.${kind} text)
  string(APPEND functions
         "std::string_view page_${kind}() { return R\"gpucheck_page(${text})gpucheck_page\"; }\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace ${NAMESPACE} {

${functions}
}  // namespace ${NAMESPACE}
")
