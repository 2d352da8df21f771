"use strict";
// How the page talks to the server of `celtica play`. The demo brings a file of the same name, in
// which the same table stands in a worker of the browser.

class Table {
  /** `onSight` gets what there is to see whenever it changes, `onLost` whether the table answers. */
  constructor(onSight, onLost) {
    this.onSight = onSight;
    this.onLost = onLost;
  }

  /** Look on from now on, as told by a query such as `language=de`. */
  look(query) {
    this.source?.close();
    this.source = new EventSource(`events?${query}`);
    this.source.onopen = () => this.onLost(false);
    this.source.onmessage = (event) => this.onSight(JSON.parse(event.data));
    this.source.onerror = () => this.onLost(true);
  }

  /** Ask for something, or wish for it with content; the answer as JSON holds it. */
  async ask(path, content) {
    const options = content && { method: "POST", body: JSON.stringify(content) };
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      this.onLost(true);
      throw new Error("");
    }
    const body = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(body.error), { status: answer.status });
    return body;
  }

  /** The address of the record of a game that is over. */
  replay() {
    return "replay";
  }
}
