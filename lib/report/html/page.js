"use strict";
// Tables can be sorted by a click on a heading, and filtered by what is typed above them. Without this all is readable.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  const headings = table.tHead.rows[0].cells;
  const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const compare = (one, other) => {
    const difference = Number(one) - Number(other);
    return Number.isNaN(difference) ? one.localeCompare(other) : difference;
  };
  const sort = (heading, column) => {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    for (const other of headings) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = [...body.rows].sort((one, other) => compare(value(one, column), value(other, column)));
    body.append(...(descending ? rows.reverse() : rows));
  };
  [...headings].forEach((heading, column) => {
    heading.dataset.sort = "";
    heading.tabIndex = 0;
    heading.addEventListener("click", () => sort(heading, column));
    heading.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") sort(heading, column);
    });
  });
  const filter = document.createElement("input");
  filter.type = "search";
  filter.placeholder = "show rows with …";
  filter.setAttribute("aria-label", "show rows with this text");
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  table.before(filter);
}
// What is closed on the screen is open on paper.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const details of closed) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of closed) details.open = false;
});
