// What is wider than its place is scrolled, and can be reached by the keyboard for that.
function reachable() {
  for (const box of document.querySelectorAll("article pre, article table, article .table-wrapper, article div.math"))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
}
reachable();
addEventListener("resize", reachable);
addEventListener("toggle", reachable, true);  // what is unfolded

// Puts the playground into an exercise's page. Where no server serves the pages, the playground cannot load its module, so
// the link to it is gone, too.
for (const place of document.querySelectorAll(".playground")) {
  if (location.protocol === "file:") {
    place.remove();
    continue;
  }
  const frame = document.createElement("iframe");
  frame.src = place.dataset.address;
  frame.title = place.dataset.title;
  frame.loading = "lazy";
  place.append(frame);
}
