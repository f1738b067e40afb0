// Which well-known shape a part of a machine has, by its links alone, whatever its nodes are called.

const PEER_KINDS = new Set(["nvlink", "xgmi", "c2c"]);

// Neighbours of each node over cables that `takes` accepts.
function neighbours(machine, takes) {
  const near = machine.nodes.map(() => new Set());
  for (const cable of machine.cables)
    if (takes(cable)) {
      near[cable.a].add(cable.b);
      near[cable.b].add(cable.a);
    }
  return near;
}

// Connected sets of nodes, each ascending.
function components(nodes, near) {
  const seen = new Set(), all = [];
  for (const start of nodes) {
    if (seen.has(start)) continue;
    const part = [start];
    seen.add(start);
    for (let i = 0; i < part.length; ++i)
      for (const next of near[part[i]])
        if (!seen.has(next)) {
          seen.add(next);
          part.push(next);
        }
    all.push(part.sort((a, b) => a - b));
  }
  return all;
}

// The boxes of a cluster: what is joined without a link of a network, and has GPUs. Null: it is one machine.
function boxesOf(machine) {
  const near = neighbours(machine, (cable) => cable.kind !== "network");
  const parts = components(machine.nodes.map((node) => node.index), near);
  const boxes = parts.filter((part) => part.some((index) => machine.nodes[index].kind === "gpu"));
  if (boxes.length < 2) return null;
  const shared = parts.filter((part) => !boxes.includes(part)).flat();
  const alone = boxes.every((box) => box.length === 1);  // a network of GPUs: no boxes to draw
  return alone ? null : {boxes, shared};
}

// Two quads of GPUs, all joined in each, and one link from each GPU to the other quad: the quads in the order
// [top left, top right, bottom right, bottom left], partners at the same place. Null: it is none.
function cubeMeshOf(gpus, near, isNear) {
  if (gpus.length !== 8) return null;
  const joined = (set) => set.every((a) => set.every((b) => a === b || near[a].has(b)));
  const [first, ...others] = gpus;
  const threes = [];
  for (const a of others)
    for (const b of others)
      for (const c of others)
        if (a < b && b < c) threes.push([a, b, c]);
  for (const three of threes) {
    const quad = [first, ...three], rest = gpus.filter((gpu) => !quad.includes(gpu));
    const partners = quad.map((gpu) => rest.filter((other) => near[gpu].has(other)));
    if (!joined(quad) || !joined(rest) || partners.some((one) => one.length !== 1) ||
        new Set(partners.flat()).size !== 4)
      continue;
    // Those that share a PCIe switch side by side.
    const second = three.find((gpu) => isNear(first, gpu)) || three[0];
    const [third, fourth] = three.filter((gpu) => gpu !== second);
    const order = [second, first, fourth, third];
    return [order, order.map((gpu) => partners[quad.indexOf(gpu)][0])];
  }
  return null;
}

// Sizes {height, width} or {planes, height, width} of a mesh or torus whose GPUs are numbered row by row. Null: none.
function gridOf(gpus, near) {
  const n = gpus.length;
  const place = new Map(gpus.map((gpu, i) => [gpu, i]));
  const splits = [];
  for (let y = 2; y * y <= n; ++y)
    if (n % y === 0) splits.push([1, y, n / y], [1, n / y, y]);
  for (let z = 2; z <= n / 4; ++z)
    for (let y = 2; y <= n / z / 2; ++y)
      if (n % (z * y) === 0) splits.push([z, y, n / (z * y)]);
  const isGrid = ([z, y, x]) => gpus.every((gpu, i) => {
    const at = [Math.floor(i / (x * y)), Math.floor(i / x) % y, i % x], sizes = [z, y, x], strides = [x * y, x, 1];
    const expected = new Set(), allowed = new Set();
    for (const d of [0, 1, 2])
      for (const step of [-1, 1]) {
        const to = at[d] + step;
        if (to >= 0 && to < sizes[d])
          expected.add(i + step * strides[d]);
        else if (sizes[d] > 2)
          allowed.add(i - step * (sizes[d] - 1) * strides[d]);
      }
    const there = [...near[gpu]].map((other) => place.get(other));
    return there.every((other) => expected.has(other) || allowed.has(other)) &&
        [...expected].every((other) => there.includes(other));
  });
  return splits.find(isGrid) || null;
}
