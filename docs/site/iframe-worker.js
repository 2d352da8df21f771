// Browsers refuse Worker to pages that are opened from disk, and the search asks for one. There, the
// script of the worker runs in a hidden frame, whose window answers the page in its stead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.postMessage = (data) => setTimeout(() => this.send(this, data)); // as a worker would: later
      this.inside.importScripts = (...urls) =>
        urls.reduce((before, next) => before.then(() => this.add(next)), Promise.resolve());
      this.ready = this.add(url);
    }

    add(url) {
      return new Promise((resolve, reject) => {
        const script = this.inside.document.createElement("script");
        Object.assign(script, { src: url, onload: resolve, onerror: reject });
        this.inside.document.body.append(script);
      });
    }

    send(target, data) {
      target.dispatchEvent(new MessageEvent("message", { data }));
    }

    async postMessage(data) {
      await this.ready;
      this.send(this.inside, data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
