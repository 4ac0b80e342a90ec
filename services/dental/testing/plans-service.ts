// A running dental service for tests, with stand-ins for scheduling and identity that return the patients and appointments of a test.
import { randomUUID } from 'node:crypto';
import type { DescService } from '@bufbuild/protobuf';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Call, clinicOf, type Handlers, implement } from '@clinic/lib/rpc/pipeline.ts';
import { manualClock } from '@clinic/lib/runtime/clock.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asAdmin, asUser } from '@clinic/lib/testing/callers.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import pg from 'pg';
import dental from '../service.ts';

/** A Monday, 08:00 in San Salvador. */
export const MONDAY = new Date('2026-06-01T14:00:00Z');
export const TODAY = '2026-06-01';

type Answers = Record<string, (request: { id: string }, clinicId: string) => unknown>;

/** A service with the given RPCs; all others fail with INTERNAL. */
function standIn(contract: DescService, answers: Answers) {
  const handlers = contract.methods.map(({ localName }) => [
    localName,
    async (_app: unknown, request: { id: string }, call: Call) => (answers[localName] ?? (() => fail('INTERNAL')))(request, clinicOf(call).id),
  ]);
  return localTransport([
    implement({ log: createLog('test', 'silent'), constraints: {} }, contract, Object.fromEntries(handlers) as Handlers<unknown, DescService>),
  ]);
}

export async function startPlans() {
  const clock = manualClock(MONDAY);
  const patients = new Map<string, { clinicId: string; id: string; fullName: string }>();
  const appointments = new Map<string, { clinicId: string; id: string; patientId: string; status: string; revision: number }>();
  const own = <T extends { clinicId: string }>(known: Map<string, T>, id: string, clinicId: string) => {
    const one = known.get(id);
    return one?.clinicId === clinicId ? one : undefined;
  };
  const scheduling = standIn(LookupService, {
    findPatient: ({ id }, clinicId) => found(own(patients, id, clinicId), 'Patient'),
    findAppointment: ({ id }, clinicId) => found(own(appointments, id, clinicId), 'Appointment'),
  });
  const identity = standIn(ClinicProfileService, {
    getClinicProfile: (_request, clinicId) => ({
      clinicId,
      name: 'Clínica Dental Sonrisas',
      phone: '+503 2222-3333',
      address: 'Colonia Escalón, 3.ª calle 12',
      city: 'San Salvador',
      currency: 'USD',
    }),
  });
  const service = await testService(dental, { clock, dependencies: { scheduling, identity } });
  const owner = new pg.Client({ connectionString: service.database.ownerUrl });
  await owner.connect();

  function patient(clinicId: string, fullName = 'Luis Pérez') {
    const made = { clinicId, id: randomUUID(), fullName };
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
    clock,
    owner,
    patient,
    appointment,
    events,
    asUser,
    asAdmin,
    treatments: service.client(TreatmentPlanService),
    payments: service.client(PaymentPlanService),
    prices: service.client(PriceService),
    charts: service.client(ChartService),
    async stop() {
      await owner.end();
      await service.stop();
    },
  };
}

export type Plans = Awaited<ReturnType<typeof startPlans>>;

/** The number of calls that succeeded and failed, and the reasons of the failures. */
export async function outcomes(calls: Promise<unknown>[]) {
  const settled = await Promise.allSettled(calls);
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { reason?: string }).reason ?? String(one.reason)] : []));
  return { succeeded: settled.length - reasons.length, failed: reasons.length, reasons: [...new Set(reasons)].sort() };
}
