// Tables that sort by a click on a column's heading.

const MOST_ROWS = 500;

// columns: [{title, value(row), cell(row), number}]; sorted: [column, descending]; decorate(row) gives a row's
// attributes. Of very many rows the first are shown, however they are sorted.
function sortableTable(caption, columns, rows, sorted, decorate) {
  const body = h("tbody");
  const made = new Map();
  const element = (row) => {
    if (!made.has(row))
      made.set(row, h("tr", decorate ? decorate(row) : {}, columns.map((column) => cellOf(column, row))));
    return made.get(row);
  };
  const sort = (number, descending) => {
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[number].setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.replaceChildren(...inOrder(rows, columns[number].value, descending).slice(0, MOST_ROWS).map(element));
    if (rows.length > MOST_ROWS)
      body.append(h("tr", {}, h("td", {colspan: columns.length}, `and ${rows.length - MOST_ROWS} more`)));
  };
  const heads = columns.map((column, number) => {
    const first = Boolean(column.number);  // numbers: the largest first
    const toggle = () => {
      const now = heads[number].getAttribute("aria-sort");
      sort(number, now ? now !== "descending" : first);
    };
    return h(
        "th", {scope: "col", class: first ? "number" : ""},
        h("button", {type: "button", onclick: toggle}, column.title));
  });
  sort(...sorted);
  return h(
      "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": caption},
      h("table", {class: "sortable"}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body));
}

function cellOf(column, row) {
  const content = column.cell ? column.cell(row) : String(column.value(row));
  return h("td", {class: column.number ? "number" : ""}, content);
}

// Equal ones as they are.
function inOrder(rows, value, descending) {
  const order = (a, b) => typeof a === "string" ? a.localeCompare(b, "en", {numeric: true}) : a - b;
  const lines = rows.map((row, i) => ({row, i, value: value(row)}));
  lines.sort((a, b) => (descending ? -1 : 1) * order(a.value, b.value) || a.i - b.i);
  return lines.map(({row}) => row);
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
