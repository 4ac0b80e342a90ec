// The findings of generated steps: planned once, closed in the chart when the step is completed, reopened with the step.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { AppointmentStatusChangedSchema, PatientsMergedSchema, PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 } from 'uuid';
import { onPatientsMerged, onPatientsUnmerged } from '../patient-merges/consumers.ts';
import { type Dental, outcomes, startDental } from '../testing/dental-service.ts';
import { onAppointmentStatusChanged } from './on-appointment-status-changed.ts';

let s: Dental;
let clinicId: string;
let patient: { id: string };
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());
beforeEach(() => {
  clinicId = randomUUID();
  patient = s.patient(clinicId);
});

const me = () => s.asUser(clinicId);
const chart = (tooth: number, finding: string, fields: { status?: string; surfaces?: string[]; teeth?: number[]; replaces?: string } = {}) =>
  s.charts.addChartEntry({ patientId: patient.id, tooth, finding, status: 'existing', ...fields }, me());
const findings = async (patientId = patient.id) =>
  (await s.charts.getChart({ patientId }, me())).teeth.flatMap(({ tooth, findings }) =>
    findings.map(({ finding, status, surfaces }) => [tooth, finding, status, surfaces.join('')].filter(Boolean).join(' ')),
  );
const history = async () => (await s.charts.getChartHistory({ patientId: patient.id }, me())).entries;
const generate = () => s.treatments.generateTreatmentPlan({ patientId: patient.id }, me());
const generated = async () => (await generate()).steps;
const setStatus = (id: string, status: string) => s.treatments.updateTreatmentStep({ id, status }, me());
const first = async () => (await generated())[0]?.id ?? '';

