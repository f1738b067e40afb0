// Rates of all allocations of a bundle, by their number of GPUs.

// A dot for each class of each size; the tick above it is the bound.
function scatter(all, isBest, state, set) {
  const served = all.filter((row) => row.program.rate !== null);
  const wide = 420, high = 190, left = 36, bottom = 26, top = 10;
  const sizes = [...new Set(served.map((row) => row.allocation.gpus.length))].sort((a, b) => a - b);
  if (sizes.length === 0) return null;
  const most = Math.max(...served.map((row) => row.program.bound)) * 1.04, column = (wide - left - 6) / sizes.length;
  const y = (gbps) => top + (high - top - bottom) * (1 - gbps / most);
  const classes = new Map();
  for (const row of served) {
    if (!classes.has(row.allocation.alike)) classes.set(row.allocation.alike, []);
    classes.get(row.allocation.alike).push(row);
  }
  const marks = sizes.map((size, i) => {
    const these = [...classes.values()]
                      .filter(([row]) => row.allocation.gpus.length === size)
                      .sort(([a], [b]) => a.program.rate - b.program.rate);
    return these.map((rows, j) => {
      const [row] = rows, x = left + column * (i + (j + 1) / (these.length + 1));
      const chosen = rows.some((one) => one.allocation.index === state.allocation);
      return s(
          "g", {
            class: `mark${chosen ? " chosen" : ""}${isBest(row) ? " good" : ""}${
                state.size && state.size !== size ? " idle" : ""}`,
            onclick: () => set({allocation: row.allocation.index})
          },
          s("title", {},
            `${count(rows.length, "allocation")} like ${ranges(row.allocation.gpus)}: ${rate(row.program.rate)} of ${
                rate(row.program.bound)}`),
          s("line", {x1: x - 5, x2: x + 5, y1: y(row.program.bound), y2: y(row.program.bound)}),
          s("circle", {cx: x, cy: y(row.program.rate), r: 2.2 + Math.sqrt(rows.length) * 0.9}));
    });
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
      (part) =>
          s("g", {}, s("line", {class: "grid", x1: left, x2: wide, y1: y(part * most), y2: y(part * most)}),
            s("text", {class: "tick", x: left - 5, y: y(part * most) + 4, "text-anchor": "end"},
              (part * most).toFixed(0))));
  return drawing(
      `0 0 ${wide} ${high}`, `Rates of all allocations, ${state.collective}, by number of GPUs`,
      "A dot is a class of allocations, a tick its bound, in GB/s. The table has the numbers.", {class: "plot scatter"},
      ticks, marks,
      sizes.map(
          (size, i) => s(
              "text", {class: "tick", x: left + column * (i + 0.5), y: high - 8, "text-anchor": "middle"}, `${size}`)));
}
