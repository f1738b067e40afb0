// Where nodes are drawn. A unit is the distance of two nodes that stand side by side. Nothing depends on chance or on a
// clock: a machine looks the same on every page.

const MANY_GPUS = 80;  // beyond which a cluster's boxes are drawn shut

// {at: node -> {x, y}, bends: cable -> part of its length, frames: [{x, y, w, h, label}], boxOf: node -> box or absent}
function layoutOf(machine) {
  if (!machine.layout) machine.layout = makeLayout(machine);
  return machine.layout;
}

function makeLayout(machine) {
  const layout = {at: new Map(), bends: new Map(), frames: [], boxOf: new Map()};
  const cluster = boxesOf(machine);
  if (cluster)
    placeBoxes(machine, cluster, layout);
  else
    placePart(machine, machine.nodes.map((node) => node.index), layout).forEach((at, node) => layout.at.set(node, at));
  if (machine.nodes.length <= 300) bendCables(machine, layout);
  return layout;
}

// The nodes of one box, around (0, 0).
function placePart(machine, part, layout) {
  const inside = new Set(part);
  const within = (takes) => neighbours(machine, (cable) => inside.has(cable.a) && inside.has(cable.b) && takes(cable));
  const isGpu = (node) => machine.nodes[node].kind === "gpu";
  const gpus = part.filter(isGpu);
  const direct = within((cable) => isGpu(cable.a) && isGpu(cable.b));
  const peer = within((cable) => PEER_KINDS.has(cable.kind));
  const other = within((cable) => !PEER_KINDS.has(cable.kind));
  const fabric = part.filter((node) => !isGpu(node) && [...peer[node]].some(isGpu));
  const shareSwitch = (a, b) => [...other[a]].some((node) => other[b].has(node));
  const at = new Map();
  const all = within(() => true);
  const cube = cubeMeshOf(gpus, direct, shareSwitch);
  const grid = gpus.length === part.length && gpus.length > 3 ? gridOf(gpus, direct) : null;
  layout.isGrid = Boolean(grid);
  if (cube)
    placeCube(cube, at);
  else if (grid)
    placeGrid(gpus, grid, at);
  else if (fabric.length > 0 && part.every((node) => isGpu(node) || fabric.includes(node) || !peer[node].size))
    placeStar(gpus, fabric, at);
  else if (gpus.some((gpu) => direct[gpu].size > 0) && gpus.length <= 64)
    placeCircle(gpus, at);
  else
    placeRow(gpus, at);
  placeHosts(machine, part.filter((node) => !at.has(node)), all, at, Boolean(cube));
  return at;
}

function placeCube([left, right], at) {
  const corners = [[0, 0], [1.9, 0], [1.9, 1.9], [0, 1.9]];
  // The right quad is the left one's mirror image: partners at the inner corners face each other.
  left.forEach((gpu, i) => at.set(gpu, {x: corners[i][0] - 3.1, y: corners[i][1] - 0.95}));
  right.forEach((gpu, i) => at.set(gpu, {x: 3.1 - corners[i][0], y: corners[i][1] - 0.95}));
}

// Planes one behind the other, to the upper right.
function placeGrid(gpus, [planes, height, width], at) {
  const gap = planes > 1 ? 0.55 * planes + 0.5 : 1.2;
  gpus.forEach((gpu, i) => {
    const plane = Math.floor(i / (width * height));
    at.set(gpu, {x: (i % width) * gap + plane * 0.55, y: Math.floor(i / width) % height * gap - plane * 0.42});
  });
}

function placeLine(nodes, y, gap, at) {
  nodes.forEach((node, i) => at.set(node, {x: (i - (nodes.length - 1) / 2) * gap, y}));
}

