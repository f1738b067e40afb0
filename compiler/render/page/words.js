// Numbers and lists as people read them.

function rate(gbps) {
  if (gbps === null) return "unlimited";
  return `${gbps >= 100 ? gbps.toFixed(0) : gbps >= 1 ? gbps.toFixed(1) : gbps.toPrecision(3)} GB/s`;
}

function percent(part) {
  return `${(100 * part).toFixed(part > 0.9995 || part === 0 ? 0 : 1)} %`;
}

function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (unit < 3 && count >= 1024) {
    count /= 1024;
    ++unit;
  }
  return `${Number.isInteger(count) ? count : count.toFixed(1)} ${units[unit]}`;
}

function time(us) {
  return us >= 1e6 ? `${(us / 1e6).toPrecision(3)} s` :
      us >= 1e3 ? `${(us / 1e3).toPrecision(3)} ms` :
                  `${us.toPrecision(3)} µs`;
}

function count(number, one, several) {
  return `${number} ${number === 1 ? one : several || `${one}s`}`;
}

// "a, b and c"; of many the first ones.
function list(words, most = 12) {
  const shown = words.slice(0, most);
  if (words.length > most) shown.push(`${words.length - most} more`);
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
}

// "0-3,6" where there are many: three or more that follow each other are a range.
function ranges(numbers, many = 12) {
  const parts = [];
  for (let i = 0; i < numbers.length;) {
    let end = i;
    while (end + 1 < numbers.length && numbers[end + 1] === numbers[end] + 1) ++end;
    if (numbers.length > many && end - i >= 2) {
      parts.push(`${numbers[i]}-${numbers[end]}`);
    } else {
      end = i;
      parts.push(String(numbers[i]));
    }
    i = end + 1;
  }
  return parts.join(",");
}

const KIND_NAMES = {
  nvlink: "NVLink",
  pcie: "PCIe",
  host: "host link",
  c2c: "C2C",
  xgmi: "xGMI",
  network: "network link"
};
const ROOTED = {
  broadcast: "from",
  scatter: "from",
  reduce: "to",
  gather: "to"
};
