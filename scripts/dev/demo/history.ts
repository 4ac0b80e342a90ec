// Fills the demo clinic with sixty days of history in the background of a start, through the public RPCs of the services. demo.json records the
// completed parts, so that the next start continues an interrupted history. The same seed creates the same clinic.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { createClient, type Transport } from '@connectrpc/connect';
import { seededBy } from '../../random.ts';
import { demoCaller } from './admin.ts';
import type { Demo, Part } from './demo.ts';
import { recordHistory, type StoredDemo, storedDemo } from './file.ts';
import { appointments } from './parts/appointments.ts';
import { chats } from './parts/chats.ts';
import { dentistry } from './parts/dentistry.ts';
import { documents } from './parts/documents.ts';
import { money } from './parts/money.ts';
import { record } from './parts/record.ts';
import { taxes } from './parts/taxes.ts';
import { treatments } from './parts/treatments.ts';

/** Each part depends on those before it. */
const PARTS: Record<string, Part> = { appointments, dentistry, treatments, money, taxes, record, documents, chats };
const ATTEMPTS = 5;
const PAUSE_MS = 3_000;
/** A part that was begun earlier than this is not repeated, because the services recognise repeated calls for 24 hours only. */
const REPEATABLE_MS = 23 * 3_600_000;

type Options = Pick<Demo, 'phoneUrl' | 'authorityUrl'> & { transport: (service: string) => Transport; dataDir: string; print: (line: string) => void };

/** Starts filling the history, unless it is complete. `stop` waits for the call in progress. */
export function startHistory(options: Options): Stoppable {
  const stopping = new AbortController();
  const running = fillHistory(options, stopping.signal).then(
    (isFilled) => isFilled && options.print('the demo clinic has its history of sixty days'),
    (error: Error) => stopping.signal.aborted || options.print(`the history of the demo clinic is incomplete; the next start continues it: ${error.message}`),
  );
  return {
    stop: () => {
      stopping.abort(new Error('the product stops'));
      return running;
    },
  };
}

/** Fills the missing parts. Returns false when there are none. */
export async function fillHistory({ transport, dataDir, phoneUrl, authorityUrl }: Omit<Options, 'print'>, signal: AbortSignal): Promise<boolean> {
  const stored = storedDemo(dataDir);
  const missing = missingParts(stored);
  if (!stored?.history || missing.length === 0) return false;
  const { today } = stored.history;
  const caller = await demoCaller(transport, stored);
  for (const [name, part] of missing) {
    recordHistory(dataDir, ({ begun }) => ({ begun: { [name]: new Date().toISOString(), ...begun } }));
    await retried(signal, () =>
      part({
        client: (service, of) => createClient(service, transport(of)),
        admin: (creates) => {
          signal.throwIfAborted();
          return callAs(caller, creates && `demo-history-${name}-${creates}`);
        },
        today,
        random: seededBy(`${stored.email} ${name}`),
        phoneUrl,
        authorityUrl,
        signal,
      }),
    );
    recordHistory(dataDir, ({ done }) => ({ done: [...done, name] }));
  }
  return true;
}

function missingParts(stored: StoredDemo | undefined): [string, Part][] {
  if (!stored?.history) return [];
  const { done, begun } = stored.history;
  const isLate = (name: string) => Date.now() - Date.parse(begun[name] ?? '') > REPEATABLE_MS;
  return Object.entries(PARTS).filter(([name]) => !done.includes(name) && !isLate(name));
}

/** Retries a part. Its calls are idempotent. */
async function retried(signal: AbortSignal, part: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await part();
    } catch (error) {
      if (attempt === ATTEMPTS || signal.aborted) throw error;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
}
