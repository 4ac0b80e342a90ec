// The queue of password hashes. Each takes tens of milliseconds, so a few run at the same time and the others wait: known
// clients of the account go first, and among the others networks take turns, as do the accounts of a network. So a flood of wrong
// passwords from one network delays a sign-in from another by one turn.
import { fail } from '@clinic/lib/errors/errors.ts';

/** Who needs a hash. `known`: the address or device is known for the account (known-clients.sql.ts). */
export type Requester = { known: boolean; network: string; account: string };

type Waiting = Requester & { start: () => void; refuse: () => void };

/** Every fourth start does not prefer known clients, so that they cannot keep the others waiting. */
const FAIR_TURN = 4;
/** When more turns than this are remembered, all are forgotten. */
const MAX_TURNS = 20_000;

/** Runs up to `maxRunning` functions at the same time, and queues up to `maxWaiting` more. Beyond that the network with the most waiting loses its last one. */
export function createHashQueue(maxRunning: number, maxWaiting: number) {
  const waiting: Waiting[] = [];
  /** The number of the last turn of each network, and of each account of a network. */
  const lastTurns = new Map<string, number>();
  let running = 0;
  let turn = 0;

  const turnsOf = ({ network, account }: Requester) => [lastTurns.get(network) ?? 0, lastTurns.get(`${network} ${account}`) ?? 0] as const;

  function isBefore(one: Waiting, other: Waiting, preferKnown: boolean): boolean {
    if (preferKnown && one.known !== other.known) return one.known;
    const [[network, account], [otherNetwork, otherAccount]] = [turnsOf(one), turnsOf(other)];
    return network === otherNetwork ? account < otherAccount : network < otherNetwork;
  }

  function takeNext(): Waiting | undefined {
    turn += 1;
    const preferKnown = turn % FAIR_TURN !== 0;
    const next = waiting.reduce<Waiting | undefined>((best, one) => (best && !isBefore(one, best, preferKnown) ? best : one), undefined);
    if (next) waiting.splice(waiting.indexOf(next), 1);
    if (next) recordTurn(next);
    else lastTurns.clear();
    return next;
  }

  function recordTurn({ network, account }: Requester): void {
    if (lastTurns.size > MAX_TURNS) lastTurns.clear();
    lastTurns.set(network, turn);
    lastTurns.set(`${network} ${account}`, turn);
  }

  function refuseOne(): void {
    const counts = new Map<string, number>();
    for (const { network } of waiting) counts.set(network, (counts.get(network) ?? 0) + 1);
    const most = [...counts].reduce((one, other) => (other[1] >= one[1] ? other : one))[0];
    const index = waiting.findLastIndex(({ network }) => network === most);
    waiting.splice(index, 1)[0]?.refuse();
  }

  return async <T>(from: Requester, work: () => Promise<T>): Promise<T> => {
    if (running < maxRunning) {
      running += 1;
      turn += 1;
      recordTurn(from);
    } else {
      const admitted = await new Promise<boolean>((resolve) => {
        waiting.push({ ...from, start: () => resolve(true), refuse: () => resolve(false) });
        if (waiting.length > maxWaiting) refuseOne();
      });
      if (!admitted) fail('UNAVAILABLE', 'Too many people are signing in: try again in a moment');
    }
    try {
      return await work();
    } finally {
      const next = takeNext();
      if (next) next.start();
      else running -= 1;
    }
  };
}
