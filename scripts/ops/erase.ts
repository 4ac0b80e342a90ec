// `ops erase-patient` and `ops erase-clinic`: data-subject requests. Erases the personal data of a patient or a clinic in every service.
import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { UpdateClinicRequestSchema } from '@clinic/proto/identity/v1/clinic_pb.js';
import { EndClinicSessionsRequestSchema } from '@clinic/proto/identity/v1/clinic_sessions_pb.js';
import { updateClinic } from '../../services/identity/clinics/update-clinic.ts';
import { endClinicSessions } from '../../services/identity/sessions/end-clinic-sessions.ts';
import { type Arguments, type Command, callOf, type Ops, OpsFault } from './command.ts';
import { eraseSubject, findPatient, PHONES_OPTION, PHONES_USAGE, requireClinic, uuidOption, withFormerPhones } from './subjects.ts';

const HOW = `Use --dry-run first: it lists the number of rows that would be erased from each table, and the tables that are retained and why. The
command can be stopped and run again at any time. Backups still contain the erased data: delete them after your promised period, and erase
again after a restore.`;

const OPTIONS = { clinic: { type: 'string' }, 'dry-run': { type: 'boolean' }, yes: { type: 'boolean' } } as const;
const FLAGS = `  --dry-run          only counts
  --yes              required to erase`;

const MOST_ROUNDS = 5;
const PAUSE_MS = 1_000;

/** Scheduling is last: an interrupted command needs the phone and names that it stores when it runs again. */
const OF_PATIENT = ['messaging', 'dental', 'billing', 'identity', 'platform', 'scheduling'];
/** Identity is last, so that operators find the clinic until everything else is erased. */
const OF_CLINIC = ['messaging', 'dental', 'billing', 'scheduling', 'platform', 'identity'];

export const erasePatient: Command = {
  usage: `--clinic <uuid> --patient <uuid> [--phones <phones>] (--dry-run | --yes)

Deletes chats, charts, treatment plans, quotes and waitlist entries, and removes name, phone, national id and all other personal data
from the patient's record. Appointments and amounts remain, without a person. Tax documents are retained, encrypted, for ten years, as the
law requires. The clinic has to cancel upcoming appointments first. Records that were merged into the patient's record are erased with it.

${HOW}

  --clinic <uuid>    the clinic
  --patient <uuid>   the patient
${PHONES_USAGE}
${FLAGS}`,
  options: { ...OPTIONS, ...PHONES_OPTION, patient: { type: 'string' } },
  async run(ops, args) {
    const [clinicId, patientId] = [uuidOption(args, 'clinic'), uuidOption(args, 'patient')];
    const dryRun = isDryRun(args);
    const { subject: found, dependants, ...present } = await findPatient(ops, clinicId, patientId);
    const { subject, ...former } = await withFormerPhones(ops, found, args);
    const upcoming = present.upcoming + former.upcoming;
    const refusal = `The patient has ${counted(upcoming, 'upcoming appointment')}: have the clinic cancel first.`;
    if (upcoming > 0 && !dryRun) throw new OpsFault(refusal);
    if (upcoming > 0) ops.print(`${refusal} Until then --yes is refused.`);
    if (dependants > 0) ops.print(`${counted(dependants, 'record')} of dependants will remain, without the phone by which they were reached.`);
    return recordErasure(ops, dryRun, { action: 'patient.erased', entityId: patientId, clinicId }, async () => {
      const erased = await eraseSubject(ops, subject, dryRun, OF_PATIENT);
      // The patient may have sent messages in the meantime.
      return dryRun ? erased : erased + (await eraseSubject(ops, subject, dryRun, ['messaging']));
    });
  },
};

export const eraseClinic: Command = {
  usage: `--clinic <uuid> (--dry-run | --yes)

Suspends the clinic, ends its sessions and deletes its data, service by service, in short transactions. Retained are tax documents,
encrypted, for ten years, as the law requires; mails that could not be sent and chat deliveries that could not be processed, encrypted,
for at most 400 days, since they name no clinic; totals of its payments; and the audit log, which refers to persons only by id.
This cannot be undone: export the clinic first (export-clinic).

${HOW}

  --clinic <uuid>    the clinic
${FLAGS}`,
  options: OPTIONS,
  async run(ops, args) {
    const clinicId = uuidOption(args, 'clinic');
    const dryRun = isDryRun(args);
    await requireClinic(ops, clinicId, 'accepted'); // move-clinic leaves rows that were added too late
    return recordErasure(ops, dryRun, { action: 'clinic.erased', entityId: clinicId, clinicId }, async () => {
      if (dryRun) return eraseSubject(ops, { clinicId }, dryRun, OF_CLINIC);
      await suspend(ops, clinicId);
      const retained = new Set<string>();
      let all = 0;
      // Events in flight, such as that of the suspension, may add rows again.
      for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
        if (rounds > 0) await sleep(PAUSE_MS);
        const erased = await eraseSubject(ops, { clinicId }, dryRun, OF_CLINIC, retained);
        if (erased === 0) return all;
        all += erased;
      }
      throw new OpsFault(`Rows of the clinic are still being added after ${MOST_ROUNDS} rounds: run the command again in a minute.`);
    });
  },
};

function isDryRun({ values }: Arguments): boolean {
  if (values['dry-run'] === true) return true;
  if (values.yes !== true) throw new OpsFault('Use --dry-run first, then --yes. Erased data cannot be restored.');
  return false;
}

async function recordErasure(ops: Ops, dryRun: boolean, line: Parameters<Ops['record']>[0], work: () => Promise<number>): Promise<number> {
  if (!dryRun) await ops.record({ ...line, changes: { state: 'begun' } });
  const erased = await work();
  if (!dryRun) await ops.record({ ...line, changes: { state: 'done', rows: erased } });
  ops.print(dryRun ? `${counted(erased, 'row')} would be erased` : erased === 0 ? 'nothing was left to erase' : `${counted(erased, 'row')} erased`);
  return 0;
}

/** Suspends the clinic and ends its sessions. Does nothing when identity has already erased the clinic. */
async function suspend(ops: Ops, clinicId: string): Promise<void> {
  const app = { db: ops.open('identity'), clock: systemClock };
  try {
    await updateClinic(app, create(UpdateClinicRequestSchema, { clinicId, isActive: false }), callOf(ops));
    await endClinicSessions(app, create(EndClinicSessionsRequestSchema, { clinicId }), callOf(ops));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.reason !== 'NOT_FOUND') throw error;
  }
}
