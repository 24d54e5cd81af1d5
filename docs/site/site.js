// What the theme leaves out for readers with a keyboard or a screen reader.
for (const box of document.querySelectorAll(".highlight pre, .table-wrapper")) {
  box.tabIndex = 0; // it may scroll
}
for (const caption of document.querySelectorAll(".caption[role=heading]")) {
  caption.ariaLevel = "2";
}
for (const head of document.querySelectorAll("thead")) {
  if (!head.textContent.trim()) head.remove();
}
for (const cell of document.querySelectorAll("th")) {
  if (!cell.textContent.trim()) cell.replaceWith(document.createElement("td"));
}
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Menu");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
if (!document.querySelector("h1")) {
  const heading = document.createElement("h1"); // the page of search has none
  heading.textContent = "Search";
  document.querySelector("article")?.prepend(heading);
}
