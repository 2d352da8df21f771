// Chromium and others refuse Worker to pages that are opened from disk, and the search asks for one.
// There, a hidden frame of the same page does its work: it has a window of its own to post to.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      window.addEventListener("message", (event) => {
        if (event.source === this.inside) {
          this.dispatchEvent(new MessageEvent("message", { data: event.data }));
        }
      });
      this.ready = this.load(url);
    }

    async load(url) {
      const inside = this.inside;
      inside.postMessage = (data) => inside.parent.postMessage(data, "*");
      const add = (source) =>
        new Promise((resolve, reject) => {
          const script = inside.document.createElement("script");
          Object.assign(script, { src: source, onload: resolve, onerror: reject });
          inside.document.body.append(script);
        });
      inside.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => add(source)), Promise.resolve());
      await add(url);
    }

    async postMessage(data) {
      await this.ready;
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
