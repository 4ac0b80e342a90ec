// A chart as the contract returns it.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ChartToothSchema, DentalChartSchema, ToothFindingSchema } from '@clinic/proto/dental/v1/chart_pb.js';
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { Chart, ToothFinding } from './rules/chart.ts';
import { ageOn, inferDentition } from './rules/dentition.ts';
import type { Dentition } from './rules/teeth.ts';

/** The dentition that a user set, otherwise the one inferred from age and chart. `day` is a date in the clinic's time zone. */
export function effectiveDentition(chart: Chart, patient: FoundPatient, day: string): Dentition {
  return chart.dentition ?? inferDentition(chart.findings, patient.birthDate ? ageOn(patient.birthDate, day) : undefined);
}

/** As of a day in the clinic's time zone. */
export function toDentalChart(chart: Chart, patient: FoundPatient, day: string): MessageInitShape<typeof DentalChartSchema> {
  return {
    patientId: patient.id,
    dentition: effectiveDentition(chart, patient, day),
    teeth: toTeeth(chart.findings),
    updatedAt: chart.updatedAt && timestampFromDate(chart.updatedAt),
    alerts: patient.alerts,
  };
}

export function toTeeth(all: ToothFinding[]): MessageInitShape<typeof ChartToothSchema>[] {
  return [...Map.groupBy(all, ({ tooth }) => tooth)].map(([tooth, findings]) => ({ tooth, findings: findings.map(toToothFinding) }));
}

function toToothFinding(found: ToothFinding): MessageInitShape<typeof ToothFindingSchema> {
  return {
    ...found,
    surfaces: [...found.surfaces],
    teeth: [...found.teeth],
    role: found.finding === 'bridge' ? (found.pontic ? 'pontic' : 'abutment') : undefined,
    notes: found.notes ?? undefined,
    recordedAt: timestampFromDate(found.createdAt),
  };
}
