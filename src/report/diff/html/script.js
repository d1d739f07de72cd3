"use strict";
(() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const search = one("#search");
  const status = one("#status");
  const boxes = all("#filters input");
  const items = all(".item");
  // Texts are only collected when somebody searches: a page may have thousands of entries.
  let texts = null;
  const collected = () => (texts ??= [...items, ...all(".node")].map((element) => ({ element, text: element.textContent.toLowerCase() })));

  const unchecked = () => new Set(boxes.filter((box) => !box.checked).map((box) => box.id));
  const filtered = (item, off) => off.has("f-" + item.dataset.impact) || off.has("r-" + item.dataset.role);
  const open = (element, opened) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (at.tagName !== "DETAILS" || at.open) continue;
      at.open = true;
      opened?.push(at);
    }
  };

  // What a search has opened is folded when it ends.
  let opened = [];
  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0 || texts) {
      for (const { element, text } of collected()) element.classList.toggle("unfit", !words.every((word) => text.includes(word)));
    }
    const off = unchecked();
    const isShown = (item) => !item.classList.contains("unfit") && !filtered(item, off);
    const shown = items.filter(isShown);
    const total = `${items.length} ${items.length === 1 ? "entry" : "entries"}`;
    status.textContent = shown.length === items.length ? total : `${shown.length} of ${total}`;
    if (words.length > 0) {
      for (const item of shown) open(item, opened);
    } else {
      for (const element of opened) element.open = false;
      opened = [];
    }
    const full = new Set(shown.map((item) => item.closest(".section")));
    for (const section of all(".section:has(> .item)")) section.classList.toggle("empty", !full.has(section));
  };

  const follow = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    const item = target.closest(".item");
    if (item && (item.classList.contains("unfit") || filtered(item, unchecked()))) {
      search.value = "";
      for (const box of boxes) box.checked = true;
      update();
    }
    if (target.tagName === "DETAILS") target.open = true;
    open(target);
    target.scrollIntoView();
  };

  // The stops of the keys j and k: first lines of templates, sections and entries.
  const walk = (selector, by) => {
    const stops = all(selector);
    const here = document.activeElement?.closest(".item, summary");
    let at = here ? stops.findIndex((stop) => stop === here || here.contains(stop)) : -1;
    if (at < 0) {
      at = stops.findIndex((stop) => stop.getBoundingClientRect().bottom > 60) - (by > 0 ? 1 : 0);
    }
    do at += by; while (stops[at] && !stops[at].checkVisibility());
    stops[at]?.focus();
    stops[at]?.scrollIntoView({ block: "nearest" });
  };
  const STOPS = ".template > summary, .section > summary, .item > summary, div.item[tabindex]";
  const toggle = one("#toggle");
  const keys = one("#keys");
  const actions = {
    j: () => walk(STOPS, 1),
    k: () => walk(STOPS, -1),
    n: () => walk(".template > summary", 1),
    p: () => walk(".template > summary", -1),
    e: () => toggle.click(),
    t: () => scrollTo(0, 0),
    "?": () => keys.showModal(),
    "/": () => {
      search.focus();
      search.select();
    },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.target === search) {
      if (event.key === "Escape") {
        search.value = "";
        update();
        search.blur();
      } else if (event.key === "Enter" || event.key === "ArrowDown") {
        event.preventDefault();
        all(STOPS).find((stop) => stop.closest(".item") && stop.checkVisibility())?.focus();
      }
      return;
    }
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  one("#help").addEventListener("click", () => keys.showModal());
  one("#keys button").addEventListener("click", () => keys.close());

  toggle.addEventListener("click", () => {
    const isOpen = toggle.getAttribute("aria-pressed") !== "true";
    toggle.setAttribute("aria-pressed", String(isOpen));
    for (const element of all("main details:not(.alternative)")) element.open = isOpen;
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("main details:not([open])");
    for (const element of closed) element.open = true;
  });
  addEventListener("afterprint", () => {
    for (const element of closed) element.open = false;
  });

  // Zoom changes the size of the drawing, dragging moves what is visible of it.
  const zoom = (view, factor) => {
    const svg = view.firstElementChild;
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const room = view.clientWidth - 20;
    const now = svg.getAttribute("width") / width;
    const next = factor === "fit" ? Math.min(1, room / width) : Math.min(3, Math.max(0.1, now * factor));
    const middle = [view.scrollLeft + view.clientWidth / 2, view.scrollTop + view.clientHeight / 2];
    svg.setAttribute("width", width * next);
    svg.setAttribute("height", height * next);
    view.scrollLeft = (middle[0] * next) / now - view.clientWidth / 2;
    view.scrollTop = (middle[1] * next) / now - view.clientHeight / 2;
  };
  const FACTORS = { in: 1.25, out: 0.8, fit: "fit" };
  for (const box of all(".graph-box")) {
    box.querySelector(".zoom").hidden = false;
    box.addEventListener("click", (event) => {
      const factor = FACTORS[event.target.dataset.zoom];
      if (factor) for (const view of all(".view", box)) if (view.checkVisibility()) zoom(view, factor);
    });
  }
  for (const view of all(".view")) {
    view.classList.add("pannable");
    view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(view, event.deltaY < 0 ? 1.1 : 1 / 1.1);
    }, { passive: false });
    view.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button !== 0) return;
      const start = [event.clientX + view.scrollLeft, event.clientY + view.scrollTop];
      const move = (now) => {
        view.classList.add("panning");
        view.scrollLeft = start[0] - now.clientX;
        view.scrollTop = start[1] - now.clientY;
      };
      addEventListener("pointermove", move);
      addEventListener("pointerup", () => {
        removeEventListener("pointermove", move);
        setTimeout(() => view.classList.remove("panning"));
      }, { once: true });
    });
    // A link of the drawing is not followed at the end of a drag.
    view.addEventListener("dragstart", (event) => event.preventDefault());
    view.addEventListener("click", (event) => {
      if (view.classList.contains("panning")) event.preventDefault();
    }, true);
  }

  search.addEventListener("input", update);
  for (const box of boxes) box.addEventListener("change", update);
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) follow();
    const filters = one("#filters");
    if (filters?.open && !filters.contains(event.target)) filters.open = false;
  });
  one("#scripted").hidden = false;
  update();
  follow();
})();
