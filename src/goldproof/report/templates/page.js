"use strict";
(() => {
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  /* Tables: a heading sorts; numbers start with the largest, texts with the first; what is missing stays last. */
  const sortTable = (table, heading) => {
    const index = heading.cellIndex;
    const numeric = heading.classList.contains("number");
    const before = heading.getAttribute("aria-sort");
    const first = numeric ? "descending" : "ascending";
    const second = numeric ? "ascending" : "descending";
    const direction = before === first ? second : first;
    const sign = direction === "ascending" ? 1 : -1;
    const key = (row) => {
      const cell = row.cells[index];
      if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
      return numeric ? null : cell.textContent.trim();
    };
    const compare = (a, b) => {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
      return sign * (typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : String(a.key).localeCompare(String(b.key), "en", { numeric: true }));
    };
    for (const other of heading.parentElement.cells) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", direction);
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: key(row) })).sort(compare);
    table.tBodies[0].append(...rows.map((entry) => entry.row));
  };
  for (const table of document.querySelectorAll(".goldproof table")) {
    for (const heading of table.tHead.rows[0].cells) {
      heading.setAttribute("aria-sort", "none");
      heading.querySelector("button").addEventListener("click", () => sortTable(table, heading));
    }
  }

  {{ filters }}
  /* Charts: what a mark says, beside the pointer. */
  const tip = element("div", "tip");
  tip.hidden = true;
  document.body.append(tip);
  const showTip = (event) => {
    const mark = event.target.closest ? event.target.closest(".chart [role=img]") : null;
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.getAttribute("aria-label");
    const box = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 12, document.documentElement.clientWidth - box.width - 6);
    const above = event.clientY - box.height - 10;
    tip.style.left = `${Math.max(6, left)}px`;
    tip.style.top = `${above < 4 ? event.clientY + 16 : above}px`;
  };
  document.addEventListener("pointermove", showTip);
  document.addEventListener("pointerdown", showTip);
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
  {{ examples }}
})();
