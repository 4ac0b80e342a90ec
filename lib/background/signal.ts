// Ends the pause of a loop early. After a notification during a pass, the next wait ends immediately.

export type Signal = {
  notify(): void;
  /** Resolves at the next notification or after `ms`. */
  wait(ms: number): Promise<void>;
};

export function createSignal(): Signal {
  let notified = false;
  let wake = () => {};
  return {
    notify() {
      notified = true;
      wake();
    },
    async wait(ms) {
      if (!notified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = () => {};
      notified = false;
    },
  };
}
