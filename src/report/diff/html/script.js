// Adds search, keys and printing to a page that can be read without them.
(() => {
  "use strict";
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const search = one("#search");
  const status = one("#status");
  const boxes = all("#filters input");
  const searched = (selector) => all(selector).map((element) => ({ element, text: element.textContent.toLowerCase() }));
  const items = searched(".item");
  const nodes = searched(".node");
  const details = all("details.sources");

  const hidden = (element) =>
    element.classList.contains("unfit") || boxes.some((box) => !box.checked && box.value === element.dataset.impact);

  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { element, text } of [...items, ...nodes]) {
      element.classList.toggle("unfit", !words.every((word) => text.includes(word)));
    }
    const shown = items.filter(({ element }) => !hidden(element)).length;
    status.textContent = shown === items.length ? `${shown} entries` : `${shown} of ${items.length} entries`;
    for (const section of all(".section")) {
      const inside = [...section.querySelectorAll(".item")];
      section.classList.toggle("empty", inside.length > 0 && inside.every(hidden));
    }
  };

  const show = (element) => {
    const item = element && element.closest(".item");
    if (!item || !hidden(item)) return;
    search.value = "";
    for (const box of boxes) if (box.value === item.dataset.impact) box.checked = true;
    update();
  };
  const follow = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    show(target);
    target.scrollIntoView();
  };

  const step = (from, by) => {
    const links = all(".item a.self").filter((link) => !hidden(link.closest(".item")));
    const next = links[from ? links.indexOf(from) + by : 0];
    (next || search).focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input, textarea, select");
    const entry = event.target.closest("a.self");
    if (event.key === "/" && event.target !== search) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Escape" && event.target === search) {
      search.value = "";
      update();
    } else if ((event.key === "ArrowDown" || event.key === "Enter") && event.target === search) {
      event.preventDefault();
      step(null, 0);
    } else if (entry && !typing && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      step(entry, event.key === "ArrowDown" ? 1 : -1);
    }
  });

  const toggle = one("#toggle");
  toggle.addEventListener("click", () => {
    const open = toggle.getAttribute("aria-pressed") !== "true";
    toggle.setAttribute("aria-pressed", String(open));
    for (const element of details) element.open = open;
  });
  toggle.hidden = details.length === 0;

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const element of closed) element.open = true;
  });
  addEventListener("afterprint", () => {
    for (const element of closed) element.open = false;
  });

  search.addEventListener("input", update);
  for (const box of boxes) box.addEventListener("change", update);
  addEventListener("hashchange", follow);
  one("#scripted").hidden = false;
  update();
  follow();
})();
