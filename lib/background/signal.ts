// Ends the pause of a loop early. After a notification during a pass, the next wait ends immediately.

export type Signal = ReturnType<typeof createSignal>;

export function createSignal() {
  let notified = false;
  let wake = () => {};
  return {
    notify(): void {
      notified = true;
      wake();
    },
    /** Resolves at the next notification or after `ms`. */
    async wait(ms: number): Promise<void> {
      if (!notified) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        await promise;
        clearTimeout(timer);
      }
      wake = () => {};
      notified = false;
    },
  };
}
