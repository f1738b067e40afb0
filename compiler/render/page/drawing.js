// The machine as a drawing: nodes, and cables as wide as they are fast. Overlays draw on top of it.

const UNIT = 100, GPU_RADIUS = 27;

// Places and paths in a drawing, in its own units.
function geometryOf(machine) {
  const layout = layoutOf(machine);
  const place = (node) => {
    const at = layout.at.get(node), box = layout.boxOf.get(node);
    if (box === undefined) return {x: at.x * UNIT, y: at.y * UNIT, r: radiusOf(machine.nodes[node])};
    const frame = layout.frames[box];
    return {x: (frame.x + frame.w / 2) * UNIT, y: (frame.y + frame.h / 2) * UNIT, r: 45};
  };
  // A curve from a to b, `aside` of its middle line to the right of who goes that way.
  const curve = (a, b, bend, aside = 0) => {
    const from = place(a), to = place(b);
    const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy) || 1;
    const ux = dx / length, uy = dy / length;
    const mid = {
      x: (from.x + to.x) / 2 + uy * (bend * length) - uy * aside,
      y: (from.y + to.y) / 2 - ux * (bend * length) + ux * aside
    };
    const start = {x: from.x - uy * aside, y: from.y + ux * aside}, end = {x: to.x - uy * aside, y: to.y + ux * aside};
    const control = {x: 2 * mid.x - (start.x + end.x) / 2, y: 2 * mid.y - (start.y + end.y) / 2};
    return {start, control, end, length, straight: bend === 0};
  };
  const bendOf = (cable, from) => (layout.bends.get(cable) || 0) * (from === cable.a ? 1 : -1);
  const end = (node) => layout.boxOf.has(node) ? `box${layout.boxOf.get(node)}` : String(node);
  return {
    layout,
    place,
    curve,
    // The same for links that lie on one line: between shut boxes one stands for all.
    line: (from, to, kind) => `${end(from)} ${end(to)} ${kind}`,
    inBox: (a, b) => layout.boxOf.has(a) && layout.boxOf.get(a) === layout.boxOf.get(b),
    cable: (cable) => curve(cable.a, cable.b, bendOf(cable, cable.a)),
    link: (link, aside) => curve(link.from, link.to, bendOf(link.cable, link.from), aside)
  };
}

function radiusOf(node) {
  return node.kind === "gpu" ? GPU_RADIUS : 24;
}

