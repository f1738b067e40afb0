// The state of the page, kept in its address, and the keys that change it.

const whole = ALLOCATIONS.length - 1;
const START = {
  program: 0,
  allocation: Math.max(0, whole),
  collective: IS_BUNDLE ? collectives()[0] : "",
  mode: "limit",
  variant: -1,
  tree: -1,
  size: 0,
  filter: ""
};
let state = {...START, ...fromAddress()};

// "#gpus=1,4,5,6&mode=trees": a view that can be sent to others.
function fromAddress() {
  const asked = {};
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
    if (key === "gpus") {
      const row = exact(ALLOCATIONS.map((allocation) => ({allocation})), value);
      if (row) asked.allocation = row.allocation.index;
    } else if (key === "collective" && IS_BUNDLE && collectives().includes(value)) {
      asked.collective = value;
    } else if (key === "mode" && MODES.some(([mode]) => mode === value)) {
      asked.mode = value;
    } else if (key === "size" && ALLOCATIONS.some((one) => one.gpus.length === Number(value))) {
      asked.size = Number(value);
    } else if (key === "program" && Number(value) < DATA.programs.length) {
      asked.program = Number(value) || 0;
    } else if (key === "tree") {
      asked.tree = Math.max(-1, (Number(value) || 0) - 1);
    }
  }
  return asked;
}

function toAddress() {
  const words = new URLSearchParams();
  if (IS_BUNDLE && state.allocation !== START.allocation)
    words.set("gpus", ALLOCATIONS[state.allocation].gpus.join(","));
  for (const key of ["collective", "mode", "size", "program"])
    if (state[key] !== START[key]) words.set(key, state[key]);
  if (state.tree >= 0) words.set("tree", state.tree + 1);
  history.replaceState(null, "", `#${words}`);
}

// The GPUs of the job, one more or less.
function afterPick(gpu) {
  const now = state.picked || ALLOCATIONS[state.allocation].gpus;
  const picked = now.includes(gpu) ? now.filter((one) => one !== gpu) : [...now, gpu].sort((a, b) => a - b);
  const found = ALLOCATIONS.find((one) => one.gpus.join() === picked.join());
  return {picked, ...(found ? {allocation: found.index} : {})};
}

function set(change, only) {
  if ("pick" in change)
    change = afterPick(change.pick);
  else if ("allocation" in change)
    change = {...change, picked: null};
  if ("allocation" in change || "collective" in change || "program" in change)
    change = {tree: -1, variant: -1, ...change};
  state = {...state, ...change};
  toAddress();
  const chosen = "allocation" in change;
  if (only === "table") {
    renderTable();
    return;
  }
  player.stop();
  const focus = focusPath();
  render();
  restoreFocus(focus);
  if (chosen) showChosen();
}

// Scrolls the table to the row of the job.
function showChosen() {
  const row = document.querySelector("#allocations-table tr[aria-current]"), box = row && row.closest(".scroll");
  if (box && (row.offsetTop < box.scrollTop + 30 || row.offsetTop > box.scrollTop + box.clientHeight - 40))
    box.scrollTop = row.offsetTop - box.clientHeight / 2;
}

// Elements are made anew: what had the focus keeps it, by where it stands.
function focusPath() {
  const path = [];
  for (let at = document.activeElement; at && at.id !== "page"; at = at.parentNode) {
    if (!at.parentNode || at === document.body) return null;
    path.unshift([...at.parentNode.children].indexOf(at));
  }
  return path;
}

function restoreFocus(path) {
  let at = document.getElementById("page");
  for (const place of path || []) at = at && at.children[place];
  if (path && at && at.focus) at.focus({preventScroll: true});
  if (path && at && at.type === "search") at.setSelectionRange(at.value.length, at.value.length);
}

function renderTable() {
  const place = document.getElementById("allocations-table"), made = allocationsPanel(state, set);
  place.replaceChildren(...made.querySelector("#allocations-table").children);
}

