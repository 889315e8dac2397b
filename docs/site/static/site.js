// What is wider than its place is scrolled, and can be reached by the keyboard for that.
function reachable() {
  for (const box of document.querySelectorAll("article pre, article table, article .table-wrapper, article div.math"))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
}
reachable();
addEventListener("resize", reachable);
addEventListener("toggle", reachable, true);  // what is unfolded
