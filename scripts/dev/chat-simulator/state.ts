// What the simulated chat provider knows: numbers, what it was sent, what phones see, and which faults it is to have.

/** `token` is the one that added or verified it last: others may not read or use it. */
export type ChatNumber = { id: string; wabaId: string; phone: string; verified: boolean; pin?: string; token?: string };
// biome-ignore lint/suspicious/noExplicitAny: bodies are shown as they came
export type Seen = { at: string; method: string; path: string; body: any };
/** One line on a phone. */
// biome-ignore lint/suspicious/noExplicitAny: the phone's page draws what the provider was sent
export type Line = { id: string; from: 'patient' | 'clinic'; at: string; body: any; status?: string };

export type Fault = {
  /** End of the path of the calls that it befalls: messages, register … */
  path: string;
  /** How many of them, 1 unless told. */
  times?: number;
  /** Refuses with this status and code. */
  status?: number;
  code?: number;
  message?: string;
  /** Waits so long first. */
  delayMs?: number;
  /** Does what was asked, then breaks the connection. */
  drop?: boolean;
  /** Does what was asked, and never tells by a status what became of it. */
  silent?: boolean;
};

export const CODE = '123456';
const KEPT = 2_000;

export function createState() {
  const numbers = new Map<string, ChatNumber>();
  const seen: Seen[] = [];
  const threads = new Map<string, Line[]>();
  let faults: Fault[] = [];
  const keep = <T>(list: T[], one: T) => {
    list.push(one);
    if (list.length > KEPT) list.shift();
  };
  return {
    numbers,
    seen,
    note: (call: Seen) => keep(seen, call),
    /** Numbers are known by their digits, so that a provider that was started anew still knows them. */
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
      keep(this.thread(numberId, phone), line);
    },
    addFault: (fault: Fault) => void faults.push({ times: 1, ...fault }),
    /** The fault that befalls this call, which is then used up by one. */
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
