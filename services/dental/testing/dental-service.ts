// A running dental service for tests, with fakes of scheduling and identity that return the patients and appointments of a test.
import { randomUUID } from 'node:crypto';
import type { DescService, MessageInitShape } from '@bufbuild/protobuf';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Call, clinicOf, type Handlers, implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { AppointmentStateSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { BotService } from '@clinic/proto/messaging/v1/bot_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient } from '@connectrpc/connect';
import pg from 'pg';
import type { App } from '../app.ts';
import dental from '../service.ts';

/** A Monday, 08:00 in San Salvador. */
export const MONDAY = new Date('2026-06-01T14:00:00Z');
export const TODAY = '2026-06-01';

/** Without scheduled jobs, which would run between the steps of a test; tests call them. */
const withoutSchedules: typeof dental = {
  ...dental,
  async create(start) {
    const parts = await dental.create(start);
    return { ...parts, jobs: parts.jobs.filter(({ options: { cron, daily } }) => !cron && !daily) };
  },
};

const log = createLog('test', 'silent');

type Request = { id: string; ids: string[]; afterId: string };

/** A service with the given RPCs; all others fail with INTERNAL. */
function standIn(contract: DescService, rpcs: Record<string, (request: Request, clinicId: () => string) => unknown>) {
  const handlers = contract.methods.map(({ localName }) => [
    localName,
    async (_app: unknown, request: Request, call: Call) => (rpcs[localName] ?? (() => fail('INTERNAL')))(request, () => clinicOf(call).id),
  ]);
  return localTransport([implement({ log, constraints: {} }, contract, Object.fromEntries(handlers) as Handlers<unknown, DescService>)]);
}

export type Patient = {
  id: string;
  clinicId: string;
  fullName: string;
  phone: string;
  birthDate?: string;
  recallOptedOut: boolean;
  isArchived: boolean;
  isMerged?: boolean;
};

export async function startDental() {
  const clock = manualClock(MONDAY);
  const patients = new Map<string, Patient>();
  const appointments = new Map<string, { clinicId: string; id: string; patientId: string; status: string; revision: number }>();
  /** The appointments that a rebuild of recall's projection reads. */
  const appointmentStates: { appointments: MessageInitShape<typeof AppointmentStateSchema>[]; clinicIds: string[] } = { appointments: [], clinicIds: [] };
  const own = <T extends { clinicId: string }>(known: Map<string, T>, id: string, clinicId: string) => {
    const one = known.get(id);
    return one?.clinicId === clinicId ? one : undefined;
  };
  const toFound = (patient: Patient) => ({ ...patient, reachablePhone: patient.phone });
  const scheduling = standIn(LookupService, {
    findPatient: ({ id }, clinicId) => {
      const patient = own(patients, id, clinicId());
      return toFound(found(patient?.isMerged ? undefined : patient, 'Patient'));
    },
    findPatients: ({ ids }, clinicId) => ({ patients: ids.flatMap((id) => own(patients, id, clinicId()) ?? []).map(toFound) }),
    findAppointment: ({ id }, clinicId) => found(own(appointments, id, clinicId()), 'Appointment'),
    listPatientStates: ({ afterId }) => {
      const known = afterId ? [] : [...patients.values()];
      const states = known.map(({ id, recallOptedOut, isArchived }) => ({ patientId: id, recallOptedOut, isArchived, hasPhone: true, revision: 1 }));
      return { patients: states, clinicIds: known.map(({ clinicId }) => clinicId) };
    },
    listAppointmentStates: ({ afterId }) => (afterId ? {} : appointmentStates),
  });
  const identity = standIn(ClinicProfileService, {
    getClinicProfile: (_request, clinicId) => ({
      clinicId: clinicId(),
      name: 'Clínica Sonrisas',
      phone: '+503 2222-3333',
      address: 'Colonia Escalón, 3.ª calle 12',
      city: 'San Salvador',
      currency: 'USD',
    }),
  });
  /** The quiet hours of every clinic. */
  const quietHours = { quietFrom: '21:00', quietUntil: '07:00' };
  const messaging = standIn(BotService, { getReminderSettings: () => quietHours });
  const service = await testService(withoutSchedules, { clock, dependencies: { scheduling, identity, messaging } });
  const owner = new pg.Client({ connectionString: service.database.ownerUrl, options: '-c search_path=dental' });
  await owner.connect();
  /** For tests that call jobs and consumers. */
  const app: App = {
    db: service.db,
    clock,
    log,
    constraints: {},
    keys: [],
    lookup: createClient(LookupService, scheduling),
    clinicProfile: createClient(ClinicProfileService, identity),
    usageReports: createClient(UsageReportService, identity),
    bot: createClient(BotService, messaging),
  };

  let phones = 70_000_000;
  /** A patient of the clinic. Only the fake of scheduling has it. */
  function patient(clinicId: string, given: Partial<Patient> = {}): Patient {
    const made = { id: randomUUID(), clinicId, fullName: 'Luis Pérez', phone: `+503${++phones}`, recallOptedOut: false, isArchived: false, ...given };
    patients.set(made.id, made);
    return made;
  }
  function appointment(clinicId: string, patientId: string, status = 'confirmed') {
    const made = { clinicId, id: randomUUID(), patientId, status, revision: 1 };
    appointments.set(made.id, made);
    return made;
  }
  /** The events of a clinic in the order they were emitted. */
  async function events(clinicId: string): Promise<{ name: string; payload: Record<string, unknown> }[]> {
    const { rows } = await owner.query('select subject, payload from dental.outbox where clinic_id = $1 order by id', [clinicId]);
    return rows.map(({ subject, payload }: { subject: string; payload: Record<string, unknown> }) => ({ name: subject.split('.').at(-1) ?? '', payload }));
  }
  return {
    service,
    app,
    clock,
    owner,
    patients,
    patient,
    appointment,
    appointmentStates,
    quietHours,
    events,
    asUser,
    asAdmin,
    treatments: service.client(TreatmentPlanService),
    payments: service.client(PaymentPlanService),
    prices: service.client(PriceService),
    charts: service.client(ChartService),
    periodontics: service.client(PeriodonticsService),
    recall: service.client(RecallService),
    async stop() {
      await owner.end();
      await service.stop();
    },
  };
}

export type Dental = Awaited<ReturnType<typeof startDental>>;

/** The number of calls that succeeded and failed, and the reasons of the failures. */
export async function outcomes(calls: Promise<unknown>[]) {
  const settled = await Promise.allSettled(calls);
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { reason?: string }).reason ?? String(one.reason)] : []));
  return { succeeded: settled.length - reasons.length, failed: reasons.length, reasons: [...new Set(reasons)].sort() };
}
