"use strict";
// Rows of the data:
//   band     [size, address, stream, pool, first step, end step, allocated at, freed at, stack]
//   step     [first event, bytes of all that is no band, reserved bytes, microseconds since the first event]
//   failure  [event, step, bytes asked for, bytes free on the device]
//   segment  [address, bytes, is expandable, blocks]
//   block    [state: 0 inactive, 1 allocated, 2 waiting; bytes, bytes asked for, address, stack]
// Events and stacks are numbers, or null where there is none. A stack is a list of places in "frames".
const data = JSON.parse(document.getElementById("data").textContent);
const states = ["inactive", "allocated", "waiting for another stream"];

function element(name, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (parent) parent.appendChild(made);
  return made;
}

function bytesText(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) { bytes /= 1024; ++unit; }
  return (unit === 0 ? String(bytes) : bytes.toFixed(2)) + " " + units[unit];
}

function timeText(microseconds) {
  return microseconds < 1e3 ? microseconds + " µs"
       : microseconds < 1e6 ? (microseconds / 1e3).toFixed(1) + " ms" : (microseconds / 1e6).toFixed(2) + " s";
}

function stackText(stack) {
  if (stack === null) return "no stack recorded";
  return data.stacks[stack].map(frame => "  " + data.frames[frame]).join("\n");
}

// The same place in the program has the same colour.
function colourOf(stack, size) {
  const seed = stack === null ? Math.round(Math.log2(size + 1)) : stack;
  return "hsl(" + (seed * 137.508 % 360).toFixed(0) + " " + (40 + seed * 7 % 25) + "% var(--band-lightness))";
}

// An outline would hide what is no thicker than itself.
function outlineIfThick(mark, pixels) {
  if (pixels < 4) mark.style.stroke = "none";
}

// ---- what the pointer is over --------------------------------------------------------
const texts = new WeakMap();  // element -> function that gives its text
const tip = document.getElementById("tip");
let selected = null;

function textAt(event) { return event.target instanceof Element ? texts.get(event.target) : undefined; }

document.addEventListener("pointermove", event => {
  const text = textAt(event);
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text();
  const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 14;
  const top = below + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 10 : below;
  tip.style.left = Math.max(left, 4) + "px";
  tip.style.top = Math.max(top, 4) + "px";
});

document.addEventListener("click", event => {
  const text = textAt(event);
  if (!text) return;
  if (selected) selected.classList.remove("selected");
  selected = event.target;
  selected.classList.add("selected");
  const details = document.getElementById("details");
  details.hidden = false;
  details.querySelector("pre").textContent = text();
});

// ---- memory over time ----------------------------------------------------------------

// Puts bands on one another in the order in which they begin; when one ends, those above
// come down. Gives, for each band, [step, height of its lower edge] wherever that changes,
// and for each step the height of all.
function stackBands(bands, stepCount) {
  const begins = Array.from({length: stepCount + 1}, () => []);
  const ends = Array.from({length: stepCount + 1}, () => []);
  bands.forEach((band, i) => { begins[band[4]].push(i); ends[band[5]].push(i); });
  const edges = bands.map(() => []);
  const heights = new Array(stepCount);
  let pile = [], height = 0;
  for (let step = 0; step < stepCount; ++step) {
    if (ends[step].length > 0) {
      const ending = new Set(ends[step]);
      let lowered = false;
      height = 0;
      pile = pile.filter(i => {
        if (ending.has(i)) { lowered = true; return false; }
        if (lowered) edges[i].push([step, height]);
        height += bands[i][0];
        return true;
      });
    }
    for (const i of begins[step]) {
      if (ends[step].includes(i)) continue;
      edges[i].push([step, height]);
      height += bands[i][0];
      pile.push(i);
    }
    heights[step] = height;
  }
  return {edges, heights};
}

// A band's outline: its lower edge forwards, its upper edge back.
function outline(edges, end, size) {
  let there = "M" + edges[0][0] + " " + -edges[0][1], back = "";
  for (let i = 0; i < edges.length; ++i) {
    const right = i + 1 < edges.length ? edges[i + 1][0] : end;
    there += "V" + -edges[i][1] + "H" + right;
    back = "V" + -(edges[i][1] + size) + "H" + edges[i][0] + back;
  }
  return there + back + "Z";
}

function bandText(band, timeline) {
  const when = event => event === null ? null : "event " + event;
  return bytesText(band[0]) + " (" + band[0] + " bytes) at " + band[1] + "\nstream " + band[2] + ", " + band[3] +
         " pool\nallocated: " + (when(band[6]) ?? "before the first event") + (band[6] === null ? "" : ", " +
         timeText(timeline.steps[band[4]][3])) + "\nfreed: " + (when(band[7]) ?? "never, as far as recorded") + "\n" +
         stackText(band[8]);
}

