# cmake -DFOLDER=… -DOUTPUT=file.cpp -P embed_page.cmake: page.html, page.css and page.js as functions.
set(functions "")
foreach(kind IN ITEMS html css js)
  file(READ ${FOLDER}/page.${kind} text)
  string(APPEND functions
         "std::string_view page_${kind}() { return R\"gpucheck_page(${text})gpucheck_page\"; }\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"replay/page/page_template.hpp\"

namespace gpucheck::replay {

${functions}
}  // namespace gpucheck::replay
")
