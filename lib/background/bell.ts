// Wakes a loop that otherwise sleeps until its next sweep. A ring while the loop works is heard when it listens again.

export type Bell = {
  ring(): void;
  /** Resolves at the next ring or after `ms`. */
  heard(ms: number): Promise<void>;
};

export function bell(): Bell {
  let rung = false;
  let wake = () => {};
  return {
    ring() {
      rung = true;
      wake();
    },
    async heard(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = () => {};
      rung = false;
    },
  };
}