describe('a completed step', () => {
  test.each([
    ['caries is replaced by its filling', 16, 'caries', { surfaces: ['O'] }, ['16 caries existing O'], ['16 filling_resin treated O']],
    ['a planned crown is treated', 11, 'crown', { status: 'planned' }, ['11 crown planned'], ['11 crown treated']],
    ['calculus has no treatment in the catalogue', 31, 'calculus', {}, ['31 calculus existing'], ['31 calculus treated']],
    ['an extracted remnant', 46, 'root_remnant', {}, ['46 root_remnant existing'], ['46 root_remnant treated']],
    [
      'a planned bridge is treated on all its teeth',
      13,
      'bridge',
      { status: 'planned', teeth: [13, 15] },
      ['13 bridge planned', '14 bridge planned', '15 bridge planned'],
      ['13 bridge treated', '14 bridge treated', '15 bridge treated'],
    ],
  ])('closes its finding, which is open again when the step is reopened: %s', async (_what, tooth, finding, fields, open, closed) => {
    await chart(tooth, finding, fields);
    const id = await first();
    await setStatus(id, 'completed');
    expect(await findings()).toEqual(closed);
    await setStatus(id, 'completed');
    expect(await history()).toHaveLength(2);
    await expect(generate()).rejects.toMatchObject({ reason: 'NOTHING_TO_TREAT' });
    for (const status of ['pending', 'completed', 'skipped']) {
      await setStatus(id, status);
      expect(await findings()).toEqual(status === 'completed' ? closed : open);
    }
  });

  test('leaves what its finding did not cover', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    await chart(17, 'caries', { surfaces: ['O'] });
    const id = await first();
    await chart(16, 'caries', { surfaces: ['O', 'M'] });
    await setStatus(id, 'completed');
    expect(await findings()).toEqual(['16 caries existing M', '16 filling_resin treated O', '17 caries existing O']);
  });

  test('that is reopened also withdraws a correction of the entry that closed the finding, unless that was voided', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    const id = await first();
    await setStatus(id, 'completed');
    const closing = (await history())[0]?.id ?? '';
    await chart(16, 'filling_amalgam', { status: 'treated', surfaces: ['O'], replaces: closing });
    expect(await findings()).toEqual(['16 filling_amalgam treated O']);
    await setStatus(id, 'pending');
    expect(await findings()).toEqual(['16 caries existing O']);
    await setStatus(id, 'completed');
    await s.charts.voidChartEntry({ patientId: patient.id, entryId: (await history())[0]?.id ?? '' }, me());
    await setStatus(id, 'pending');
    expect(await findings()).toEqual(['16 caries existing O']);
  });

  test('that a user added, and one whose finding a user has closed, add no entry', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    const plan = await generate();
    const own = await s.treatments.addTreatmentStep({ id: plan.id, procedure: 'Obturación de resina, diente 16 (O)' }, me());
    await setStatus(own.id, 'completed');
    expect(await findings()).toEqual(['16 caries existing O']);
    await chart(16, 'filling_resin', { status: 'treated', surfaces: ['O'] });
    const before = await history();
    await setStatus(plan.steps[0]?.id ?? '', 'completed');
    await setStatus(plan.steps[0]?.id ?? '', 'pending');
    expect(await history()).toEqual(before);
  });

  test('whose finding was closed before does not close a later finding on the same tooth when its notes or appointment change', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    const id = await first();
    await chart(16, 'filling_resin', { status: 'treated', surfaces: ['O'] });
    await setStatus(id, 'completed');
    await chart(16, 'caries', { surfaces: ['O'] });
    await s.treatments.updateTreatmentStep({ id, notes: 'Sin anestesia' }, me());
    await s.treatments.updateTreatmentStep({ id, appointmentId: s.appointment(clinicId, patient.id).id }, me());
    expect(await findings()).toEqual(['16 filling_resin treated O', '16 caries existing O']);
  });

  /** Delivers a status change of an appointment. */
  const receive = (appointmentId: string, patientId: string, status: string, revision: number) => {
    const event = create(AppointmentStatusChangedSchema, { appointment: { appointmentId, patientId, status, revision } });
    return deliver(s.service.db, onAppointmentStatusChanged(s), clinicId, event);
  };

  test('follows its appointment, also after it was sent back with other notes, until a user sets another status', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    const appointment = s.appointment(clinicId, patient.id);
    const receiveNext = (status: string) => receive(appointment.id, patient.id, status, ++appointment.revision);
    const id = await first();
    const update = (fields: object) => s.treatments.updateTreatmentStep({ id, ...fields }, me());
    const [open, closed] = [['16 caries existing O'], ['16 filling_resin treated O']];
    await update({ appointmentId: appointment.id });
    for (const sentBack of [{ status: 'completed', notes: 'a' }, { status: 'completed', notes: 'b', appointmentId: appointment.id }, { notes: 'c' }]) {
      await receiveNext('completed');
      await update(sentBack);
      expect(await findings()).toEqual(closed);
      await receiveNext('no_show');
      expect(await findings()).toEqual(open);
    }
    await update({ status: 'completed' });
    await receiveNext('completed');
    await receiveNext('no_show');
    expect(await findings()).toEqual(closed);
    await update({ status: 'pending' });
    await receiveNext('completed');
    await update({ status: 'completed', appointmentId: '' }); // no longer completed by an appointment
    await update({ appointmentId: s.appointment(clinicId, patient.id).id });
    expect(await findings()).toEqual(closed);
  });

  test('does not follow the appointment of a patient to whom it was linked while a merge was in effect', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    const step = await first();
    const [other, last] = [s.patient(clinicId), s.patient(clinicId)];
    const appointment = s.appointment(clinicId, last.id);
    // The appointment moves with the merges, and back.
    const merges = [
      { mergeId: v7(), keptId: other.id, mergedId: last.id },
      { mergeId: v7(), keptId: patient.id, mergedId: other.id },
    ];
    for (const event of merges) await deliver(s.service.db, onPatientsMerged(s), clinicId, create(PatientsMergedSchema, event));
    appointment.patientId = patient.id;
    await s.treatments.updateTreatmentStep({ id: step, appointmentId: appointment.id }, me());
    await receive(appointment.id, last.id, 'completed', 2); // the event is older than the merges
    expect(await findings()).toEqual(['16 filling_resin treated O']);
    await receive(appointment.id, patient.id, 'confirmed', 3);
    for (const event of merges.toReversed()) await deliver(s.service.db, onPatientsUnmerged(s), clinicId, create(PatientsUnmergedSchema, event));
    appointment.patientId = last.id;
    await receive(appointment.id, last.id, 'completed', 4);
    expect(await findings()).toEqual(['16 caries existing O']);
    // The step can still be sent back, and the appointment be unlinked.
    const update = (fields: object) => s.treatments.updateTreatmentStep({ id: step, status: 'scheduled', ...fields }, me());
    expect(await update({ appointmentId: appointment.id, notes: 'a' })).toMatchObject({ status: 'scheduled', notes: 'a' });
    expect((await update({ appointmentId: '' })).appointmentId).toBeUndefined();
  });

  test('of concurrent requests closes its finding once', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    const id = await first();
    await Promise.all(Array.from({ length: 6 }, (_, index) => setStatus(id, index % 2 === 0 ? 'completed' : 'pending')));
    await setStatus(id, 'completed');
    expect(await findings()).toEqual(['16 filling_resin treated O']);
  });

  test('moves with its plan when a merge of patients is undone', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    const id = await first();
    const keep = s.patient(clinicId);
    const event = { mergeId: randomUUID(), keptId: keep.id, mergedId: patient.id };
    await deliver(s.service.db, onPatientsMerged(s), clinicId, create(PatientsMergedSchema, event));
    await setStatus(id, 'completed');
    expect(await findings(keep.id)).toEqual(['16 filling_resin treated O']);
    await deliver(s.service.db, onPatientsUnmerged(s), clinicId, create(PatientsUnmergedSchema, event));
    expect([await findings(), await findings(keep.id)]).toEqual([['16 filling_resin treated O'], []]);
    await setStatus(id, 'pending');
    expect(await findings()).toEqual(['16 caries existing O']);
  });
});

