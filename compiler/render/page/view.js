// The page's parts, made anew from the state whenever it changes.

const MODES = [
  ["machine", "Machine", "Who is joined to whom, as wide as it is fast"],
  ["limit", "Limit", "The links that hold the job back"], ["load", "Load", "How full links are"],
  ["trees", "Trees", "The trees that carry the data"], ["replay", "Replay", "A message, simulated"]
];

function currentJob(state) {
  if (!IS_BUNDLE) return DATA.programs.length ? jobOf(DATA.programs[state.program], null) : null;
  const allocation = ALLOCATIONS[state.allocation], program = programOf(allocation, state.collective);
  return program ? jobOf(program, allocation) : null;
}

function modesOf(job) {
  const {variants, replay} = job.program;
  return MODES.filter(
      ([mode]) =>
          mode === "machine" || mode === "limit" || (mode === "replay" ? Boolean(replay) : variants.length > 0));
}

// The drawing with what is chosen laid over it, and what belongs below it.
function stage(job, state, set) {
  const modes = modesOf(job), mode = modes.some(([one]) => one === state.mode) ? state.mode : "limit";
  const pick = IS_BUNDLE ? (gpu) => set({pick: gpu}) : null;
  const label = MODES.find(([one]) => one === mode);
  const picture =
      drawMachine(job.machine, job, `${job.machine.name}: ${label[1].toLowerCase()} of ${nameOf(job)}`, pick);
  let below = null;
  if (mode === "machine") {
    below = kindsKey(job.machine);
  } else if (mode === "limit") {
    showLimits(picture, job);
    below = limitKey();
  } else if (mode === "load") {
    showLoads(picture, job);
    below = heatKey();
  } else if (mode === "trees") {
    showTrees(picture, job, job.program.variants[state.variant].forest.trees, shownTrees(job, state));
    below = [variantChoice(job, state, set), treesPanel(job, state, set)];
  } else {
    below = replayPanel(job, picture);
  }
  const element =
      h("section", {class: "card stage", "aria-label": "The machine"},
        h("div", {class: "row"}, choice("What the drawing shows", modes, mode, (one) => set({mode: one}))), picture.svg,
        below,
        pick ? h("p", {class: "hint"}, "Click GPUs to put them into the job or take them out. Its page with a replay: ",
                 h("code", {},
                   `blinkc extract BUNDLE -g ${job.sortedGpus.join(",")} -c ${job.program.collective} -o one.sched`),
                 " and ", h("code", {}, "blinkc report one.sched -o one.html")) :
               null);
  return {element, picture};
}

function variantChoice(job, state, set) {
  const {variants} = job.program,
        drawn = variants.map((one, i) => [i, one]).filter(([, one]) => one.forest.trees.length > 0);
  return drawn.length < 2 ?
      null :
      choice(
          "Message size",
          drawn.map(
              ([i, one]) => [i, `${one.min ? `from ${bytes(one.min)}` : `below ${bytes(one.max)}`}`, variantName(one)]),
          state.variant, (variant) => set({variant, tree: -1}));
}

function limitKey() {
  return h(
      "p", {class: "key"}, h("span", {class: "swatch scarce"}, "full: limits the job"),
      h("span", {class: "swatch spare"}, "has room"));
}

function kindsKey(machine) {
  const kinds = [...new Set(machine.links.map((link) => link.kind))];
  return h(
      "p", {class: "key"}, kinds.map((kind) => h("span", {class: `swatch line ${kind}`}, KIND_NAMES[kind])),
      "Wider is faster.");
}

// A machine on which no job is possible.
function machineCard(machine) {
  return h(
      "section", {class: "card stage", "aria-label": "The machine"}, drawMachine(machine, null, machine.name, null).svg,
      kindsKey(machine));
}

// What shows while a chip has the focus or the pointer.
function finder(picture) {
  return {
    find: (cable) => {
      picture.layers.under.querySelectorAll(".found").forEach((one) => one.remove());
      if (cable && !picture.geometry.inBox(cable.a, cable.b)) showCable(picture, cable);
    },
    tryLink: (improvement) => {
      picture.layers.under.querySelectorAll(".newlink").forEach((one) => one.remove());
      if (improvement) showNewLink(picture, improvement);
    }
  };
}

function jobParts(job, state, set) {
  const {element, picture} = stage(job, state, set), {find, tryLink} = finder(picture);
  const chooser = !IS_BUNDLE && DATA.programs.length > 1 ?
      h("select", {"aria-label": "Program", onchange: (event) => set({program: Number(event.target.value)})},
        DATA.programs.map(
            (one, i) =>
                h("option", {value: i, selected: i === state.program},
                  `${nameOf(jobOf(one, null))}${
                      DATA.programs.some((other) => other.gpus.join() !== one.gpus.join()) ? ` on ${ranges(one.gpus)}` :
                                                                                             ""}`))) :
                                                                                             null;
  const cards = [curvesCard(job), lanesCard(job)];
  return {
    main: [element, ...(state.mode === "replay" ? cards.reverse() : cards)],
    side: [
      chooser, headline(job), limitsCard(job, find), moreCard(job, tryLink),
      card("Links", {class: "linkscard"}, linksTable(job))
    ]
  };
}
