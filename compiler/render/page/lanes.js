// What the lanes of each GPU did with their time in the simulated message.

function lanesCard(job) {
  const {replay} = job.program;
  if (!replay)
    return null;
  const byRank = new Map();
  for (const [rank, lane, folds, data, slots] of replay.lanes) {
    if (!byRank.has(rank))
      byRank.set(rank, []);
    byRank.get(rank).push({lane, folds, data, slots});
  }
  const part = (us) => us / replay.us;
  const rows = [...byRank].map(([rank, lanes]) => h("div", {class: "lanes"},
    h("b", {}, `GPU ${job.ends[rank].gpu}`),
    h("div", {class: "bars"}, lanes.map((one) => h("div", {class: "bar", role: "img",
      "aria-label": `Lane ${one.lane}: ${percent(part(one.folds))} in folds, ${percent(part(one.data))} waiting for data, ${percent(part(one.slots))} for slots`,
      title: `Lane ${one.lane}: ${percent(part(one.folds))} in folds, ${percent(part(one.data))} waiting for data, ${percent(part(one.slots))} for slots`},
    [["folds", one.folds], ["data", one.data], ["slots", one.slots]].map(([kind, us]) => h("span", {class: kind, style: {width: `${100 * part(us)}%`}})))))));
  return card("Lanes", {class: "lanescard"},
    h("p", {class: "hint"}, `A message of ${bytes(replay.bytes)} simulated: ${time(replay.us)}. A lane is one thread block of a GPU, a bar its time.`),
    h("p", {class: "key"}, h("span", {class: "swatch folds"}, "in folds"), h("span", {class: "swatch data"}, "waits for data"),
      h("span", {class: "swatch slots"}, "waits for slots"), h("span", {class: "swatch done"}, "done")),
    h("div", {class: "lanegrid"}, rows));
}
