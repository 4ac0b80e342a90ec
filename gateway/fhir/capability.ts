// GET /fhir/R4/metadata: what this server can do (https://hl7.org/fhir/R4/capabilitystatement.html).
import type fhir4 from 'fhir/r4.d.ts';

const parameter = (name: string, type: 'token' | 'string' | 'reference' | 'date', documentation: string) => ({ name, type, documentation });
const DAY = 'A day of the clinic, YYYY-MM-DD, with eq, ge, gt, le, lt or nothing before it; twice for a range';

/** The resources with their search parameters. */
export const SEARCHES = {
  Patient: [
    parameter('_id', 'token', 'Id of a patient'),
    parameter('name', 'string', 'A part of the name, without regard to case and accents'),
    parameter('phone', 'token', 'A part of the phone number'),
  ],
  Practitioner: [parameter('_id', 'token', 'Id of a doctor'), parameter('active', 'token', 'true or false')],
  Schedule: [
    parameter('_id', 'token', 'Id of a schedule, which is that of its doctor'),
    parameter('actor', 'reference', 'Practitioner/ and an id'),
    parameter('active', 'token', 'true or false'),
  ],
  Slot: [
    parameter('schedule', 'reference', 'Required: Schedule/ and an id'),
    parameter('start', 'date', `${DAY}. Without an end 7 days, at most 14`),
    parameter('status', 'token', 'free: other times are not listed'),
  ],
  Appointment: [
    parameter('_id', 'token', 'Id of an appointment'),
    parameter('date', 'date', DAY),
    parameter('patient', 'reference', 'Patient/ and an id'),
    parameter('practitioner', 'reference', 'Practitioner/ and an id'),
    parameter('status', 'token', 'booked, pending, fulfilled, cancelled or noshow'),
  ],
} as const;

export type ResourceType = keyof typeof SEARCHES;

export const capabilityStatement = (base: string): fhir4.CapabilityStatement => ({
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2026-11-22',
  kind: 'instance',
  fhirVersion: '4.0.1',
  format: ['application/fhir+json'],
  implementation: { description: 'Clinic Management Service, read only', url: base },
  rest: [
    {
      mode: 'server',
      documentation: 'Errors are those of the REST API. _count is 1 to 100, 20 by default; the links of a bundle lead to the other pages.',
      security: { description: 'Authorization: Bearer with an integration key that has the scope fhir:read, or with the token of a user' },
      resource: (Object.keys(SEARCHES) as ResourceType[]).map((type) => ({
        type,
        interaction: [{ code: 'read' }, { code: 'search-type' }],
        searchParam: [...SEARCHES[type]],
      })),
    },
  ],
});
