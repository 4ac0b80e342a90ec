// Notifies a loop (loop.ts) of the same process of new work. Notifications are not counted: any number of them before or during a pass start
// one more pass.

export type Signal = ReturnType<typeof createSignal>;

/** A signal for one loop: only one caller may wait at a time. */
export function createSignal() {
  let notified = false;
  let endWait = () => {};
  return {
    notify(): void {
      notified = true;
      endWait();
    },
    /** Resolves at the next notification or after `ms`; immediately after a notification that nobody has waited for. */
    async wait(ms: number): Promise<void> {
      if (!notified) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        endWait = resolve;
        await promise;
        clearTimeout(timer);
      }
      endWait = () => {};
      notified = false;
    },
  };
}