function render() {
  const job = currentJob(state),
        picked = state.picked && !ALLOCATIONS.some((one) => one.gpus.join() === state.picked.join());
  if (job && (state.variant < 0 || state.variant >= job.program.variants.length))
    state.variant = Math.max(0, job.program.variants.length - 1);
  const parts = job ?
      jobParts(job, state, set) :
      !IS_BUNDLE ?
      {main: [machineCard(MACHINES[0])], side: []} :
      {
        main: [card(
            "No path joins these GPUs", {},
            h("p", {}, "No links that may be used lead from each of them to each other one: there is no schedule."))],
        side: []
      };
  const machine = job ? job.machine : MACHINES[0];
  const scrolls = [...document.querySelectorAll(".scroll")].map((one) => one.scrollTop);
  document.getElementById("page").replaceChildren(
      h("header", {class: "top"},
        h("div", {}, h("h1", {}, DATA.title),
          h("p", {}, machine.description, machine.type && machine.type !== machine.name ? ` (a ${machine.type})` : "")),
        h("div", {class: "row"}, h("button", {type: "button", onclick: () => window.print()}, "Print"), themeButton())),
      h("main", {class: IS_BUNDLE ? "bundle" : "single"},
        IS_BUNDLE ? h("div", {class: "left"}, allocationsPanel(state, set)) : null,
        h("div", {class: "middle"},
          picked ?
              h("p", {class: "note", role: "status"},
                `There is no allocation ${state.picked.join(",") || "without GPUs"} in this bundle: put in more.`) :
              null,
          parts.main),
        h("div", {class: "right"}, parts.side)),
      h("footer", {}, notes().map((note) => h("p", {}, note)),
        h("p", {}, "Keys: ", h("kbd", {}, "←"), h("kbd", {}, "→"), " step, ", h("kbd", {}, "1"), " to ",
          h("kbd", {}, "5"), " drawing, ", IS_BUNDLE ? [h("kbd", {}, "/"), " find GPUs, "] : null,
          h("kbd", {}, "space"),
          " play. Rates are algbw: size of the message over its time, in GB/s = 1e9 bytes a second.")));
  [...document.querySelectorAll(".scroll")].forEach((one, i) => {
    one.scrollTop = scrolls[i] || 0;
  });
}

function notes() {
  const edits = [
    ...(DATA.without_links || []).map((ends) => `without ${ends}`),
    ...(DATA.limited_links || []).map(({ends, limit_gbps: limit}) => `${ends} limited to ${rate(limit)}`)
  ];
  return [...DATA.notes, ...(edits.length ? [`The machine is less than its type: ${list(edits)}.`] : [])];
}

function themeButton() {
  const root = document.documentElement;
  const dark = () =>
      root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const button =
      h("button", {
        type: "button",
        onclick: () => {
          root.dataset.theme = dark() ? "light" : "dark";
          button.textContent = dark() ? "Light" : "Dark";
        }
      },
        dark() ? "Light" : "Dark");
  return button;
}

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
  const job = currentJob(state);
  if (event.key === "/" && document.getElementById("filter")) {
    event.preventDefault();
    document.getElementById("filter").focus();
  } else if (job && /^[1-5]$/.test(event.key)) {
    const [mode] = MODES[Number(event.key) - 1];
    if (modesOf(job).some(([one]) => one === mode)) set({mode});
  } else if (
      job && state.mode === "replay" && job.program.replay &&
      (event.key === " " || event.key === "ArrowLeft" || event.key === "ArrowRight") &&
      !(event.key === " " && event.target.tagName === "BUTTON")) {
    event.preventDefault();
    if (event.key === " ")
      player.toggle();
    else
      player.step(event.key === "ArrowRight" ? 1 : -1);
  } else if (
      job && (event.key === "ArrowLeft" || event.key === "ArrowRight") && state.mode === "trees" &&
      job.program.variants.length) {
    const {trees} = job.program.variants[state.variant].forest, by = event.key === "ArrowRight" ? 1 : -1;
    event.preventDefault();
    set({tree: state.tree < 0 ? (by > 0 ? 0 : trees.length - 1) : (state.tree + by + trees.length) % trees.length});
  }
});
window.addEventListener("hashchange", () => {
  state = {...START, ...fromAddress()};
  render();
});
render();
showChosen();
