// `ops move-clinic`: moves a clinic to another installation, which has its own database and services.
import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { UpdateClinicLimitsRequestSchema } from '@clinic/proto/identity/v1/operations_pb.js';
import type pg from 'pg';
import { READ_ONLY_AFTER_MS } from '../../gateway/http/times.ts';
import { findLimits } from '../../services/identity/operations/clinic-limits.sql.ts';
import { updateClinicLimits } from '../../services/identity/operations/clinic-limits.ts';
import { SERVICES } from '../schemas.ts';
import { findJobsVersions, findMigrations, findTables, seesEveryRow } from './backup/catalogue.ts';
import { decryptSamples } from './backup/read.ts';
import { type Command, callOf, type Ops, OpsFault, openOps, requireUrl } from './command.ts';
import { storesOfMove, targetUrl } from './installation.ts';
import { findMovedTables } from './move-clinic/catalogue.ts';
import { contentsOf, dropStaging } from './move-clinic/copy.ts';
import { moveChatDeliveries, movePaymentDeliveries, type Sides } from './move-clinic/deliveries.ts';
import { copyFiles, listFiles } from './move-clinic/files.ts';
import { listLastMoves } from './move-clinic/last-moves.ts';
import { connect, finishLoading, lockMove, type Move, moveRows, placeOf } from './move-clinic/move.ts';
import { uuidOption } from './subjects.ts';

export const moveClinic: Command = {
  usage: `--clinic <uuid> [--dry-run] [--stay-read-only] [--cancel]

Makes the clinic read-only in the installation of DATABASE_URL (the source), copies all its rows to the installation of TARGET_DATABASE_URL (the
target), compares them, and deletes them from the source: tables, audit log with its hash chain, events, jobs and pictures. Afterwards the clinic
accepts changes in the target. Its events are published again there, and consumers skip those that they have already handled.

The command can be killed at any time and run again: the clinic is then in the source, in the target, or staged in the target. Also run it again
when webhooks reached the source after the move: it moves such payments and messages.

The target must have no entry of the clinic in its audit logs, as erase-clinic writes. Both installations must run the same release and use the same
ENCRYPTION_KEYS. When they also have the same JWT_PRIVATE_KEYS and the same public address, access tokens, calendar feeds and links remain valid.
Configure the proxy to respond with 503 to requests of the clinic until the command has ended, and then to forward them to the target
(docs/decisions/installations.md).

While rows are copied, the chat messages of all clinics of the source wait. At the end, all writers of the source wait for less than a second.

  --clinic <uuid>      the clinic
  --dry-run            checks both installations and counts the rows
  --stay-read-only     leaves the clinic read-only in the target
  --cancel             ends an interrupted move that has not deleted anything: the clinic accepts changes again in the source,
                       unless it was read-only before the move
  TARGET_DATABASE_URL  the owner's URL of the target. For an embedded installation, set TARGET_DATA_DIR to its data folder instead.
                       Patients' files are copied to the store of TARGET_DATA_DIR, or to that of TARGET_S3_ENDPOINT and the other TARGET_S3
                       settings. Their copies in the source's store, in the folder <clinic>, can be deleted afterwards`,
  options: { clinic: { type: 'string' }, 'dry-run': { type: 'boolean' }, 'stay-read-only': { type: 'boolean' }, cancel: { type: 'boolean' } },
  async run(ops, args) {
    const clinicId = uuidOption(args, 'clinic');
    const to = targetUrl();
    if (!to) throw new OpsFault("Set TARGET_DATABASE_URL to the owner's URL of the target, or TARGET_DATA_DIR to the data folder of a running installation.");
    requireUrl('TARGET_DATABASE_URL', to);
    const { values } = args;
    const targetOps = openOps(ops.caller.id, ops.print, to);
    const [source, target] = await Promise.all([connect(ops.url), connect(to)]);
    const sides: Sides = { clinicId, source, target, ops, targetOps };
    try {
      await check(sides);
      if (values['dry-run'] === true) return await describe(sides);
      if (!(await lockMove(source, clinicId))) throw new OpsFault('Another move-clinic works on this clinic: wait until it has ended, or end it.');
      if (values.cancel === true) return await cancel(sides);
      return await move(sides, { clinicId, from: ops.url, to, readOnly: values['stay-read-only'] === true, print: ops.print });
    } finally {
      await Promise.all([source.end(), target.end(), targetOps.close()]);
    }
  },
};

const NOWHERE = 'Neither installation has this clinic.';

async function move(sides: Sides, options: Move): Promise<number> {
  const { clinicId, source, target, ops, targetOps } = sides;
  const place = await placeOf(source, target, clinicId);
  if (place === 'nowhere') throw new OpsFault(NOWHERE);
  if (place === 'both') throw new OpsFault('Both installations have this clinic: one of them was restored from a backup. Erase it where it is out of date.');
  if (place === 'source') await checkClinic(sides);
  if (place !== 'target') {
    const rows = place === 'staging' ? await finishLoading(options) : await moveFromSource(sides, options);
    await ops.record({ action: 'clinic.moved', entityId: clinicId, changes: { state: 'done', rows, to: hostOf(options.to) } });
    await targetOps.record({ action: 'clinic.moved', entityId: clinicId, changes: { state: 'done', rows, from: hostOf(options.from) } });
    ops.print(`${counted(rows, 'row')} moved`);
  }
  const late = (await moveChatDeliveries(sides)) + (await movePaymentDeliveries(sides));
  if (late > 0) ops.print(`${counted(late, 'delivery', 'deliveries')} moved that had arrived in the source too late`);
  for (const [table, count] of await countRows(source, clinicId))
    ops.print(`${table}: ${counted(count, 'row')} added to the source after the move; erase-clinic deletes what was added, but then the clinic cannot return`);
  ops.print('The clinic is in the target.');
  return 0;
}

