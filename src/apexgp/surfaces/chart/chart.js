/* Reads a chart off: by pointer, finger or keyboard, and aloud. What it shows was worded and placed when the chart was made.

   Every <figure class="chart"> of a page that has been loaded is attended to. A chart that comes later:
   apexgpChart.attach(figure), which gives an object with `index` (null, or which size is being read) and `show(index)`. */
"use strict";
var apexgpChart = (function () {
  var SVG = "http://www.w3.org/2000/svg";

  function made(name, parent, className) {
    var space = parent.namespaceURI === SVG ? SVG : "http://www.w3.org/1999/xhtml";
    var element = parent.ownerDocument.createElementNS(space, name);
    if (className) element.setAttribute("class", className);
    return parent.appendChild(element);
  }

  function set(element, attributes) {
    Object.keys(attributes).forEach(function (name) { element.setAttribute(name, attributes[name]); });
  }

  function attach(figure) {
    if (figure.apexgpChart) return figure.apexgpChart;
    var picture = figure.querySelector("svg");
    var data = JSON.parse(figure.querySelector("script").textContent);
    var places = data.places, last = places.length - 1;
    var top = picture.querySelector(".axis").getBBox();

    // Browsers show the title as a tip of their own, over ours.
    var title = picture.querySelector("title");
    picture.removeAttribute("aria-labelledby");
    picture.setAttribute("aria-label", title.textContent);
    picture.setAttribute("aria-describedby", picture.querySelector("desc").id);
    title.remove();

    var cursor = made("g", picture), line = made("path", cursor, "cursor");
    var whisker = made("path", cursor, "cursor"), dot = made("circle", cursor, "cursor");
    dot.setAttribute("r", 5);

    var tip = made("div", figure, "reading"), list = made("dl", tip);
    tip.setAttribute("aria-hidden", "true");
    var values = data.labels.map(function (label) {
      made("dt", list).textContent = label;
      return made("dd", list);
    });

    var row = made("label", figure, "slider");
    row.appendChild(figure.ownerDocument.createTextNode("Read off"));
    var slider = made("input", row);
    set(slider, { type: "range", min: 0, max: last, step: 1, "aria-label": "Size to read the forecast at" });
    var spoken = made("p", figure, "spoken");
    spoken.setAttribute("role", "status");

    var state = { index: null, show: show, hide: hide };
    hide();
    slider.value = last;
    slider.setAttribute("aria-valuetext", data.readings[last][0]);

    function show(index, aloud) {
      index = Math.max(0, Math.min(last, index));
      var place = places[index], words = data.readings[index];
      state.index = index;
      cursor.removeAttribute("visibility");
      set(line, { d: "M" + place[0] + " " + top.y + "V" + (top.y + top.height), "stroke-dasharray": "1 3" });
      whisker.setAttribute("d", "M" + place[0] + " " + place[2] + "V" + place[3]);
      set(dot, { cx: place[0], cy: place[1] });
      values.forEach(function (cell, i) { cell.textContent = words[i]; });
      slider.value = index;
      slider.setAttribute("aria-valuetext", words[0] + " " + data.labels[0]);
      if (aloud) {
        spoken.textContent = data.labels.slice(1).map(function (label, i) { return label + " " + words[i + 1]; }).join(", ");
      }
      tip.hidden = false;
      // Beside the line, on the side with more room, and clear of the curve where it can be.
      var scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
      var x = place[0] * scale, width = tip.offsetWidth, room = figure.clientWidth;
      var left = x > room / 2 ? x - width - 12 : x + 12;
      tip.style.left = Math.max(0, Math.min(room - width, left)) + "px";
      var ceiling = top.y * scale, floor = (top.y + top.height) * scale - tip.offsetHeight - 4;
      var above = place[3] * scale - tip.offsetHeight - 10, below = place[2] * scale + 10;
      tip.style.top = Math.max(ceiling, below <= floor ? below : above >= ceiling ? above : floor) + "px";
    }

    function hide() {
      state.index = null;
      tip.hidden = true;
      cursor.setAttribute("visibility", "hidden");
    }

    function pointed(event) {
      var box = picture.getBoundingClientRect();
      var x = (event.clientX - box.left) * picture.viewBox.baseVal.width / box.width;
      var nearest = 0;
      places.forEach(function (place, i) { if (Math.abs(place[0] - x) < Math.abs(places[nearest][0] - x)) nearest = i; });
      show(nearest, false);
    }

    picture.addEventListener("pointermove", pointed);
    picture.addEventListener("pointerdown", pointed);
    picture.addEventListener("pointerleave", function (event) {
      if (event.pointerType === "mouse" && figure.ownerDocument.activeElement !== slider) hide();
    });
    slider.addEventListener("input", function () { show(Number(slider.value), true); });
    slider.addEventListener("focus", function () { show(Number(slider.value), true); });
    slider.addEventListener("blur", hide);
    slider.addEventListener("keydown", function (event) { if (event.key === "Escape") hide(); });

    figure.apexgpChart = state;
    return state;
  }

  function attachAll() { document.querySelectorAll("figure.chart").forEach(attach); }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", attachAll);
  else attachAll();
  return { attach: attach };
})();
