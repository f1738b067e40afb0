// A simulated message, played: chunks on their way, link by link, and the lanes' folds with a cursor.

const player = {
  at: 0,
  playing: false,
  speed: 1,
  stop: () => {}
};  // outlives views that are made anew

const PLAY_SECONDS = 12;  // that a message takes at speed 1

function readReplay(replay) {
  if (replay.moves) return replay;
  const {transfers} = replay;
  replay.moves = [];
  for (let i = 0; i < transfers.length; i += 4)
    replay.moves.push({
      channel: transfers[i],
      begin: transfers[i + 1] / 1e3,
      end: transfers[i + 2] / 1e3,
      arrival: transfers[i + 3] / 1e3
    });
  replay.moves.sort((a, b) => a.begin - b.begin || a.channel - b.channel);
  return replay;
}

// The curves that a channel's chunks go along.
function channelCurves(job, geometry, [, , , ...links]) {
  return links.map(job.link)
      .filter((link) => link && !geometry.inBox(link.from, link.to))
      .map((link) => geometry.link(link, 5));
}

// Draws the time `at` into the picture; the player calls it once a frame.
function replayScene(job, picture) {
  const replay = readReplay(job.program.replay), {geometry, layers} = picture;
  picture.svg.classList.add("quiet");
  const curves = replay.channels.map((channel) => channelCurves(job, geometry, channel));
  const dots = [];
  return (at) => {
    let used = 0, arrived = 0;
    for (const move of replay.moves) {
      if (move.begin > at) break;
      if (move.arrival <= at) {
        ++arrived;
        continue;
      }
      const path = curves[move.channel];
      if (path.length === 0) continue;
      const along = Math.min(0.9999, (at - move.begin) / Math.max(1e-9, move.arrival - move.begin)) * path.length;
      const {x, y} = pointOn(path[Math.floor(along)], along % 1);
      if (used === dots.length) dots.push(layers.under.appendChild(s("circle", {r: 7})));
      const dot = dots[used++], tree = replay.channels[move.channel][2];
      dot.setAttribute("class", `chunk tree${tree % TREE_COLORS}`);
      dot.setAttribute("cx", x.toFixed(1));
      dot.setAttribute("cy", y.toFixed(1));
    }
    for (let i = used; i < dots.length; ++i) dots[i].setAttribute("class", "gone");
    return arrived;
  };
}

function replayPanel(job, picture) {
  const {replay} = job.program, draw = replayScene(job, picture), total = replay.moves.length;
  player.stop();
  const slider = h("input", {
    type: "range",
    class: "time",
    min: 0,
    max: replay.us,
    step: "any",
    value: Math.min(player.at, replay.us),
    "aria-label": "Time",
    oninput: () => {
      pause();
      show(Number(slider.value));
    }
  });
  const words = h("output", {}, "");
  const show = (at) => {
    player.at = at;
    slider.value = at;
    const arrived = draw(at);
    slider.setAttribute("aria-valuetext", time(at));
    words.textContent = `${time(Math.max(at, 1e-3))} of ${time(replay.us)}, ${arrived} of ${total} chunks have arrived`;
    for (const cursor of document.querySelectorAll(".cursor"))
      cursor.setAttribute("transform", `translate(${(at / replay.us * TIMELINE_WIDTH).toFixed(1)} 0)`);
  };
  const button = h("button", {type: "button", class: "play", onclick: () => player.playing ? pause() : play()}, "Play");
  const pause = () => {
    player.playing = false;
    button.textContent = "Play";
  };
  let last = 0;
  const frame = (now) => {
    if (!player.playing) return;
    const at = Math.min(replay.us, player.at + (now - last) / 1e3 * player.speed * replay.us / PLAY_SECONDS);
    last = now;
    show(at);
    if (at < replay.us)
      requestAnimationFrame(frame);
    else
      pause();
  };
  const play = () => {
    if (player.at >= replay.us) player.at = 0;
    player.playing = true;
    button.textContent = "Pause";
    last = performance.now();
    requestAnimationFrame(frame);
  };
  player.stop = pause;
  player.toggle = () => button.click();
  player.step = (by) => {
    pause();
    show(Math.max(0, Math.min(replay.us, player.at + by * replay.us / 100)));
  };
  const speed =
      h("select", {
        "aria-label": "Speed",
        onchange: () => {
          player.speed = Number(speed.value);
        }
      },
        [0.25, 0.5, 1, 2, 8].map((one) => h("option", {value: one, selected: one === player.speed}, `${one} ×`)));
  queueMicrotask(() => show(Math.min(player.at, replay.us)));  // when the lanes are there, too
  return h(
      "div", {class: "player", role: "group", "aria-label": "Replay"}, h("div", {class: "row"}, button, slider, speed),
      words,
      h("p", {class: "hint"},
        `A message of ${
            bytes(
                replay
                    .bytes)}, by the simulator: links share themselves fairly among the chunks on their way. A dot is a chunk, its colour the tree.`));
}
