// State of the simulated chat provider: numbers, received calls, conversations, and faults to simulate.

/** `token` is the one that last added or verified the number; calls with another token are refused. */
export type ChatNumber = { id: string; wabaId: string; phone: string; verified: boolean; pin?: string; token?: string };
// biome-ignore lint/suspicious/noExplicitAny: bodies are shown as they came
export type Seen = { at: string; method: string; path: string; body: any };
/** One line on a phone. */
// biome-ignore lint/suspicious/noExplicitAny: the phone's page shows bodies as they came
export type Line = { id: string; from: 'patient' | 'clinic'; at: string; body: any; status?: string };

export type Fault = {
  /** Last segment of the path of the affected calls: messages, register … */
  path: string;
  /** Number of affected calls (default 1). */
  times?: number;
  /** Refuses with this status and code. */
  status?: number;
  code?: number;
  message?: string;
  /** Delay of the response. */
  delayMs?: number;
  /** Executes the call, then closes the connection without a response. */
  drop?: boolean;
  /** Executes the call, but sends no delivery statuses. */
  silent?: boolean;
};

export const CODE = '123456';
const MAX_STORED = 2_000;

/** The id of a number. It contains the digits of the phone, so that a restarted simulator can restore the number from its id. */
export const numberId = (digits: string) => `999${digits}`;

export function createState() {
  const numbers = new Map<string, ChatNumber>();
  const seen: Seen[] = [];
  const threads = new Map<string, Line[]>();
  let faults: Fault[] = [];
  const append = <T>(list: T[], one: T) => {
    list.push(one);
    if (list.length > MAX_STORED) list.shift();
  };
  return {
    numbers,
    seen,
    note: (call: Seen) => append(seen, call),
    number(id: string): ChatNumber {
      const known = numbers.get(id) ?? { id, wabaId: '', phone: id.replace(/^9{3}/, ''), verified: false };
      numbers.set(id, known);
      return known;
    },
    thread(numberId: string, phone: string): Line[] {
      const key = `${numberId}/${phone}`;
      const thread = threads.get(key) ?? [];
      threads.set(key, thread);
      return thread;
    },
    addLine(numberId: string, phone: string, line: Line) {
      append(this.thread(numberId, phone), line);
    },
    addFault: (fault: Fault) => void faults.push({ times: 1, ...fault }),
    /** The fault for this call; counts down its remaining `times`. */
    takeFault(path: string): Fault | undefined {
      const fault = faults.find((one) => path.endsWith(`/${one.path}`));
      if (fault) {
        fault.times = (fault.times ?? 1) - 1;
        faults = faults.filter(({ times = 1 }) => times > 0);
      }
      return fault;
    },
    forget() {
      seen.length = 0;
      threads.clear();
      faults = [];
    },
  };
}

export type State = ReturnType<typeof createState>;
