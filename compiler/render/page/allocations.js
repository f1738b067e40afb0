// All allocations of a bundle: a plot and a table of their rates, and which to ask the scheduler for.

function allocationsPanel(state, set) {
  const rows = ALLOCATIONS.map((allocation) => ({allocation, program: programOf(allocation, state.collective)}));
  const served = rows.filter((row) => row.program);
  const best = new Map();
  for (const {allocation, program} of served)
    best.set(allocation.gpus.length, Math.max(best.get(allocation.gpus.length) || 0, speed(program.rate)));
  const isBest = ({allocation, program}) =>
      program && speed(program.rate) >= best.get(allocation.gpus.length) * (1 - 1e-6);
  const sizes = [...new Set(ALLOCATIONS.map((one) => one.gpus.length))].sort((a, b) => a - b);
  const matches = ({allocation}) =>
      (!state.size || allocation.gpus.length === state.size) && hasGpus(allocation, state.filter);
  const shown = rows.filter(matches);
  const input = h("input", {
    type: "search",
    id: "filter",
    placeholder: "GPUs, such as 1,4,5,6",
    value: state.filter,
    autocomplete: "off",
    "aria-label": "Show allocations with these GPUs",
    oninput: (event) => {
      const filter = event.target.value, row = exact(rows, filter);
      set(row ? {filter, allocation: row.allocation.index} : {filter}, row ? null : "table");
    }
  });
  const select =
      h("select", {"aria-label": "Collective", onchange: (event) => set({collective: event.target.value})},
        collectives().map((name) => h("option", {value: name, selected: name === state.collective}, name)));
  const table = h("div", {id: "allocations-table"}, allocationsTable(shown, isBest, state, set));
  return card(
      "Allocations", {class: "allocations"},
      h("p", {class: "hint"},
        `${count(ALLOCATIONS.length, "allocation")} in ${
            count(
                DATA.classes.length, "class",
                "classes")}; those of a class are the same up to the names of their GPUs.`),
      h("div", {class: "row"}, select, input),
      sizes.length > 1 ? choice(
                             "Number of GPUs", [[0, "all"], ...sizes.map((size) => [size, String(size)])], state.size,
                             (size) => set({size})) :
                         null,
      bestWords(served, isBest, state, set),
      worstWords(rows.filter(({allocation}) => !state.size || allocation.gpus.length === state.size)),
      scatter(served, isBest, state, set), table);
}

// One GPU alone has no limit.
const speed = (gbps) => gbps === null ? 1e300 : gbps;
const short = (gbps) => gbps === null ? "∞" : gbps.toFixed(1);
const collectives = () => [...new Set(DATA.programs.map((one) => one.collective))];
const numbersIn = (text) => (text.match(/\d+/g) || []).map(Number);
const hasGpus = (allocation, text) => numbersIn(text).every((gpu) => allocation.gpus.includes(gpu));
const exact = (rows, text) =>
    rows.find((row) => row.allocation.gpus.length === new Set(numbersIn(text)).size && hasGpus(row.allocation, text));

// "NVLink, PCIe": the kinds of links that limit a program.
function fullKinds(program) {
  if (!program) return "";
  const {links} = MACHINES[program.machine];
  return [...new Set(program.links.filter(([, , price]) => price > 0).map(([index]) => links[index].kind))]
      .sort()
      .map((kind) => KIND_NAMES[kind].replace(" link", ""))
      .join(", ");
}

// Where allocations are bad, and why.
function worstWords(rows) {
  const hasPeers =
      rows.some(({program}) => program && MACHINES[program.machine].links.some((link) => PEER_KINDS.has(link.kind)));
  const slow = rows.filter(
      ({program}) => program && program.bound !== null && hasPeers &&
          !program.links.some(
              ([index, , price]) => price > 0 && PEER_KINDS.has(MACHINES[program.machine].links[index].kind)));
  const apart = rows.filter(({program}) => !program);
  const least = rows.filter(({program}) => program && program.bound !== null)
                    .reduce((one, row) => !one || partOf(row.program) < partOf(one.program) ? row : one, null);
  const words = [];
  if (apart.length) words.push(`${apart.length} of ${rows.length} have GPUs that no path joins.`);
  if (slow.length)
    words.push(`${slow.length} of ${rows.length} are held back by ${
        list(
            [...new Set(slow.map(({program}) => fullKinds(program)))], 3)} alone: their NVLinks do not join all GPUs.`);
  if (least && partOf(least.program) < 0.995)
    words.push(`Farthest below its bound is ${ranges(least.allocation.gpus)}, with ${
        percent(partOf(least.program))}: few trees that share links fairly give up a little.`);
  return words.length ? h("p", {class: "hint"}, words.join(" ")) : null;
}

// "Ask for any of 1,2,3 ...": what the scheduler should give a job of this size.
function bestWords(served, isBest, state, set) {
  const size = state.size || ALLOCATIONS[state.allocation].gpus.length;
  const same = served.filter((row) => row.allocation.gpus.length === size);
  if (same.length < 2) return null;
  const good = same.filter(isBest),
        worst = same.reduce((one, other) => speed(other.program.rate) < speed(one.program.rate) ? other : one);
  return h(
      "div", {class: "best"},
      h("p", {class: "answer"}, `For ${count(size, "GPU")} ask for `,
        good.length === same.length ? "any: all are alike." : "one of these: "),
      good.length === same.length ?
          null :
          h("ul", {class: "chips"},
            good.slice(0, 8).map(
                (row) =>
                    h("li", {},
                      h("button",
                        {type: "button", class: "chip good", onclick: () => set({allocation: row.allocation.index})},
                        `★ ${ranges(row.allocation.gpus)}`))),
            good.length > 8 ? h("li", {class: "hint"}, `and ${good.length - 8} more`) : null),
      h("p", {class: "hint"},
        `${rate(good[0].program.rate)} with the best, ${rate(worst.program.rate)} with the worst of ${same.length}.`));
}

function allocationsTable(rows, isBest, state, set) {
  if (rows.length === 0) return h("p", {}, "No allocation has these GPUs.");
  const least = -1;
  const columns = [
    {
      title: "GPUs",
      value: ({allocation}) => `${allocation.gpus.length} ${allocation.gpus.join(",")}`,
      cell: (row) =>
          h("button", {type: "button", class: "link", onclick: () => set({allocation: row.allocation.index})},
            ranges(row.allocation.gpus, 5))
    },
    {
      title: "Rate",
      number: true,
      value: ({program}) => program ? speed(program.rate) : least,
      cell: (row) => row.program ?
          [
            isBest(row) ? h("span", {class: "accent", title: "the best of this size"}, "★ ") : null,
            short(row.program.rate)
          ] :
          "no path"
    },
    {
      title: "Of bound",
      number: true,
      value: ({program}) => program ? partOf(program) : least,
      cell: ({program}) => program ? percent(partOf(program)) : "–"
    },
    {title: "Full", value: ({program}) => fullKinds(program)}
  ];
  return sortableTable(
      `${count(rows.length, "allocation")}, rates in GB/s`, columns, rows, [1, true],
      (row) => ({
        "aria-current": row.allocation.index === state.allocation ? "true" : null,
        title: `Class ${row.allocation.alike + 1}${row.program ? `, bound ${rate(row.program.bound)}` : ""}`,
        onclick: () => set({allocation: row.allocation.index}),
        class: row.program ? "" : "nothing"
      }));
}
