"use strict";
// What needs a script is hidden where none runs.
document.documentElement.dataset.script = "yes";
// Before anything is painted: dark where the reader's system is.
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