function drawRest(plot, steps, heights) {
  let there = "M0 " + -heights[0], back = "";
  for (let i = 0; i < steps.length; ++i) {
    there += "V" + -heights[i] + "H" + (i + 1);
    back = "V" + -(heights[i] + steps[i][1]) + "H" + i + back;
  }
  const rest = element("path", {class: "rest", d: there + back + "Z"}, plot);
  texts.set(rest, () => "all allocations that are not drawn one by one");
}

function drawReserved(plot, steps) {
  let path = "M0 " + -steps[0][2];
  steps.forEach((step, i) => { path += "V" + -step[2] + "H" + (i + 1); });
  element("path", {class: "reserved", d: path}, plot);
}

function drawTimeline(timeline) {
  const svg = document.getElementById("timeline");
  svg.textContent = "";
  const {bands, steps, failures} = timeline;
  const {edges, heights} = stackBands(bands, steps.length);
  const top = Math.max(1, ...steps.map((step, i) => Math.max(step[2], heights[i] + step[1]))) * 1.04;
  const frame = element("g", {class: "frame"}, svg);
  const plot = element("svg", {preserveAspectRatio: "none"}, svg);
  if (timeline.rest_count > 0) drawRest(plot, steps, heights);
  let drawn = 0;
  bands.forEach((band, i) => {
    if (edges[i].length === 0) return;
    const path = element("path", {class: "band", d: outline(edges[i], band[5], band[0])}, plot);
    path.style.fill = colourOf(band[8], band[0]);
    outlineIfThick(path, band[0] / top * svg.clientHeight);
    texts.set(path, () => bandText(band, timeline));
    ++drawn;
  });
  drawReserved(plot, steps);
  for (const failure of failures) {
    const line = element("path", {class: "failure", d: "M" + failure[1] + " 0V" + -top}, plot);
    texts.set(line, () => "out of memory at event " + failure[0] + ": " + bytesText(failure[2]) + " asked for" +
                          (failure[3] === null ? "" : ", " + bytesText(failure[3]) + " free on the device"));
  }
  svg.dataset.bands = drawn;
  svg.dataset.steps = steps.length;
  svg.dataset.failures = failures.length;
  zoomable(svg, plot, frame, steps, top);
  describeTimeline(timeline);
}

function describeTimeline(timeline) {
  let note = timeline.event_count + " events were recorded" +
             (timeline.event_count === 0 ? " (_record_memory_history would): this is the state at the end."
              : "; to the right, a step wherever a drawn allocation begins or ends, and at even distances.");
  if (timeline.rest_count > 0) {
    note += " The " + timeline.bands.length + " largest allocations are drawn one by one, " + timeline.rest_count +
            " smaller ones as one sum.";
  }
  const more = timeline.failure_count - timeline.failures.length;
  if (more > 0) note += " " + more + " further failures are not marked.";
  document.getElementById("timeline-note").textContent = note;
}

// A power of two that gives three to six lines.
function tickBytes(top) { return Math.pow(2, Math.ceil(Math.log2(top / 6))); }

function drawFrame(frame, view, size, steps, top) {
  frame.textContent = "";
  const tick = tickBytes(top);
  for (let bytes = 0; bytes <= top; bytes += tick) {
    const y = size.height - size.below - bytes / top * (size.height - size.below);
    element("line", {class: "grid", x1: size.left, x2: size.width, y1: y, y2: y}, frame);
    element("text", {x: size.left - 6, y: Math.max(y + 4, 10), "text-anchor": "end"}, frame).textContent =
        bytesText(bytes);
  }
  const parts = Math.min(Math.max(Math.floor((size.width - size.left) / 180), 1), 6);
  for (let i = 0; i <= parts; ++i) {
    const step = steps[Math.min(Math.floor(view.start + view.width * i / parts), steps.length - 1)];
    const anchor = i === 0 ? "start" : i === parts ? "end" : "middle";
    const x = size.left + (size.width - size.left) * i / parts;
    element("text", {x, y: size.height - 6, "text-anchor": anchor}, frame).textContent =
        "event " + step[0] + ", " + timeText(step[3]);
  }
}

function zoomable(svg, plot, frame, steps, top) {
  const view = {start: 0, width: steps.length};
  const size = {left: 84, below: 22, width: 0, height: 0};
  function show() {
    const box = svg.getBoundingClientRect();
    size.width = Math.max(box.width, 200);
    size.height = Math.max(box.height, 100);
    plot.setAttribute("x", size.left);
    plot.setAttribute("y", 0);
    plot.setAttribute("width", size.width - size.left);
    plot.setAttribute("height", size.height - size.below);
    plot.setAttribute("viewBox", view.start + " " + -top + " " + view.width + " " + top);
    drawFrame(frame, view, size, steps, top);
  }
  function move(start, width) {
    view.width = Math.min(Math.max(width, 2), Math.max(steps.length, 2));
    view.start = Math.min(Math.max(start, 0), Math.max(steps.length - view.width, 0));
    show();
  }
  const perPixel = () => view.width / (size.width - size.left);
  svg.onwheel = event => {
    event.preventDefault();
    const at = view.start + (event.clientX - svg.getBoundingClientRect().left - size.left) * perPixel();
    const factor = Math.pow(1.0015, event.deltaY);
    move(at - (at - view.start) * factor, view.width * factor);
  };
  svg.onpointermove = event => { if (event.buttons === 1) move(view.start - event.movementX * perPixel(), view.width); };
  svg.ondblclick = () => move(0, steps.length);
  window.onresize = show;
  show();
}

