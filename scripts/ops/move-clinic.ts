// Moves a clinic to another installation, that is, to another database with services of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { UpdateClinicLimitsRequestSchema } from '@clinic/proto/identity/v1/operations_pb.js';
import type pg from 'pg';
import { updateClinicLimits } from '../../services/identity/operations/clinic-limits.ts';
import { findJobsVersions, findMigrations, findTables, seesEveryRow } from './backup/catalogue.ts';
import { decryptSamples } from './backup/read.ts';
import { type Command, callOf, type Ops, OpsFault, openOps } from './command.ts';
import { storesOfMove, targetUrl } from './installation.ts';
import { findMovedTables } from './move-clinic/catalogue.ts';
import { contentsOf, dropStaging } from './move-clinic/copy.ts';
import { moveChatDeliveries, movePaymentDeliveries, type Sides } from './move-clinic/deliveries.ts';
import { copyFiles } from './move-clinic/files.ts';
import { connect, finishLoading, type Move, moveRows, placeOf } from './move-clinic/move.ts';
import { uuidOption } from './subjects.ts';

/** Gateways know within 2 seconds that a clinic is read-only, and a change that was begun before takes 10 seconds at most. */
const READ_ONLY_MS = 13_000;

export const moveClinic: Command = {
  usage: `--clinic <uuid> [--dry-run] [--stay-read-only] [--cancel]

Makes the clinic read-only in the installation of DATABASE_URL, copies all its rows to the one of TARGET_DATABASE_URL, compares both, and
deletes them from the first: tables, audit log with its hash chain, events, jobs, pictures. Afterwards the clinic accepts changes in the
target. Events are published again there, and consumers skip those that they have handled.

It can be killed at any time and run again; the clinic is in one of the two, or waits in the target to be loaded. Run it again too when
webhooks have reached the first installation meanwhile: payments and messages that came too late are moved.

Both run the same release and use the same ENCRYPTION_KEYS. Where they also have the same JWT_PRIVATE_KEYS and the same public address, access
tokens, calendar feeds and links remain valid. Have the proxy answer 503 to the clinic until this has ended, then lead it to the target
(docs/decisions/installations.md).

While rows are copied, chat messages of all clinics of the first installation wait, and at the end all its writers for less than a second.

  --clinic <uuid>      the clinic
  --dry-run            checks both installations and counts the rows
  --stay-read-only     the clinic stays read-only in the target
  --cancel             ends an interrupted move that has not deleted anything: the clinic accepts changes again where it is
  TARGET_DATABASE_URL  the owner's URL of the other installation; or TARGET_DATA_DIR, its data folder, when it is an embedded one.
                       Files of patients are copied to the store of TARGET_DATA_DIR, or of TARGET_S3_ENDPOINT and the others; their copies
                       in the first store can be deleted afterwards, folder <clinic>`,
  options: { clinic: { type: 'string' }, 'dry-run': { type: 'boolean' }, 'stay-read-only': { type: 'boolean' }, cancel: { type: 'boolean' } },
  async run(ops, given) {
    const clinicId = uuidOption(given, 'clinic');
    const to = targetUrl();
    if (!to) throw new OpsFault('Set TARGET_DATABASE_URL to the URL of the owner of the other installation, or TARGET_DATA_DIR to its data folder.');
    const { values } = given;
    const targetOps = openOps(ops.caller.id, ops.say, to);
    const [source, target] = await Promise.all([connect(ops.url), connect(to)]);
    const sides: Sides = { clinicId, source, target, ops, targetOps };
    try {
      await check(sides);
      if (values['dry-run'] === true) return await describe(sides);
      if (values.cancel === true) return await cancel(sides);
      return await move(sides, { clinicId, from: ops.url, to, readOnly: values['stay-read-only'] === true, say: ops.say });
    } finally {
      await Promise.all([source.end(), target.end(), targetOps.close()]);
    }
  },
};

async function move(sides: Sides, options: Move): Promise<number> {
  const { clinicId, source, target, ops, targetOps } = sides;
  const place = await placeOf(source, target, clinicId);
  if (place === 'nowhere') throw new OpsFault('Neither installation has this clinic.');
  if (place === 'both') throw new OpsFault('Both installations have this clinic: one of them was restored from a backup. Erase it where it is out of date.');
  if (place !== 'target') {
    await ops.record({ action: 'clinic.moved', entityId: clinicId, changes: { state: 'begun', to: hostOf(options.to) } });
    const rows = place === 'staging' ? await finishLoading(options) : await moveFromSource(sides, options);
    await ops.record({ action: 'clinic.moved', entityId: clinicId, changes: { state: 'done', rows, to: hostOf(options.to) } });
    await targetOps.record({ action: 'clinic.moved', entityId: clinicId, changes: { state: 'done', rows, from: hostOf(options.from) } });
    ops.say(`${rows} rows moved`);
  }
  const late = (await moveChatDeliveries(sides)) + (await movePaymentDeliveries(sides));
  if (late > 0) ops.say(`${late} deliveries moved that came too late`);
  for (const [table, count] of await countRows(source, clinicId))
    ops.say(`${table}: ${count} rows have been added in the source since; erase-clinic deletes them`);
  ops.say('The clinic is in the target.');
  return 0;
}

