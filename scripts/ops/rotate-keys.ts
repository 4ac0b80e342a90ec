// `ops rotate-keys`: reencrypts values that are not encrypted under the first key of ENCRYPTION_KEYS.
import { countOutdated, type EncryptedColumn, reencrypt } from '@clinic/lib/crypto/reencrypt.ts';
import { ENDED_AFTER_SECONDS, listRunningProcesses, type RunningProcess } from '@clinic/lib/crypto/running-processes.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { SERVICES } from '../schemas.ts';
import { type Command, type Ops, OpsFault } from './command.ts';
import { encryptedColumns } from './personal-data.ts';

export const rotateKeys: Command = {
  usage: `[--dry-run]

  1. Append the new key to ENCRYPTION_KEYS (old.*:…,new.*:<base64 of 32 bytes>) and restart the services one by one. In an installation whose
     services receive only their own keys, run npm run secrets first, which derives them again.
  2. Move the new key to the front (new.*:…,old.*:…) and restart the services one by one again, in the same way.
  3. Run this command. It works in small batches and can be stopped and run again at any time.
  4. When it ends with 0, remove the old key from ENCRYPTION_KEYS and restart the services once more. Older backups still need the old key.

ENCRYPTION_KEYS must be the complete list of step 2 (default: the list of the embedded installation). The command refuses to run while a running
process does not know the first key. It ends with 1 when values remain under other keys, or when a running process still encrypts with another key.

  --dry-run          only counts the values and lists such processes`,
  options: { 'dry-run': { type: 'boolean' } },
  async run(ops, { values }) {
    const dryRun = values['dry-run'] === true;
    const columns = await allColumns();
    if (dryRun) {
      await report(ops, columns);
      return 0;
    }
    const line = { action: 'encryption_key.rotated', entityId: newestKey(ops) } as const;
    await requireKnown(ops);
    await ops.record({ ...line, changes: { state: 'begun' } });
    for (const column of columns) {
      // Checked before each column, because a process may have been started in the meantime.
      await requireKnown(ops);
      await rotate(ops, column);
    }
    const { left, others } = await report(ops, columns);
    await ops.record({ ...line, changes: { state: 'done', left, processesWithAnotherKey: others } });
    return left === 0 && others === 0 ? 0 : 1;
  },
};

type Column = { name: string; service: string; column: EncryptedColumn };
type FoundProcess = RunningProcess & { service: string };

async function allColumns(): Promise<Column[]> {
  return (await encryptedColumns()).flatMap(([service, columns]) =>
    columns.map((column) => ({ name: `${service}.${column.table}.${column.column}`, service, column })),
  );
}

async function findProcesses(ops: Ops): Promise<FoundProcess[]> {
  const found = await Promise.all(SERVICES.map(async (service) => (await listRunningProcesses(ops.open(service))).map((one) => ({ ...one, service }))));
  return found.flat();
}

const describe = ({ service, host, pid }: FoundProcess) => `${service}, process ${pid} on ${host}`;

const firstKey = (ops: Ops, service: string) => ops.keys(service)[0]?.id ?? '';
/** The id of the first key in ENCRYPTION_KEYS. */
const newestKey = (ops: Ops) => firstKey(ops, SERVICES[0] ?? '').replace(/\..*/, '.*');

/** Throws when a running process could not decrypt values under the first key. */
async function requireKnown(ops: Ops): Promise<void> {
  const without = (await findProcesses(ops)).filter(({ service, encryption_key_ids: ids }) => !ids.includes(firstKey(ops, service)));
  if (without.length === 0) return;
  throw new OpsFault(`These running processes do not know ${newestKey(ops)}, the first key of ENCRYPTION_KEYS:
${without.map((one) => `  ${describe(one)}: knows ${one.encryption_key_ids.join(', ')}`).join('\n')}
Append the key to their ENCRYPTION_KEYS, restart them and run this again. A process that was killed counts as running for ${ENDED_AFTER_SECONDS} seconds.`);
}

async function rotate(ops: Ops, { name, service, column }: Column): Promise<void> {
  const [db, keys] = [ops.open(service), ops.keys(service)];
  const stale = await countOutdated(db, keys, column);
  if (stale === 0) return;
  let reported = 0;
  const { done, failed } = await reencrypt(db, keys, column, (progress) => {
    if (progress.done - reported < 1_000) return;
    reported = progress.done;
    ops.print(`${name}: ${reported} of about ${stale}`);
  });
  ops.print(`${name}: ${done} encrypted again${failed > 0 ? `, ${failed} cannot be decrypted with any key of ENCRYPTION_KEYS` : ''}`);
}

/** Prints how many values are under other keys than the first, and which running processes still encrypt with another one. */
async function report(ops: Ops, columns: Column[]): Promise<{ left: number; others: number }> {
  // Processes are listed before values are counted, so that no value that they have encrypted is missed.
  const others = (await findProcesses(ops)).filter(({ service, encryption_key_ids: [own] }) => own !== firstKey(ops, service));
  let left = 0;
  for (const { name, service, column } of columns) {
    const stale = await countOutdated(ops.open(service), ops.keys(service), column);
    if (stale > 0) ops.print(`${name}: ${stale} under other keys`);
    left += stale;
  }
  for (const one of others) ops.print(`${describe(one)}, still encrypts with ${one.encryption_key_ids[0]}`);
  const processes = counted(others.length, 'running process', 'running processes');
  ops.print(`${counted(left, 'value')} encrypted under other keys than ${newestKey(ops)}; ${processes} with another key.`);
  return { left, others: others.length };
}