async function moveFromSource(sides: Sides, options: Move): Promise<number> {
  const { clinicId, source, target, ops } = sides;
  const [stores, copied] = [storesOfMove(), new Set<string>()];
  await copyFiles(source, clinicId, stores, copied, ops.print); // most files, while the clinic still accepts changes
  const begun = { state: 'begun', to: hostOf(options.to), read_only: await wasReadOnly(ops, clinicId) };
  await ops.record({ action: 'clinic.moved', entityId: clinicId, changes: begun });
  await setReadOnly(ops, clinicId, true);
  const seconds = READ_ONLY_AFTER_MS / 1_000;
  ops.print(`the clinic is read-only; waiting ${seconds} seconds, until every gateway has noticed and changes that it accepted before have ended`);
  await sleep(READ_ONLY_AFTER_MS);
  try {
    const copy = (client: pg.Client) => copyFiles(client, clinicId, stores, copied, ops.print);
    await copy(source); // before all clinics' chat messages wait
    return await moveRows({ ...options, copyFiles: copy }); // and those that jobs have stored since
  } catch (error) {
    if ((await placeOf(source, target, clinicId)) === 'source') await release(sides);
    throw error;
  }
}

async function cancel(sides: Sides): Promise<number> {
  const { clinicId, source, target, ops } = sides;
  const place = await placeOf(source, target, clinicId);
  if (place === 'nowhere') throw new OpsFault(NOWHERE);
  if (place !== 'source') throw new OpsFault('The clinic is no longer in the source: run the command again without --cancel, or move the clinic back.');
  // Otherwise a wrong id would let a clinic that an operator made read-only accept changes.
  if ((await listLastMoves(ops)).get(clinicId)?.state !== 'begun') throw new OpsFault('No move of this clinic was interrupted: there is nothing to cancel.');
  const readOnly = await release(sides);
  ops.print(readOnly ? 'cancelled: the clinic is read-only, as before the move' : 'cancelled: the clinic accepts changes again');
  return 0;
}

/** Ends a move in the source. Returns whether the clinic is read-only, as before the move. */
async function release({ clinicId, target, ops }: Sides): Promise<boolean> {
  const readOnly = await wasReadOnly(ops, clinicId);
  await dropStaging(target, clinicId);
  await setReadOnly(ops, clinicId, readOnly);
  await ops.record({ action: 'clinic.moved', entityId: clinicId, changes: { state: 'cancelled' } });
  return readOnly;
}

/** Whether the clinic is read-only or, when a move of it has begun, was so before. */
async function wasReadOnly(ops: Ops, clinicId: string): Promise<boolean> {
  const last = (await listLastMoves(ops)).get(clinicId);
  if (last?.state === 'begun') return last.read_only;
  return (await findLimits(ops.open('identity'), clinicId))?.read_only ?? false;
}

async function describe(sides: Sides): Promise<number> {
  const { clinicId, source, target, ops } = sides;
  const place = await placeOf(source, target, clinicId);
  if (place === 'source') await checkClinic(sides);
  for (const [table, count] of await countRows(place === 'target' ? target : source, clinicId)) ops.print(`${table}: ${counted(count, 'row')}`);
  ops.print(
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

/**
 * Throws when the clinic has files and the store of the target is not set, or when the target has entries of the clinic, with which the numbers of the
 * moved chain would collide.
 */
async function checkClinic({ clinicId, source, target }: Sides): Promise<void> {
  await listFiles(source, clinicId, storesOfMove());
  for (const service of SERVICES) {
    const { rowCount } = await target.query(`select from ${service}.audit_log where clinic_id = $1 limit 1`, [clinicId]);
    if (rowCount)
      throw new OpsFault(
        `The audit log of ${service} in the target has entries of the clinic, such as those of erase-clinic. They cannot be removed, and the log that moves would have the same numbers: move the clinic to another installation. A new, empty one has no entries.`,
      );
  }
}

const hostOf = (url: string) => new URL(url).host;

/** Throws unless both installations have the same tables and keys, and roles that can read every row. */
async function check({ source, target, ops }: Sides): Promise<void> {
  for (const [client, name] of [
    [source, 'DATABASE_URL'],
    [target, 'TARGET_DATABASE_URL'],
  ] as const) {
    if (!(await seesEveryRow(client))) throw new OpsFault(`The role of ${name} cannot read every row: use a superuser or a role with BYPASSRLS.`);
    await client.query('begin; set local session_replication_role = replica; rollback').catch(() => {
      throw new OpsFault(`The role of ${name} may not set session_replication_role: grant set on parameter session_replication_role to it.`);
    });
  }
  const state = async (client: pg.Client) => JSON.stringify([await findMigrations(client), await findJobsVersions(client)]);
  const [inSource, inTarget] = await Promise.all([state(source), state(target)]);
  if (inSource !== inTarget) throw new OpsFault('The installations have different migrations: upgrade both to the same release.');
  const identities = async (client: pg.Client) =>
    (await client.query<{ id: string }>(`select system_identifier || '/' || current_database() as id from pg_control_system()`)).rows[0]?.id;
  if ((await identities(source)) === (await identities(target))) throw new OpsFault('TARGET_DATABASE_URL is the same database as DATABASE_URL.');
  const keys = ops.keyRing();
  for (const client of [source, target]) await decryptSamples(client, await findTables(client), keys);
}
