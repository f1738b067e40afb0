// What is laid over the drawing of a machine: the cut, loads as heat, trees, a link that is not there yet.

const TREE_COLORS = 8;

// The links that limit the job, by their prices in the certificate.
function showLimits(picture, job) {
  const {geometry, layers, machine} = picture;
  picture.svg.classList.add("quiet");
  const lines = new Map();
  for (const {link: {cable}, price} of job.links) {
    const line = geometry.line(cable.a, cable.b, cable.kind), before = lines.get(line);
    if (price > 0 && !geometry.inBox(cable.a, cable.b) && !(before && before[1] >= price))
      lines.set(line, [cable, price]);
  }
  for (const [cable, price] of lines.values())
    layers.under.append(
        s("path", {
          class: "scarce",
          d: pathOf(geometry.cable(cable)),
          "stroke-width": (widthOf(machine, cable.bandwidth) + 1.5).toFixed(1),
          "stroke-opacity": (0.55 + 0.45 * price).toFixed(2)
        },
          s("title", {}, `${wordsOf(machine, cable)}: limits the job`)));
}

// How full each direction is.
function showLoads(picture, job) {
  const {geometry, layers, machine} = picture;
  picture.svg.classList.add("quiet");
  const fullest = new Map();  // of the links that lie on one line
  for (const use of job.links) {
    const {link, load} = use, line = geometry.line(link.from, link.to, link.kind), before = fullest.get(line);
    if (load > 0 && !geometry.inBox(link.from, link.to) &&
        !(before && before.load / before.link.bandwidth >= load / link.bandwidth))
      fullest.set(line, use);
  }
  for (const {link, load} of [...fullest.values()].sort(
           (one, two) => one.load / one.link.bandwidth - two.load / two.link.bandwidth)) {
    const part = load / link.bandwidth, width = Math.max(2.2, widthOf(machine, link.bandwidth) * 0.62);
    const curve = geometry.link(link, width / 2 + 1);
    const words = `${machine.nodes[link.from].id} → ${machine.nodes[link.to].id}: ${rate(load)} of ${
        rate(link.bandwidth)}, ${percent(part)}`;
    layers.under.append(
        s("g", {class: `load heat${heatOf(part)}`},
          s("path", {d: pathOf(curve), "stroke-width": width.toFixed(1)}, s("title", {}, words)),
          head(curve, 0.64, 5, {})));
  }
}

const heatOf = (part) => Math.min(5, Math.floor(part * 5 + 0.02));

function heatKey() {
  const steps = ["below 20 %", "20 %", "40 %", "60 %", "80 %", "full"];
  return h(
      "p", {class: "key"}, "Of its bandwidth a link carries ",
      steps.map((words, i) => h("span", {class: `swatch heat${i}`}, words)));
}

// One tree, or several side by side: each hop an arrow, dashed where it carries contributions towards the root.
function showTrees(picture, job, trees, chosen) {
  const {geometry, layers} = picture;
  picture.svg.classList.add("quiet");
  const beside = new Map();  // cables with how many arrows so far, each way
  for (const number of chosen) {
    const tree = trees[number], color = `tree${number % TREE_COLORS}`;
    const group = s("g", {class: `tree ${color}`}), drawn = new Set();
    for (const [from, to, up, ...path] of tree.hops) {
      path.map(job.link).forEach((link, i) => {
        if (!link || geometry.inBox(link.from, link.to)) return;
        const line = geometry.line(link.from, link.to, link.kind);
        if (drawn.has(`${line} ${up}`)) return;  // a link to a switch carries what several hops need
        drawn.add(`${line} ${up}`);
        const place = beside.get(line) || 0;
        beside.set(line, place + 1);
        const curve = geometry.link(link, 4 + place * 6.5);
        const words = `Tree ${number + 1}: GPU ${job.ends[from].gpu} → GPU ${job.ends[to].gpu}, ${
            up ? "contributions" : "results"}`;
        group.append(s("path", {class: up ? "up" : "down", d: pathOf(curve)}, s("title", {}, words)));
        if (i === path.length - 1 || path.length === 1)
          group.append(head(curve, i === 0 && path.length === 1 ? (up ? 0.4 : 0.66) : 0.55, 7, {class: "head"}));
      });
    }
    layers.under.append(group);
    if (chosen.length === 1) {
      const {x, y, r} = geometry.place(job.ends[tree.root].index);
      layers.top.append(
          s("circle", {class: `treeroot ${color}`, cx: x, cy: y, r: r + 6}, s("title", {}, "The root of this tree")));
    }
  }
}

// One more link.
function showNewLink(picture, improvement) {
  const {geometry, layers} = picture;
  const curve = geometry.curve(improvement.from.index, improvement.to.index, 0.16);
  layers.under.append(
      s("path", {class: "newlink", d: pathOf(curve)},
        s("title", {}, `One more ${KIND_NAMES[improvement.kind]}: ${improvement.from.id} – ${improvement.to.id}`)));
}

// Both ends of a cable, to find it by.
function showCable(picture, cable) {
  picture.layers.under.append(s("path", {class: "found", d: pathOf(picture.geometry.cable(cable))}));
}
