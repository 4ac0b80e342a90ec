// One timer of a process for what is looked at all the time: each timer would wake an idle process by itself.

export const TICK_MS = 500;

const looks = new Set<() => void>();
let isTicking = false;

/** Calls `look` every TICK_MS until the returned function is called. */
export function onTick(look: () => void): () => void {
  looks.add(look);
  if (!isTicking) {
    isTicking = true;
    setInterval(() => {
      for (const one of looks) one();
    }, TICK_MS).unref();
  }
  return () => looks.delete(look);
}