// GPUs around the switches that join them, half of them above and half below.
function placeStar(gpus, fabric, at) {
  const perRow = Math.ceil(gpus.length / 2), gap = perRow > 8 ? 0.8 : 1.15;
  if (gpus.length > 24) {
    placeCircle(gpus, at, 0.68);
  } else {
    placeLine(gpus.slice(0, perRow), -1.5, gap, at);
    placeLine(gpus.slice(perRow), 1.5, gap, at);
  }
  placeLine(fabric, 0, Math.max(1.15, Math.min(perRow, 10) * gap / Math.max(1, fabric.length)), at);
}

function placeCircle(gpus, at, gap = 1.25) {
  const n = gpus.length;
  if (n === 2) return placeLine(gpus, 0, 2.2, at);
  const radius = Math.max(1.5, n * gap / (2 * Math.PI));
  gpus.forEach((gpu, i) => {
    const angle = (2 * Math.PI * (i + 0.5)) / n - Math.PI / 2 - (n === 4 ? Math.PI / 2 : 0);
    at.set(gpu, {x: radius * Math.cos(angle), y: radius * Math.sin(angle)});
  });
}

function placeRow(gpus, at) {
  placeLine(gpus, 0, gpus.length > 8 ? 0.75 : 1.15, at);
}

// Switches and CPUs outside of the GPUs, nearer to those they serve: in rows above and below.
function placeHosts(machine, hosts, near, at, besides) {
  const ys = [...at.values()].map((one) => one.y), xs = [...at.values()].map((one) => one.x);
  const top = Math.min(...ys, 0), bottom = Math.max(...ys, 0), left = Math.min(...xs, 0), right = Math.max(...xs, 0);
  const flat = bottom - top < 0.1;
  const waiting = new Set(hosts);
  for (let level = 1; waiting.size > 0; ++level) {
    let now = [...waiting].filter((node) => [...near[node]].some((one) => at.has(one)));
    if (now.length === 0) now = [...waiting];
    const rows = {above: [], below: []};
    const wish = new Map(
        now.map((node) => [node, middleOf([...near[node]].filter((one) => at.has(one)).map((one) => at.get(one)))]));
    for (const node of now) {
      waiting.delete(node);
      const {x, y} = wish.get(node);
      if (besides && level > 1 && Math.abs(y) < 0.5 && Math.abs(x) > 0.5)
        at.set(node, {x: x < 0 ? left - 1.3 : right + 1.3, y: 0});
      else
        (flat || y < 0.01 ? rows.above : rows.below).push(node);
    }
    for (const side of ["above", "below"]) {
      const y = side === "above" ? top - 0.25 - level * 1.05 : bottom + 0.25 + level * 1.05;
      spread(rows[side], wish, y, at);
    }
  }
}

function middleOf(places) {
  const mean = (key) => places.reduce((sum, one) => sum + one[key], 0) / Math.max(1, places.length);
  return {x: mean("x"), y: mean("y")};
}

// In a row, as near to where each wishes to be as their widths allow.
function spread(row, wish, y, at) {
  row.sort((a, b) => wish.get(a).x - wish.get(b).x || a - b);
  const gap = 1.25, xs = [];
  for (const node of row) xs.push(Math.max(wish.get(node).x, xs.length ? xs[xs.length - 1] + gap : -Infinity));
  const shift = row.reduce((sum, node, i) => sum + wish.get(node).x - xs[i], 0) / Math.max(1, row.length);
  row.forEach((node, i) => at.set(node, {x: xs[i] + shift, y}));
}

function boundsOf(places) {
  const xs = places.map((one) => one.x), ys = places.map((one) => one.y);
  const least = (all) => all.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (all) => all.reduce((a, b) => Math.max(a, b), -Infinity);
  return {x: least(xs), y: least(ys), right: most(xs), bottom: most(ys)};
}

