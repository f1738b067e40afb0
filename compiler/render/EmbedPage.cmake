# cmake -DFOLDER=page -DSCRIPTS=a.js,b.js -DSTYLES=a.css,b.css -DOUTPUT=PageAssets.cpp -P EmbedPage.cmake: writes the
# files of a page as C++; what PageReport.h declares. The scripts share one scope of their own.
function(read_all names output)
  string(REPLACE "," ";" names "${names}")
  set(text "")
  foreach(name IN LISTS names)
    file(READ "${FOLDER}/${name}" one)
    string(APPEND text "${one}")
  endforeach()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# Compilers limit the length of a literal: a file is many, one after the other.
function(quote text output)
  set(literals "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 part)
    string(APPEND literals "\n      R\"page(${part})page\"")
    math(EXPR at "${at} + 8000")
  endwhile()
  set(${output} "${literals}" PARENT_SCOPE)
endfunction()

read_all(frame.html frame)
read_all("${STYLES}" styles)
read_all("${SCRIPTS}" scripts)
quote("${frame}" frame)
quote("${styles}" styles)
quote("\"use strict\";\n(() => {\n${scripts}})();\n" scripts)
file(WRITE "${OUTPUT}" "// Written by compiler/render/EmbedPage.cmake.
#include \"compiler/render/PageReport.h\"

blink::PageAssets blink::pageAssets() {
  static constexpr char frame[] =${frame};
  static constexpr char styles[] =${styles};
  static constexpr char scripts[] =${scripts};
  return {{frame, sizeof(frame) - 1}, {styles, sizeof(styles) - 1}, {scripts, sizeof(scripts) - 1}};
}
")
