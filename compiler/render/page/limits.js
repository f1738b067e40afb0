// Why a job is as fast as it is, in words: which links limit it, and what one more would bring.

// Cables that limit the job, of each kind, the scarcest first.
function scarceCables(job) {
  const cables = new Map();
  for (const {link, price} of job.links)
    if (price > 0) cables.set(link.cable, Math.max(price, cables.get(link.cable) || 0));
  return [...cables].sort((a, b) => b[1] - a[1]).map(([cable]) => cable);
}

const comparison = (times) =>
    Math.abs(times - 1) < 0.005 ? "trees are as fast" : `trees are ${times.toFixed(2)} times as fast`;

function headline(job) {
  const {program} = job, isBound = program.variants.length === 0, part = partOf(program);
  const who = `${nameOf(job)} on ${
      job.gpus.length === job.machine.gpus.length && job.gpus.length > 1 ? `all ${job.gpus.length} GPUs` :
                                                                           `GPUs ${ranges(job.sortedGpus)}`}`;
  return h(
      "div", {class: "headline"}, h("p", {class: "who"}, who),
      h("p", {class: "big"}, rate(isBound ? program.bound : program.rate)),
      h("p", {},
        program.bound === null ? "One GPU: the result is a copy." :
            isBound            ? "is the most that any schedule can reach." :
                                 `${percent(part)} of the bound, ${rate(program.bound)}, which no schedule can pass.`),
      h("div", {class: "meter", role: "img", "aria-label": `${percent(part)} of the bound`},
                   h("span", {style: {width: `${Math.min(100, 100 * part)}%`}})),
      program.rings && !isBound ? h("p", {class: "hint"},
                                               `${count(program.rings.count, "ring")} on the same links: ${
                                        rate(program.rings.rate)}; ${comparison(program.rate / program.rings.rate)}.`) :
                                             null);
}

// "all 4 NVLink connections", "3 of 7 PCIe connections": of those that the job may use and of each kind.
function amountsOf(job, cables) {
  const {machine} = job, mine = new Set(job.ends.map((node) => node.index));
  const isPart = (cable) => [cable.a, cable.b].every((node) => machine.nodes[node].kind !== "gpu" || mine.has(node));
  return [...new Set(cables.map((cable) => cable.kind))].map((kind) => {
    const full = cables.filter((cable) => cable.kind === kind).length;
    const all =
        new Set(job.links.map((use) => use.link.cable).filter((cable) => cable.kind === kind && isPart(cable))).size;
    return `${
        full < all ? `${full} of ${all}` :
            all === 1 ? "the" :
            all === 2 ? "both" :
                        `all ${all}`} ${KIND_NAMES[kind]} connection${all === 1 ? "" : "s"}`;
  });
}

function limitsCard(job, find) {
  const cables = scarceCables(job), {program, machine} = job;
  const groups = job.groups.filter((group) => group.length > 0);
  const parts = groups.length > 1 && groups.length < job.gpus.length ?
      h("p", {},
        `They separate GPUs ${
            list(groups.map((group) => ranges(group, 4)), 8)
                .replace(/, | and /g, (word) => ` |${word === ", " ? " " : " "}`)}.`) :
      groups.length > 1 ? h("p", {}, "They separate every GPU from every other.") :
                          null;
  return card(
      "What limits it", {class: "limits"},
      cables.length ?
          h("p", {class: "answer"},
            `These links are full: ${
                list(amountsOf(job, cables))} that the job has. More bandwidth anywhere else brings nothing.`) :
          null,
      h("ul", {class: "chips"},
        cables.slice(0, 12).map(
            (cable) =>
                h("li", {},
                  h("button", {
                    type: "button",
                    class: "chip",
                    title: wordsOf(machine, cable),
                    onmouseenter: () => find(cable),
                    onfocus: () => find(cable),
                    onmouseleave: () => find(null),
                    onblur: () => find(null)
                  },
                    `${machine.nodes[cable.a].id} – ${machine.nodes[cable.b].id}`,
                    h("small", {}, ` ${KIND_NAMES[cable.kind]}`))))),
      cables.length > 12 ? h("p", {class: "hint"}, `and ${cables.length - 12} more, in the table of links.`) : null,
      parts,
      h("details", {open: program.reasons.length < 3}, h("summary", {}, "The proof, in words"),
        program.reasons.map((reason) => h("p", {class: "reason"}, reason))));
}

// How many links like a new one there are between its ends; null: they are no whole number of these.
function linksBetween(machine, {from, to, kind, bandwidth}) {
  const link = machine.linkOf.get(`${from.index} ${to.index} ${kind}`);
  const number = link ? link.bandwidth / bandwidth : 0;
  return Math.abs(number - Math.round(number)) < 1e-6 ? Math.round(number) : null;
}

function moreCard(job, tryLink) {
  const {program, machine} = job;
  if (program.improvements.length === 0) return null;
  const alike = job.improvements.every((one) => one.kind === job.improvements[0].kind);
  const rows = job.improvements.map((one) => {
    const gain = one.bound / program.bound - 1;
    const now = linksBetween(machine, one);
    return h(
        "tr", {class: gain > 1e-6 ? "" : "nothing"},
        h("td", {},
          h("button", {
            type: "button",
            class: "chip",
            onmouseenter: () => tryLink(one),
            onfocus: () => tryLink(one),
            onmouseleave: () => tryLink(null),
            onblur: () => tryLink(null)
          },
            `${one.from.id} – ${one.to.id}`, alike ? null : h("small", {}, ` ${KIND_NAMES[one.kind]}`))),
        h("td", {class: "links"}, now === null ? "" : `${now} → ${now + 1}`),
        h("td", {class: "number"}, rate(one.bound).replace(" GB/s", "")),
        h("td", {class: "number gain"}, gain > 1e-6 ? `+${(100 * gain).toFixed(1)} %` : "nothing"));
  });
  const best = job.improvements[0], gain = best.bound / program.bound - 1;
  return card(
      "One more link", {class: "more"},
      h("p", {class: "answer"},
        gain > 1e-6 ? `One more ${KIND_NAMES[best.kind]} of ${rate(best.bandwidth)} between ${best.from.id} and ${
                          best.to.id} would lift the bound from ${rate(program.bound)} to ${rate(best.bound)}.` :
                      "No single link more would bring anything: others are as full."),
      h("table", {},
        h("thead", {},
          h("tr", {},
            [["Between"], ["Links"], ["Bound", "number"], ["Gain", "number"]].map(
                ([word, style]) => h("th", {scope: "col", class: style}, word)))),
        h("tbody", {}, rows)));
}
