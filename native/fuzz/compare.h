// Declares the comparison of the kernel's result with the oracle's. A difference ends the process.
#pragma once

#include "oracle.h"
#include "matching/ranked.h"

[[noreturn]] void disagree(const char* what);

inline void expect(bool agrees, const char* what) {
    if (!agrees) disagree(what);
}

void compare(const carob::LineFault& found, const std::optional<oracle::Refusal>& wanted);
void compare(const carob::Judgments& found, const oracle::Judged& wanted);
void compare(const carob::Ranked& found, const oracle::Listed& wanted);
void compare(const carob::Matched& found, const oracle::Ranked& wanted, bool with_scores);
