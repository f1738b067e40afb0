// Tables that sort by a click on a column's heading.

// columns: [{title, value(row), cell(row), number}]; decorate(row) gives a row's attributes. sorted: [column,
// descending].
function sortableTable(caption, columns, rows, sorted, decorate) {
  const body = h("tbody");
  const heads = columns.map((column, i) => h("th", {scope: "col", class: column.number ? "number" : ""},
    h("button", {type: "button", onclick: () => sort(i, heads[i].getAttribute("aria-sort") === (column.number ? "descending" : "ascending") ? !column.number : Boolean(column.number))}, column.title)));
  const order = (a, b) => typeof a === "string" ? a.localeCompare(b, "en", {numeric: true}) : a - b;
  const sort = (number, descending) => {
    heads.forEach(
        (one, i) => i === number ? one.setAttribute("aria-sort", descending ? "descending" : "ascending") :
                                   one.removeAttribute("aria-sort"));
    const value = columns[number].value;
    const lines = rows.map((row, i) => ({row, i, value: value(row)}));
    lines.sort((a, b) => (descending ? -1 : 1) * order(a.value, b.value) || a.i - b.i);
    body.replaceChildren(...lines.map(({row}) => element(row)));
  };
  const made = new Map();
  const element = (row) => {
    if (!made.has(row))
      made.set(
          row,
          h("tr", decorate ? decorate(row) : {},
            columns.map(
                (column) =>
                    h("td", {class: column.number ? "number" : ""},
                      column.cell ? column.cell(row) : String(column.value(row))))));
    return made.get(row);
  };
  sort(...sorted);
  return h(
      "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": caption},
      h("table", {class: "sortable"}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body));
}

function linksTable(job) {
  const {machine, program} = job, end = (node) => machine.nodes[node].id;
  const hasLoads = program.variants.length > 0;
  const columns = [
    {title: "From", value: ({link}) => end(link.from)}, {title: "To", value: ({link}) => end(link.to)},
    {title: "Kind", value: ({link}) => KIND_NAMES[link.kind]}, {
      title: "GB/s",
      number: true,
      value: ({link}) => link.bandwidth,
      cell: ({link}) => String(+link.bandwidth.toPrecision(4))
    },
    hasLoads ? {
      title: "Carries",
      number: true,
      value: ({load, link}) => load / link.bandwidth,
      cell: ({load, link}) => percent(load / link.bandwidth)
    } :
               null,
    {
      title: "Limits",
      number: true,
      value: ({price}) => price,
      cell: ({price}) => price > 0 ? h("b", {class: "accent"}, "yes") : "–"
    }
  ].filter(Boolean);
  const shown = job.links.length > 600 ? job.links.filter((use) => use.price > 0).slice(0, 600) : job.links;
  const note = shown.length < job.links.length ? `, ${shown.length} of ${job.links.length}` : "";
  return sortableTable(`Links of the job${note}`, columns, shown, [columns.length - 1, true]);
}
