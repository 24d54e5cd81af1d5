# Lists the kernel's sources and their compile options, which the module, the tests and the fuzz target share.
# The sources whose code an evaluation or a fusion runs for every line or row, followed by all other sources.
set(CAROB_HOT
  ${CMAKE_CURRENT_LIST_DIR}/frames/columns.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frames/decimal.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frames/frame.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fusion/places.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fusion/points.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fusion/query.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fusion/sums.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fusion/tune.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matching/gather.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matching/judgments.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matching/notice.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matching/match.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matching/match_frame.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matching/reduce.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matching/regroup.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/ahead.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/blocks.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/numbers.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/plain_json.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/reading.cpp)
set(CAROB_COLD
  ${CMAKE_CURRENT_LIST_DIR}/frames/parquet.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frames/read_frame.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fusion/blocks_of_queries.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fusion/fuse.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fusion/plain_runs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fusion/pooled_runs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matching/ranked.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matching/rows.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/first_line.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/json.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/placed.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/source.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/survey.cpp
  ${CMAKE_CURRENT_LIST_DIR}/writing/digits.cpp
  ${CMAKE_CURRENT_LIST_DIR}/writing/list_maker.cpp
  ${CMAKE_CURRENT_LIST_DIR}/writing/part_maker.cpp
  ${CMAKE_CURRENT_LIST_DIR}/writing/run_text.cpp)
set(CAROB_KERNEL ${CAROB_HOT} ${CAROB_COLD})
set(CAROB_KERNEL_DIR ${CMAKE_CURRENT_LIST_DIR})

option(CAROB_PORTABLE "Leave out vector instructions, 128-bit products and from_chars" OFF)

find_package(Threads REQUIRED)

function(carob_compile_options target)
  target_include_directories(${target} PRIVATE ${CAROB_KERNEL_DIR})
  target_link_libraries(${target} PRIVATE Threads::Threads)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /utf-8 $<$<CONFIG:Release>:/O2>)
  else()
    # Contraction is off because a sum of products must not depend on whether the machine has a fused instruction.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -ffp-contract=off
                           $<$<CONFIG:Release>:-O3>)
    # The kernel reads untrusted files, so it must stop before it writes out of bounds; sanitizers check that anyway.
    if(NOT CAROB_SANITIZE)
      target_compile_options(${target} PRIVATE -fstack-protector-strong
                             $<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=3>)
    endif()
  endif()
  if(CAROB_PORTABLE)
    target_compile_definitions(${target} PRIVATE CAROB_PORTABLE)
  endif()
  if(CAROB_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()
