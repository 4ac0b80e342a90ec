// Random edits of a plan's steps against a list.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Dental, startDental } from '../testing/dental-service.ts';

let s: Dental;
beforeAll(async () => {
  s = await startDental();
});
afterAll(() => s.stop());

const at = fc.nat({ max: 30 });
const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), at }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), at, to: fc.integer({ min: 1, max: 12 }) }) },
);

test('after any edits, the steps equal a list that was edited in the same way, numbered 1 to n', async () => {
  const clinicId = randomUUID();
  const me = s.asUser(clinicId);
  const patient = s.patient(clinicId);
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 20 }), async (edits) => {
      const { id } = await s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'Plan' }, me);
      const list: string[] = [];
      for (const one of edits) {
        if (one.kind === 'add') {
          list.push((await s.treatments.addTreatmentStep({ id, procedure: 'Paso' }, me)).id);
        } else if (list.length > 0) {
          const index = one.at % list.length;
          const [stepId = ''] = list.splice(index, 1);
          if (one.kind === 'delete') await s.treatments.deleteTreatmentStep({ id: stepId }, me);
          else {
            list.splice(Math.min(one.to, list.length + 1) - 1, 0, stepId);
            const moved = await s.treatments.updateTreatmentStep({ id: stepId, stepOrder: one.to }, me);
            expect(moved.stepOrder).toBe(list.indexOf(stepId) + 1);
          }
        }
      }
      const { steps } = await s.treatments.getTreatmentPlan({ id }, me);
      expect(steps.map((step) => [step.id, step.stepOrder])).toEqual(list.map((stepId, index) => [stepId, index + 1]));
    }),
    { numRuns: 40 },
  );
});
