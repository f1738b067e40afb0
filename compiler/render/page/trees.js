// The trees of a program: a list to step through.

function treesPanel(job, state, set) {
  const {trees, omitted} = job.program.variants[state.variant].forest;
  if (trees.length === 0) return null;
  const all = state.tree < 0;
  const step = (by) =>
      set({tree: all ? (by > 0 ? 0 : trees.length - 1) : (state.tree + by + trees.length) % trees.length});
  const tree = all ? null : trees[state.tree];
  const words = all ?
      `${count(trees.length, "tree")}${
          omitted ? `, and ${omitted} lighter ones that are not drawn` : ""}. Step through them with the arrow keys.` :
                    `Root GPU ${job.ends[tree.root].gpu}, ${percent(tree.share)} of the data${
          tree.copies > 1 ? `, as ${tree.copies} equal trees in lanes of their own` :
                                          ""              }, ${count(tree.depth, "hop")} deep.` +
          (tree.hops.some((hop) => hop[2]) && tree.hops.some((hop) => !hop[2]) ?
                             " Dashed: sums on their way to the root; solid: results from it." :
                             "");
  return h(
      "div", {class: "stepper", role: "group", "aria-label": "Trees"},
      h("div", {class: "steps"},
        h("button", {type: "button", "aria-label": "Previous tree", onclick: () => step(-1)}, "‹"),
        h("button", {type: "button", "aria-label": "Next tree", onclick: () => step(1)}, "›"),
        h("button", {type: "button", "aria-pressed": String(all), onclick: () => set({tree: -1})}, "All"),
        trees.slice(0, 24).map(
            (one, i) =>
                h("button", {
                  type: "button",
                  class: `dot tree${i % TREE_COLORS}`,
                  "aria-pressed": String(i === state.tree),
                  "aria-label": `Tree ${i + 1} of ${trees.length}, ${percent(one.share)} of the data`,
                  onclick: () => set({tree: i})
                },
                  String(i + 1)))),
      h("p", {"aria-live": "polite"}, words));
}

// Of all trees the first few: more arrows than these are a tangle.
function shownTrees(job, state) {
  const {trees} = job.program.variants[state.variant].forest;
  return state.tree >= 0 ? [Math.min(state.tree, trees.length - 1)] : trees.map((_, i) => i).slice(0, TREE_COLORS);
}