describe('a finding', () => {
  test('is planned once, also by concurrent requests', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    expect(await outcomes([generate(), generate(), generate(), generate()])).toEqual({ succeeded: 1, failed: 3, reasons: ['NOTHING_TO_TREAT'] });
    await chart(26, 'pulpitis');
    expect((await generated()).map(({ tooth }) => tooth)).toEqual([26]);
    await chart(16, 'caries', { surfaces: ['O'] });
    await expect(generate()).rejects.toMatchObject({ reason: 'NOTHING_TO_TREAT' });
  });

  test.each([
    ['active', []],
    ['paused', []],
    ['completed', [16]],
    ['cancelled', [16]],
  ])('of a plan that is %s', async (status, planned) => {
    await chart(16, 'caries', { surfaces: ['O'] });
    const { id } = await generate();
    await s.treatments.updateTreatmentPlan({ id, status }, me());
    expect(
      await generated().then(
        (steps) => steps.map(({ tooth }) => tooth),
        () => [],
      ),
    ).toEqual(planned);
  });

  test('of a skipped step is planned again', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    await chart(26, 'pulpitis');
    for (const { id, tooth } of await generated()) if (tooth === 16) await setStatus(id, 'skipped');
    expect((await generated()).map(({ tooth }) => tooth)).toEqual([16]);
    await expect(generate()).rejects.toMatchObject({ reason: 'NOTHING_TO_TREAT' });
  });

  test('that comes back after its step was completed is planned again', async () => {
    await chart(16, 'caries', { surfaces: ['O'] });
    await setStatus(await first(), 'completed');
    await chart(16, 'caries', { surfaces: ['O'] });
    expect((await generated()).map(({ tooth }) => tooth)).toEqual([16]);
  });
});
