// Making elements. Text from the file becomes text nodes and attribute values alone: nothing is parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else if (name === "style")
      for (const [property, one] of Object.entries(value)) element.style.setProperty(property, one);
    else
      element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

// h("p", {class: "hint"}, "text", h("b", {}, "more"))
function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// The same for parts of a drawing.
function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

let lastId = 0;
const newId = (what) => `${what}${++lastId}`;

// A drawing with a name and a description, as screen readers say them.
function drawing(box, name, description, attributes, ...children) {
  const title = newId("t"), text = newId("d");
  return s(
      "svg", {viewBox: box, role: "img", "aria-labelledby": title, "aria-describedby": text, ...attributes},
      s("title", {id: title}, name), s("desc", {id: text}, description), ...children);
}

// Buttons of which one is on.
function choice(name, options, chosen, choose) {
  return h(
      "div", {class: "choice", role: "group", "aria-label": name},
      options.map(
          ([value, label, hint]) =>
              h("button",
                {type: "button", "aria-pressed": String(value === chosen), title: hint, onclick: () => choose(value)},
                label)));
}

function card(title, attributes, ...children) {
  const id = newId("c");
  return h(
      "section", {...attributes, class: `card ${attributes.class || ""}`, "aria-labelledby": id}, h("h2", {id}, title),
      ...children);
}