function pathOf({start, control, end, straight}) {
  const p = (point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
  return straight ? `M${p(start)}L${p(end)}` : `M${p(start)}Q${p(control)} ${p(end)}`;
}

function pointOn({start, control, end}, t) {
  const mix = (a, b, c) => (1 - t) * (1 - t) * a + 2 * t * (1 - t) * b + t * t * c;
  const slope = (a, b, c) => 2 * (1 - t) * (b - a) + 2 * t * (c - b);
  return {
    x: mix(start.x, control.x, end.x),
    y: mix(start.y, control.y, end.y),
    angle: Math.atan2(slope(start.y, control.y, end.y), slope(start.x, control.x, end.x)) * 180 / Math.PI
  };
}

// An arrow head on a curve.
function head(curve, t, size, attributes) {
  const at = pointOn(curve, t);
  return s("path", {
    d: `M${- size} ${- size * 0.75}L${size} 0L${- size} ${size * 0.75}Z`,
    transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)}) rotate(${at.angle.toFixed(1)})`,
    ...attributes
  });
}

function widthOf(machine, bandwidth) {
  const most =
      machine.mostBandwidth || (machine.mostBandwidth = Math.max(...machine.links.map((one) => one.bandwidth)));
  return 1.5 + 7.5 * Math.sqrt(bandwidth / most);
}

// The words for a cable: "gpu0 - gpu3: NVLink, 2 x 25 = 50 GB/s each way".
function wordsOf(machine, cable) {
  const {id: a} = machine.nodes[cable.a], {id: b} = machine.nodes[cable.b];
  const each = cable.count > 1 ? `${cable.count} × ${+ (cable.bandwidth / cable.count).toPrecision(4)} = ` : "";
  const way = cable.links.length > 1 ? "each way" : "one way";
  return `${a} – ${b}: ${KIND_NAMES[cable.kind]}, ${each}${+ cable.bandwidth.toPrecision(4)} GB/s ${way}`;
}

// `job` decides who takes part; `pick`, where GPUs can be chosen, is called with a GPU's number.
function drawMachine(machine, job, name, pick) {
  const geometry = geometryOf(machine);
  const inJob = new Set(job ? job.ends.map((node) => node.index) : machine.gpus.map((node) => node.index));
  const layers = {};
  for (const layer of ["frames", "cables", "under", "shut", "nodes", "top"]) layers[layer] = s("g", {class: layer});
  for (const frame of geometry.layout.frames) layers[frame.shut ? "shut" : "frames"].append(drawFrame(frame, inJob));
  const usable = new Set(job ? job.links.map((use) => use.link.cable) : machine.cables);
  layers.cables.append(...drawCables(machine, geometry, usable));
  for (const node of machine.nodes)
    if (!geometry.layout.boxOf.has(node.index))
      layers.nodes.append(drawNode(node, geometry.place(node.index), inJob, job, pick));
  const svg =
      drawing(boxOf(machine, geometry), name, describe(machine, job), {class: "machine"}, ...Object.values(layers));
  if (pick) svg.setAttribute("role", "group");
  return {svg, layers, geometry, machine};
}

// Of cables between shut boxes one stands for all.
function drawCables(machine, geometry, usable) {
  const bundles = new Map();
  for (const cable of machine.cables) {
    if (geometry.inBox(cable.a, cable.b)) continue;
    const key = geometry.line(cable.a, cable.b, cable.kind);
    if (!bundles.has(key)) bundles.set(key, []);
    bundles.get(key).push(cable);
  }
  return [...bundles.values()].map((cables) => {
    const [first] = cables;
    const words = cables.length === 1 ?
        wordsOf(machine, first) :
        `${count(cables.length, KIND_NAMES[first.kind])}, ${
            + cables.reduce((sum, one) => sum + one.bandwidth, 0).toPrecision(4)} GB/s together`;
    return s(
        "path", {
          class: `cable ${first.kind}${cables.some((one) => usable.has(one)) ? "" : " idle"}`,
          d: pathOf(geometry.cable(first)),
          "stroke-width": widthOf(machine, first.bandwidth).toFixed(1)
        },
        s("title", {}, words));
  });
}

function drawFrame(frame, inJob) {
  const x = frame.x * UNIT, y = frame.y * UNIT, w = frame.w * UNIT, high = frame.h * UNIT;
  const inside = frame.nodes.filter((node) => inJob.has(node)).length;
  return s(
      "g", {class: `frame${inside ? "" : " idle"}`}, s("rect", {x, y, width: w, height: high, rx: 14}),
      frame.shut ?
          [
            s("text", {x: x + w / 2, y: y + high / 2 - 6, class: "name"}, shorten(frame.label, 14)),
            s("text", {x: x + w / 2, y: y + high / 2 + 16, class: "small"}, count(frame.gpus.length, "GPU"))
          ] :
          s("text", {x: x + 12, y: y + 22, class: "label"}, shorten(frame.label, 20)));
}

const shorten = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

function drawNode(node, {x, y, r}, inJob, job, pick) {
  const active = inJob.has(node.index), isGpu = node.kind === "gpu";
  const root = job && job.root === node;
  const known = isGpu ? `GPU ${node.gpu}` : node.kind;
  const attributes = {
    class: `node ${node.kind}${active || !isGpu ? "" : " idle"}`,
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`
  };
  if (pick && isGpu)
    Object.assign(attributes, {
      role: "button",
      tabindex: 0,
      "aria-pressed": String(active),
      "aria-label": `GPU ${node.gpu}: ${active ? "take out of" : "put into"} the job`,
      onclick: () => pick(node.gpu),
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          pick(node.gpu);
        }
      }
    });
  const text = isGpu ? String(node.gpu) : shorten(node.id.slice(node.id.lastIndexOf(".") + 1), 9);
  const width = Math.max(2 * r, text.length * 9 + 12);
  return s(
      "g", attributes, s("title", {}, `${node.id} (${known})${root ? ", the root" : ""}`),
      isGpu ? s("circle", {r}) :
              s("rect", {x: -width / 2, y: -15, width, height: 30, rx: node.kind === "switch" ? 6 : 2}),
      root ? s("circle", {r: r + 6, class: "root"}) : null, s("text", {"text-anchor": "middle", dy: "0.36em"}, text));
}

function boxOf(machine, geometry) {
  const places = machine.nodes.map((node) => geometry.layout.at.get(node.index));
  const {x, y, right, bottom} = boundsOf(places);
  let box = {x: x * UNIT - 60, y: y * UNIT - 60, right: right * UNIT + 60, bottom: bottom * UNIT + 60};
  for (const frame of geometry.layout.frames)
    box = {
      x: Math.min(box.x, frame.x * UNIT - 10),
      y: Math.min(box.y, frame.y * UNIT - 10),
      right: Math.max(box.right, (frame.x + frame.w) * UNIT + 10),
      bottom: Math.max(box.bottom, (frame.y + frame.h) * UNIT + 10)
    };
  for (const cable of machine.cables.slice(0, 4000)) {
    if (!geometry.layout.bends.has(cable)) continue;
    const {x: mx, y: my} = pointOn(geometry.cable(cable), 0.5);
    box = {
      x: Math.min(box.x, mx - 20),
      y: Math.min(box.y, my - 20),
      right: Math.max(box.right, mx + 20),
      bottom: Math.max(box.bottom, my + 20)
    };
  }
  return [box.x, box.y, box.right - box.x, box.bottom - box.y].map((one) => one.toFixed(0)).join(" ");
}

function describe(machine, job) {
  const kinds = new Map();
  for (const node of machine.nodes) kinds.set(node.kind, (kinds.get(node.kind) || 0) + 1);
  const parts = [...kinds].map(([kind, number]) => `${number} ${kind === "gpu" ? "GPUs" : `${kind} nodes`}`);
  const who = job ? ` The job has GPUs ${ranges(job.sortedGpus)}.` : "";
  return `${machine.name}: ${list(parts)}, joined by ${machine.cables.length} links.${who}`;
}
