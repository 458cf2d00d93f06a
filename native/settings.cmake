# Settings that all of the native parts share, whichever of them is built alone.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# One place for everything that is built, whoever calls CMake.
set(OUTPUT ${CMAKE_BINARY_DIR}/${CMAKE_BUILD_TYPE})

# -DSANITIZE=address,undefined builds everything with the sanitizers; node then needs their run time preloaded.
set(SANITIZE "" CACHE STRING "Sanitizers, separated by commas")
if(SANITIZE)
  add_compile_options(-fsanitize=${SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${SANITIZE})
endif()
add_compile_options(-Wall -Wextra -Wpedantic -Werror)
