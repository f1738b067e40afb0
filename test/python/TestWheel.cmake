# Builds the wheel as `pip install .` does, from the source distribution, installs it into an empty folder and takes a
# user's first steps with nothing but that. What it is built with is in the environment, so that no network is needed.
# COMPILER: the wheel is asked for the compiler, which then is the blinkc of these steps.
set(site ${WORK}/site)
file(REMOVE_RECURSE ${site} ${WORK}/dist ${WORK}/source)
file(MAKE_DIRECTORY ${WORK}/source)
function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${site} ${ARGN}
    WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "${ARGN}: ${status}\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

run(${PYTHON} -c "import os\nfrom scikit_build_core.build import build_sdist\nos.chdir('${SOURCE}')\nbuild_sdist('${WORK}/dist')")
# Built as this tree is: by its compiler, with its flags, as deep in the sources, with Python in the same place beside
# them. So ccache knows most objects from this tree, and nobody compiles the compiler twice.
execute_process(COMMAND ${CMAKE_COMMAND} -E tar xf ${WORK}/dist/blink_collectives-${VERSION}.tar.gz --touch
  WORKING_DIRECTORY ${WORK}/source COMMAND_ERROR_IS_FATAL ANY)
cmake_path(GET PYTHON PARENT_PATH folder)
cmake_path(GET PYTHON FILENAME python)
set(venv ${WORK}/source/blink_collectives-${VERSION}/build/venv)
file(GLOB packages ${folder}/../lib/python*/site-packages)
cmake_path(GET packages PARENT_PATH lib)
cmake_path(GET lib FILENAME lib)
file(MAKE_DIRECTORY ${venv}/lib/${lib}/site-packages)
file(CREATE_LINK ${folder} ${venv}/bin SYMBOLIC)
file(CREATE_LINK ${folder}/../pyvenv.cfg ${venv}/pyvenv.cfg SYMBOLIC)
file(GLOB packages ${packages}/*)
foreach(package IN LISTS packages)
  cmake_path(GET package FILENAME name)
  if(name STREQUAL nanobind) # looks for its real path
    file(COPY ${package} DESTINATION ${venv}/lib/${lib}/site-packages)
  else()
    file(CREATE_LINK ${package} ${venv}/lib/${lib}/site-packages/${name} SYMBOLIC)
  endif()
endforeach()
set(settings build-dir=build/wheel cmake.build-type=None cmake.define.CMAKE_CXX_COMPILER=${COMPILED_BY}
  cmake.define.CMAKE_CXX_FLAGS=${FLAGS} cmake.define.BLINK_WERROR=ON cmake.define.BLINK_CUDA=OFF
  install.strip=true) # as of a release: to pack what debuggers read took half of the test
if(COMPILER)
  list(APPEND settings cmake.define.BLINK_BUILD_COMPILER=ON)
endif()
list(TRANSFORM settings PREPEND --config-settings=)
run(${venv}/bin/${python} -m pip wheel --quiet --no-cache-dir --no-index
  --no-deps --no-build-isolation --wheel-dir ${WORK}/dist ${settings} ${WORK}/source/blink_collectives-${VERSION})
file(GLOB wheel ${WORK}/dist/blink_collectives-${VERSION}-*.whl)
run(${PYTHON} -m pip install --quiet --no-index --no-deps --no-compile --target ${site} ${wheel})

# The package and what pip writes about it, and nothing else.
file(GLOB_RECURSE files RELATIVE ${site} ${site}/*)
list(TRANSFORM files REPLACE "^blink_collectives-${VERSION}.dist-info/.*" "dist-info")
list(TRANSFORM files REPLACE "_core\\..*\\.so$" "_core.so")
list(REMOVE_DUPLICATES files)
list(SORT files)
set(expected blink/__init__.py blink/_core.pyi blink/_core.so blink/errors.py blink/perf.py blink/py.typed
  blink/testing.py blink_torch/__init__.py dist-info)
if(COMPILER)
  list(PREPEND expected bin/blink-perf bin/blink-top bin/blinkc)
  set(BLINKC ${site}/bin/blinkc)
endif()
if(NOT files STREQUAL expected)
  message(FATAL_ERROR "the wheel has ${files}")
endif()
if(NOT EXISTS ${site}/blink_collectives-${VERSION}.dist-info/licenses/LICENSE)
  message(FATAL_ERROR "the wheel has no LICENSE")
endif()

run(${PYTHON} -c "import blink\nprint(blink.__version__, blink.__file__)")
if(NOT said STREQUAL "${VERSION} ${site}/blink/__init__.py\n")
  message(FATAL_ERROR "expected ${VERSION}, the wheel says ${said}")
endif()
run(${BLINKC} topo fully-connected 4 --bandwidth 10 -o ${WORK}/machine.topo)
run(${BLINKC} compile ${WORK}/machine.topo -o ${WORK}/allreduce.sched)
run(${PYTHON} -m blink.perf ${WORK}/allreduce.sched --bytes 64K)
if(COMPILER)
  run(${site}/bin/blink-perf ${WORK}/allreduce.sched -b 64K -e 64K)
  run(${site}/bin/blink-top --help)
endif()
