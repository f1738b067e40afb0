// Time against message size: each variant, rings, and the bound, with the points where one takes over from another.

function curvesPlot(job) {
  const {program} = job, {sizes} = DATA, wide = 720, high = 340, left = 64, top = 16, right = 168, bottom = 44;
  const bound = sizes.map((size) => size / (program.bound * 1e3));
  const all = [...program.variants.flatMap((one) => one.times), ...(program.rings ? program.rings.times : [])];
  const low = 10 ** Math.floor(Math.log10(Math.min(...all))), highest = 10 ** Math.ceil(Math.log10(Math.max(...all)));
  const x = (size) =>
      left + (wide - left - right) * Math.log2(size / sizes[0]) / Math.log2(sizes[sizes.length - 1] / sizes[0]);
  const y = (us) => top + (high - top - bottom) * (1 - Math.log10(us / low) / Math.log10(highest / low));
  const line = (times, takes) => {
    const points = sizes.map((size, i) => [size, times[i]]).filter(([size, us]) => us >= low && takes(size));
    return points.length < 2 ? null :
                               `M${points.map(([size, us]) => `${x(size).toFixed(1)} ${y(us).toFixed(1)}`).join("L")}`;
  };
  const grid = [];
  for (let us = low; us <= highest * 1.001; us *= 10)
    grid.push(
        s("line", {class: "grid", x1: left, x2: wide - right, y1: y(us), y2: y(us)}),
        s("text", {class: "tick", x: left - 8, y: y(us) + 4, "text-anchor": "end"}, time(us)));
  for (const size of sizes)
    if (Math.log2(size) % 4 === 2 || size === 1 << 30)
      grid.push(s("text", {class: "tick", x: x(size), y: high - bottom + 18, "text-anchor": "middle"}, bytes(size)));
  const labels = [];  // at the right end, no two over each other
  const label = (name, value, style) => labels.push({name, y: y(Math.max(low, value)), style});
  const marks = program.variants.map((variant, i) => {
    const inside = (size) => size >= variant.min / 2 && (variant.max === null || size <= variant.max * 2);
    label(variantName(variant), variant.times[sizes.length - 1], `curve${i}`);
    return [
      s("path", {class: `curve faint curve${i}`, d: line(variant.times, () => true)}),
      s("path", {class: `curve curve${i}`, d: line(variant.times, inside)})
    ];
  });
  if (program.rings) label(count(program.rings.count, "ring"), program.rings.times[sizes.length - 1], "rings");
  label("bound", bound[sizes.length - 1], "bound");
  labels.sort((a, b) => a.y - b.y).forEach((one, i) => {
    one.y = Math.max(one.y, i ? labels[i - 1].y + 17 : 0);
  });
  const lowest = labels[labels.length - 1].y - (high - bottom);
  const crossings =
      (program.crossings || [])
          .map(
              ([size, us, reason], i) =>
                  s("g", {class: "crossing"}, s("line", {x1: x(size), x2: x(size), y1: y(us), y2: high - bottom}),
                    s("circle", {cx: x(size), cy: y(us), r: 5}, s("title", {}, reason)),
                    s("text", {x: x(size) + 7, y: high - bottom - 8 - (i % 2) * 15}, bytes(size))));
  return drawing(
      `0 0 ${wide} ${high}`, `Time against message size, ${nameOf(job)}`, curveWords(program), {class: "plot"}, grid,
      s("path", {class: "curve bound", d: line(bound, () => true)}),
      program.rings ? s("path", {class: "curve rings", d: line(program.rings.times, () => true)}) : null, marks,
      crossings,
      labels.map(
          (one) =>
              s("text", {class: `series ${one.style}`, x: wide - right + 8, y: one.y + 4 - Math.max(0, lowest)},
                one.name)),
      s("text", {class: "tick", x: (left + wide - right) / 2, y: high - 6, "text-anchor": "middle"}, "message size"));
}

function variantName(variant) {
  return variant.oneHop ? "one hop" :
                          `${count(variant.trees, "tree")}${variant.protocol === "low_latency" ? ", low latency" : ""}`;
}

function curveWords(program) {
  const parts = program.variants.map(
      (one) => `${variantName(one)} ${one.min ? `from ${bytes(one.min)}` : "for the smallest"}${
          one.max ? ` to ${bytes(one.max)}` : ""}`);
  return `Estimated times: ${list(parts)}.`;
}

function curvesCard(job) {
  const {program} = job;
  if (program.variants.length === 0 || program.bound === null) return null;
  return card(
      "Time against size", {class: "curves"},
      h("p", {class: "hint"},
        "By the model of time: an estimate, nothing was measured. Each variant is drawn where it serves, and faint where another is faster."),
      curvesPlot(job),
      (program.crossings || []).length ?
          h("ul", {class: "reasons"}, program.crossings.map(([, , reason]) => h("li", {}, reason))) :
          null,
      h("details", {}, h("summary", {}, "The numbers"), timesTable(program)));
}

function timesTable(program) {
  const rows = DATA.sizes.map((size, i) => ({size, i}));
  const columns = [
    {title: "Size", number: true, value: ({size}) => size, cell: ({size}) => bytes(size)},
    ...program.variants.map(
        (one) =>
            ({title: variantName(one), number: true, value: ({i}) => one.times[i], cell: ({i}) => time(one.times[i])})),
    program.rings ? {
      title: "Rings",
      number: true,
      value: ({i}) => program.rings.times[i],
      cell: ({i}) => time(program.rings.times[i])
    } :
                    null
  ].filter(Boolean);
  return sortableTable("Estimated times of messages", columns, rows, [0, false]);
}
