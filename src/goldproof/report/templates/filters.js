/* Part of page.js, for pages with tables of several parts. */
/* Tables of several parts: one part at a time, the first to begin with; "all" shows every row. */
const filterTable = (table, heading) => {
  const index = heading.cellIndex;
  const rows = [...table.tBodies[0].rows];
  const parts = [...new Set(rows.map((row) => row.cells[index].textContent.trim()))];
  if (parts.length < 2) return;
  const form = element("form", "filters");
  const label = element("label", "", `${heading.textContent.trim()} `);
  const select = element("select");
  for (const part of [...parts, "all"]) {
    const option = element("option", "", part);
    option.value = part;
    select.append(option);
  }
  const show = () => { for (const row of rows) row.hidden = select.value !== "all" && row.cells[index].textContent.trim() !== select.value; };
  select.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  label.append(select);
  form.append(label);
  table.closest("figure").querySelector("figcaption").after(form);
  show();
};
for (const heading of document.querySelectorAll(".goldproof thead th.filtered")) filterTable(heading.closest("table"), heading);