async function moveFromSource(sides: Sides, options: Move): Promise<number> {
  const { clinicId, source, target, ops } = sides;
  const [stores, copied] = [storesOfMove(), new Set<string>()];
  await copyFiles(source, clinicId, stores, copied); // most of them, while the clinic still accepts changes
  await setReadOnly(ops, clinicId, true);
  ops.say(`the clinic is read-only; waiting ${READ_ONLY_MS / 1000} seconds for changes that were begun`);
  await sleep(READ_ONLY_MS);
  try {
    await copyFiles(source, clinicId, stores, copied);
    return await moveRows(options);
  } catch (error) {
    if ((await placeOf(source, target, clinicId)) === 'source') await release(sides);
    throw error;
  }
}

async function cancel(sides: Sides): Promise<number> {
  const { clinicId, source, target, ops } = sides;
  const place = await placeOf(source, target, clinicId);
  if (place !== 'source') throw new OpsFault('The clinic is not in the source any more: run the command again without --cancel, or move the clinic back.');
  await release(sides);
  ops.say('cancelled: the clinic accepts changes again');
  return 0;
}

async function release({ clinicId, target, ops }: Sides): Promise<void> {
  await dropStaging(target, clinicId);
  await setReadOnly(ops, clinicId, false);
}

async function describe({ clinicId, source, target, ops }: Sides): Promise<number> {
  const place = await placeOf(source, target, clinicId);
  for (const [table, count] of await countRows(place === 'target' ? target : source, clinicId)) ops.say(`${table}: ${count} rows`);
  ops.say(
    {
      source: 'would be moved',
      staging: 'would be loaded into the target',
      target: 'the clinic is in the target',
      nowhere: 'neither installation has this clinic',
      both: 'both installations have this clinic',
    }[place],
  );
  return place === 'nowhere' || place === 'both' ? 1 : 0;
}

async function countRows(client: pg.Client, clinicId: string): Promise<[table: string, rows: number][]> {
  const tables = (await findMovedTables(client)).filter(({ copied }) => !copied);
  const contents = [...(await contentsOf(client, tables, clinicId))];
  return contents.filter(([, { rows }]) => rows > 0).map(([name, { rows }]) => [name.replaceAll('"', ''), rows]);
}

function setReadOnly(ops: Ops, clinicId: string, readOnly: boolean) {
  const request = create(UpdateClinicLimitsRequestSchema, { clinicId, readOnly });
  return updateClinicLimits({ db: ops.open('identity'), clock: systemClock }, request, callOf(ops));
}

const hostOf = (url: string) => new URL(url).host;

/** Both have the same tables and keys, and roles that see every row. */
async function check({ source, target, ops }: Sides): Promise<void> {
  for (const [client, name] of [
    [source, 'DATABASE_URL'],
    [target, 'TARGET_DATABASE_URL'],
  ] as const) {
    if (!(await seesEveryRow(client))) throw new OpsFault(`The role of ${name} does not see every row: use a superuser or a role with BYPASSRLS.`);
    await client.query('begin; set local session_replication_role = replica; rollback').catch(() => {
      throw new OpsFault(`The role of ${name} needs: grant set on parameter session_replication_role to it.`);
    });
  }
  const state = async (client: pg.Client) => JSON.stringify([await findMigrations(client), await findJobsVersions(client)]);
  const [inSource, inTarget] = await Promise.all([state(source), state(target)]);
  if (inSource !== inTarget) throw new OpsFault('The installations have different migrations: bring both to the same release.');
  const identities = async (client: pg.Client) =>
    (await client.query<{ id: string }>(`select system_identifier || '/' || current_database() as id from pg_control_system()`)).rows[0]?.id;
  if ((await identities(source)) === (await identities(target))) throw new OpsFault('TARGET_DATABASE_URL is the same database as DATABASE_URL.');
  const keys = ops.keyRing();
  for (const client of [source, target]) await decryptSamples(client, await findTables(client), keys);
}
