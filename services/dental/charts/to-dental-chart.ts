// A chart as it is told to clients.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { DentalChartSchema, ToothFindingSchema } from '@clinic/proto/dental/v1/chart_pb.js';
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { Chart, ToothFinding } from './rules/chart.ts';
import { ageOn, inferDentition } from './rules/dentition.ts';
import type { Dentition } from './rules/teeth.ts';

/** What was set by hand, or else what age and chart say. */
export function effectiveDentition(chart: Chart, patient: FoundPatient, at: Date): Dentition {
  return chart.dentition ?? inferDentition(chart.findings, patient.birthDate ? ageOn(patient.birthDate, at) : undefined);
}

export function toDentalChart(chart: Chart, patient: FoundPatient, at: Date): MessageInitShape<typeof DentalChartSchema> {
  const byTooth = Map.groupBy(chart.findings, ({ tooth }) => tooth);
  return {
    patientId: patient.id,
    dentition: effectiveDentition(chart, patient, at),
    teeth: [...byTooth].map(([tooth, findings]) => ({ tooth, findings: findings.map(toToothFinding) })),
    updatedAt: chart.updatedAt && timestampFromDate(chart.updatedAt),
  };
}

function toToothFinding(one: ToothFinding): MessageInitShape<typeof ToothFindingSchema> {
  return {
    id: one.id,
    finding: one.finding,
    status: one.status,
    surfaces: [...one.surfaces],
    teeth: [...one.teeth],
    role: one.finding === 'bridge' ? (one.pontic ? 'pontic' : 'abutment') : undefined,
    notes: one.notes ?? undefined,
    recordedAt: timestampFromDate(one.createdAt),
  };
}
