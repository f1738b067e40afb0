// What the page shows, from the JSON that compiler/render/PageJson.cpp writes:
//
//   machines[]     nodes [id, kind], links [from, to, kind, GB/s, us, count], type and gpusOfType
//   programs[]     of an allocation: rate (null: only a bound is known), bound, reasons, groups, links [link, load,
//                  price], improvements [node, node, kind, GB/s, bound], variants, rings, replay
//   classes[]      programs of allocations that are alike
//   allocations[]  [gpus, class, node map]: a bundle's
//
// A job is one program under the names of one allocation.

const DATA = JSON.parse(document.getElementById("data").textContent);

function readMachine(json) {
  const nodes = json.nodes.map(([id, kind], index) => ({id, kind, index, gpu: -1}));
  const gpus = nodes.filter((node) => node.kind === "gpu");
  gpus.forEach((node, number) => {
    node.gpu = number;
  });
  const links = json.links.map(
      ([from, to, kind, bandwidth, latency, count], index) => ({from, to, kind, bandwidth, latency, count, index}));
  const machine = {...json, nodes, gpus, links};
  machine.linkOf = new Map(links.map((link) => [`${link.from} ${link.to} ${link.kind}`, link]));
  machine.cables = cablesOf(links);
  return machine;
}

// Both directions between two nodes, of one kind: what is drawn as one line.
function cablesOf(links) {
  const cables = new Map();
  for (const link of links) {
    const [a, b] = link.from < link.to ? [link.from, link.to] : [link.to, link.from];
    const key = `${a} ${b} ${link.kind}`;
    if (!cables.has(key)) cables.set(key, {a, b, kind: link.kind, links: [], bandwidth: 0, count: 1});
    const cable = cables.get(key);
    cable.links.push(link);
    cable.bandwidth = Math.max(cable.bandwidth, link.bandwidth);
    cable.count = Math.max(cable.count, link.count);
    link.cable = cable;
  }
  return [...cables.values()];
}

const MACHINES = DATA.machines.map(readMachine);
const ALLOCATIONS = DATA.allocations.map(([gpus, alike, nodes], index) => ({gpus, alike, nodes, index}));
const IS_BUNDLE = ALLOCATIONS.length > 0;

// A program under an allocation's names: nodes, links and GPUs as the machine has them.
function jobOf(program, allocation) {
  const machine = MACHINES[program.machine];
  const map = allocation && allocation.nodes.length > 0 ? allocation.nodes : null;
  const node = (index) => machine.nodes[map ? map[index] : index];
  const link = (index) => {
    const one = machine.links[index];
    return map ? machine.linkOf.get(`${map[one.from]} ${map[one.to]} ${one.kind}`) : one;
  };
  const gpu = (number) => node(machine.gpus[number].index);
  const ranks = program.gpus.map(gpu);
  const ends = [...ranks, ...program.relays.map(gpu)];
  const links = [];
  for (const [index, load, price] of program.links) {
    const one = link(index);
    if (one) links.push({link: one, load, price});
  }
  const job = {
    program,
    allocation,
    machine,
    ranks,
    ends,
    links,
    node,
    link,
    gpus: ranks.map((one) => one.gpu),
    root: program.root === null ? null : ranks[program.root],
    groups: program.groups.map((group) => group.map((number) => gpu(number).gpu).sort((a, b) => a - b)),
    improvements: program.improvements.map(
        ([from, to, kind, bandwidth, bound]) => ({from: node(from), to: node(to), kind, bandwidth, bound}))
  };
  job.use = new Map(links.map((use) => [use.link, use]));
  job.sortedGpus = [...job.gpus].sort((a, b) => a - b);
  return job;
}

// Of the bound what the schedule reaches; 1 of a bound alone.
const partOf = (program) => program.rate === null ? 1 : program.rate / program.bound;

function nameOf(job) {
  const words = job.program.collective;
  return job.root ? `${words} ${ROOTED[words] || "from"} GPU ${job.root.gpu}` : words;
}

// What an allocation has for a collective; null: nothing joins its GPUs.
function programOf(allocation, collective) {
  const numbers = DATA.classes[allocation.alike];
  const found = numbers.map((number) => DATA.programs[number]).find((one) => one.collective === collective);
  return found || null;
}