// Boxes in a grid, what they share below. Of many GPUs a box is one node.
function placeBoxes(machine, {boxes, shared}, layout) {
  const shut = machine.gpus.length > MANY_GPUS;
  const insides =
      boxes.map((box) => shut ? new Map(box.map((node) => [node, {x: 0, y: 0}])) : placePart(machine, box, layout));
  const bounds = insides.map((inside) => boundsOf([...inside.values()]));
  const wide = Math.max(...bounds.map((one) => one.right - one.x)) + (shut ? 1.3 : 1.4);
  const high = Math.max(...bounds.map((one) => one.bottom - one.y)) + (shut ? 0.8 : 1.5);
  // Up to eight boxes stand in two rows with what they share between, others in a square above it.
  const two = boxes.length <= 8;
  const columns = two ? Math.ceil(boxes.length / 2) :
                        Math.min(boxes.length, Math.ceil(Math.sqrt(boxes.length * 1.6 * high / wide)));
  const middle = two && shared.length > 0 ? 2.2 : 0;
  boxes.forEach((box, i) => {
    const x = (i % columns) * (wide + 0.4), y = Math.floor(i / columns) * (high + 0.4 + middle);
    const {x: left, y: top, right, bottom} = bounds[i];
    insides[i].forEach(
        (one, node) => layout.at.set(
            node, {x: x + wide / 2 + one.x - (left + right) / 2, y: y + high / 2 + 0.1 + one.y - (top + bottom) / 2}));
    const gpus = box.filter((node) => machine.nodes[node].kind === "gpu").map((node) => machine.nodes[node].gpu);
    layout.frames.push({x, y, w: wide, h: high, nodes: box, shut, gpus, label: boxName(machine, box, i)});
    if (shut) box.forEach((node) => layout.boxOf.set(node, i));
  });
  const width = columns * (wide + 0.4) - 0.4,
        bottom = two ? high + 1.3 : Math.ceil(boxes.length / columns) * (high + 0.4) + 0.6;
  const gap = Math.min(2, Math.max(0.9, width / Math.max(1, shared.length)));
  const perRow = Math.max(8, Math.floor(width / gap));
  shared.forEach((node, i) => {
    const row = Math.floor(i / perRow), inRow = Math.min(perRow, shared.length - row * perRow);
    layout.at.set(node, {x: width / 2 + (i % perRow - (inRow - 1) / 2) * gap, y: bottom + row});
  });
}

// What the ids of its nodes begin with, or its number.
function boxName(machine, box, number) {
  const ids = box.map((node) => machine.nodes[node].id), dot = ids[0].indexOf(".");
  const prefix = dot > 0 ? ids[0].slice(0, dot + 1) : "";
  return prefix && ids.every((id) => id.startsWith(prefix)) ? prefix.slice(0, -1) : `box ${number}`;
}

// Cables that would run through a node, or over another cable, are bent.
function bendCables(machine, layout) {
  const seen = new Map();
  const places = [...layout.at.entries()], middle = middleOf([...layout.at.values()]);
  for (const cable of machine.cables) {
    const a = layout.at.get(cable.a), b = layout.at.get(cable.b);
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const key = `${cable.a} ${cable.b}`, before = seen.get(key) || 0;
    seen.set(key, before + 1);
    const hit = places.some(([node, one]) => node !== cable.a && node !== cable.b && distance(one, a, b) < 0.3);
    let bend = before * 0.18;
    if (hit && cable.kind !== "network") bend += layout.isGrid ? 0.55 / length : 0.16 + 0.3 / length;
    // Away from the middle of the drawing.
    const side = (b.x - a.x) * (a.y + b.y - 2 * middle.y) - (b.y - a.y) * (a.x + b.x - 2 * middle.x) > 0 ? -1 : 1;
    if (bend) layout.bends.set(cable, bend * side);
  }
}

// Of a point from a line.
function distance(point, a, b) {
  const dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy || 1;
  const t = Math.max(0, Math.min(1, ((point.x - a.x) * dx + (point.y - a.y) * dy) / square));
  return Math.hypot(point.x - a.x - t * dx, point.y - a.y - t * dy);
}
