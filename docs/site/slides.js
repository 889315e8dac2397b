// Keys go to the next slide and back; without the script the slides are scrolled.
const slides = [...document.querySelectorAll("main > section")];
const forward = ["ArrowRight", "ArrowDown", "PageDown", " ", "Enter"];
const back = ["ArrowLeft", "ArrowUp", "PageUp", "Backspace"];

function shown() {
  const middle = innerHeight / 2;
  return slides.findIndex(slide => slide.getBoundingClientRect().bottom > middle);
}

addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("a")) return;
  const wanted = forward.includes(event.key) ? shown() + 1 : back.includes(event.key) ? shown() - 1
    : event.key === "Home" ? 0 : event.key === "End" ? slides.length - 1 : null;
  if (wanted === null) return;
  event.preventDefault();
  slides[Math.max(0, Math.min(wanted, slides.length - 1))].scrollIntoView();
});