// ---- segments ------------------------------------------------------------------------

// Lines of segments: each segment on the first line with room, lines as wide as the largest
// segment, or wider when there are many.
function packSegments(segments) {
  const total = segments.reduce((sum, segment) => sum + segment[1], 0);
  const width = Math.max(segments[0][1], total / Math.max(12, Math.sqrt(segments.length)), 1);
  const lines = [];
  for (const segment of segments) {
    let line = lines.find(candidate => candidate.used + segment[1] <= width * 1.0001);
    if (!line) lines.push(line = {used: 0, segments: []});
    line.segments.push([line.used, segment]);
    line.used += segment[1];
  }
  return {lines, width};
}

function blockText(block, segment) {
  let text = bytesText(block[1]) + " (" + block[1] + " bytes) at " + block[3] + ", " + states[block[0]];
  if (block[0] !== 0) text += "\nasked for: " + bytesText(block[2]) + " (" + block[2] + " bytes)\n" + stackText(block[4]);
  return text + "\nsegment " + segment[0] + " of " + bytesText(segment[1]) + (segment[2] ? ", expandable" : "");
}

function drawSegment(svg, segment, left, y, scale, counts) {
  const height = 18;
  let offset = left;
  for (const block of segment[3]) {
    const x = offset * scale, width = block[1] * scale;
    const mark = element("rect", {class: "block state" + block[0], x, y, width, height}, svg);
    outlineIfThick(mark, width);
    texts.set(mark, () => blockText(block, segment));
    const slack = block[0] === 1 ? (block[1] - block[2]) * scale : 0;
    if (slack >= 1) element("rect", {class: "slack", x: x + width - slack, y: y + height - 4, width: slack, height: 4}, svg);
    offset += block[1];
    ++counts.blocks;
  }
  const outline = {class: "segment", x: left * scale, y, width: segment[1] * scale, height, "pointer-events": "none"};
  element("rect", outline, svg);
  ++counts.segments;
}

function drawGroup(group, parent, counts) {
  const title = document.createElement("h3");
  const pool = title.appendChild(document.createElement("span"));
  pool.textContent = group.pool + " pool" + group.users;
  if (group.is_private) pool.className = "private";
  const share = group.reserved_bytes > 0 ? 100 * group.inactive_bytes / group.reserved_bytes : 0;
  title.append(", stream " + group.stream + ", " + group.size_class + ": " + group.segment_count + " segments, " +
               bytesText(group.reserved_bytes) + ", " + bytesText(group.inactive_bytes) + " inactive (" +
               share.toFixed(1) + "%)");
  parent.appendChild(title);
  const {lines, width} = packSegments(group.segments);
  const pixels = 1400, lineHeight = 22;
  const height = lines.length * lineHeight;
  const svg = element("svg", {viewBox: "0 0 " + (pixels + 2) + " " + height, role: "img",
                              "aria-label": title.textContent}, parent);
  lines.forEach((line, i) => {
    for (const [left, segment] of line.segments) {
      drawSegment(svg, segment, left, 2 + i * lineHeight, pixels / width, counts);
    }
  });
}

function drawSegments(segments) {
  const parent = document.getElementById("segments");
  parent.textContent = "";
  const counts = {segments: 0, blocks: 0};
  for (const group of segments.groups) drawGroup(group, parent, counts);
  parent.dataset.segments = counts.segments;
  parent.dataset.blocks = counts.blocks;
  let note = "Each bar is a segment, its parts are blocks in order of address; within one group all have the same scale.";
  if (segments.left_out_segment_count > 0) {
    note += " " + segments.left_out_segment_count + " smaller segments (" + bytesText(segments.left_out_bytes) +
            ") are not drawn.";
  }
  if (counts.segments === 0) note = "There are no segments.";
  document.getElementById("segments-note").textContent = note;
}

// ---- devices -------------------------------------------------------------------------
function draw(device) {
  drawTimeline(device.timeline);
  drawSegments(device.segments);
}

const chooser = document.getElementById("device");
data.devices.forEach((device, i) => {
  const option = chooser.appendChild(document.createElement("option"));
  option.value = i;
  option.textContent = device.device;
});
document.getElementById("device-label").hidden = data.devices.length < 2;
chooser.onchange = () => draw(data.devices[chooser.value]);
draw(data.devices[0]);
