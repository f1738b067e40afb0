// What the lanes of each GPU did with their time in the simulated message: when they were in folds, and what they
// waited for.

const TIMELINE_WIDTH = 600, LANE_HEIGHT = 6;

function lanesCard(job) {
  const {replay} = job.program;
  if (!replay) return null;
  const byRank = new Map();
  replay.lanes.forEach(([rank, lane, folds, data, slots], number) => {
    if (!byRank.has(rank)) byRank.set(rank, []);
    byRank.get(rank).push({number, lane, folds, data, slots});
  });
  const paths = foldPaths(replay);
  return card(
      "Lanes", {class: "lanescard"},
      h("p", {class: "hint"},
        `When each lane, which is one thread block of a GPU, was in folds: a message of ${
            bytes(replay.bytes)}, simulated, ${time(replay.us)}.`),
      h("div", {class: "lanegrid"},
        [...byRank].map(
            ([rank, lanes]) =>
                h("div", {class: "lanes"}, h("b", {}, gpuName(job, rank)), timeline(job, rank, lanes, paths)))),
      h("details", {}, h("summary", {}, "What lanes waited for"), waitsTable(job, replay, byRank)));
}

const gpuName = (job, rank) => `GPU ${job.ends[rank].gpu}`;

// Of each lane its folds as one path, in parts of the message's time.
function foldPaths(replay) {
  const paths = replay.lanes.map(() => []), {folds} = replay;
  for (let i = 0; i < folds.length; i += 3) {
    const x = folds[i + 1] / 1e3 / replay.us * TIMELINE_WIDTH,
          wide = Math.max(0.4, (folds[i + 2] - folds[i + 1]) / 1e3 / replay.us * TIMELINE_WIDTH);
    paths[folds[i]].push(`M${x.toFixed(1)} 0h${wide.toFixed(1)}v${LANE_HEIGHT - 1.5}h-${wide.toFixed(1)}z`);
  }
  return paths.map((one) => one.join(""));
}

function timeline(job, rank, lanes, paths) {
  const high = lanes.length * LANE_HEIGHT;
  return drawing(
      `0 0 ${TIMELINE_WIDTH} ${high}`, `Lanes of ${gpuName(job, rank)} over time`,
      `${count(lanes.length, "lane")}; the table below says what they waited for.`,
      {class: "timeline", preserveAspectRatio: "none", style: {height: `${high}px`}},
      lanes.map(
          ({number, lane}, i) =>
              s("g", {transform: `translate(0 ${i * LANE_HEIGHT})`}, s("title", {}, `Lane ${lane}`),
                s("rect", {class: "idle", width: TIMELINE_WIDTH, height: LANE_HEIGHT - 1.5}),
                s("path", {class: "fold", d: paths[number]}))),
      s("line", {class: "cursor", y2: high}));
}

function waitsTable(job, replay, byRank) {
  const rows = [...byRank].flatMap(([rank, lanes]) => lanes.map((lane) => ({rank, ...lane})));
  const part = (title, key) =>
      ({title, number: true, value: (row) => row[key], cell: (row) => percent(row[key] / replay.us)});
  return sortableTable(
      "Parts of the message's time",
      [
        {title: "GPU", number: true, value: ({rank}) => job.ends[rank].gpu},
        {title: "Lane", number: true, value: ({lane}) => lane}, part("In folds", "folds"), part("For data", "data"),
        part("For slots", "slots")
      ],
      rows, [3, true]);
}
