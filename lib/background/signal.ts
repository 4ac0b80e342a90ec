// Wakes a loop before its pause ends. A notification while the loop works ends its next wait at once.

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
