// GET /fhir/R4/metadata: what this server can do (https://hl7.org/fhir/R4/capabilitystatement.html).
import type fhir4 from 'fhir/r4.d.ts';

const parameter = (name: string, type: 'token' | 'string' | 'reference' | 'date', documentation: string) => ({ name, type, documentation });
const DAY = 'A day in the zone of the clinic, YYYY-MM-DD, optionally prefixed by eq, ge, gt, le or lt; give it twice for a range';

const ACTIVE = 'true or false; without it, a search that names no doctor lists active doctors';

/** The resources with their search parameters. */
export const SEARCHES = {
  Patient: [
    parameter('_id', 'token', 'Id of a patient'),
    parameter('name', 'string', 'Beginnings of words of the name; case and accents are ignored'),
    parameter('phone', 'token', 'A part of the phone number'),
  ],
  Practitioner: [parameter('_id', 'token', 'Id of a doctor'), parameter('active', 'token', ACTIVE)],
  Schedule: [
    parameter('_id', 'token', 'Id of a schedule, which is the id of its doctor'),
    parameter('actor', 'reference', 'Practitioner/<id>'),
    parameter('active', 'token', ACTIVE),
  ],
  Slot: [
    parameter('schedule', 'reference', 'Required: Schedule/<id>'),
    parameter('start', 'date', `${DAY}. At most 14 days; 7 days if no end is given`),
    parameter('status', 'token', 'Only free times are listed: other values find nothing'),
  ],
  Appointment: [
    parameter('_id', 'token', 'Id of an appointment'),
    parameter('date', 'date', DAY),
    parameter('patient', 'reference', 'Patient/<id>'),
    parameter('practitioner', 'reference', 'Practitioner/<id>'),
    parameter('status', 'token', 'booked, pending, fulfilled, cancelled or noshow'),
  ],
} as const;

export type ResourceType = keyof typeof SEARCHES;

export const capabilityStatement = (base: string): fhir4.CapabilityStatement => ({
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2026-11-28',
  kind: 'instance',
  fhirVersion: '4.0.1',
  format: ['application/fhir+json'],
  implementation: { description: 'Clinic Management Service, read only', url: base },
  rest: [
    {
      mode: 'server',
      documentation:
        'Errors have the format of the REST API. _count is 1 to 100, by default 20; the links of a bundle lead to the other pages. A total of 10000 means 10000 or more. Searches list archived patients and merged records only by _id.',
      security: { description: 'Authorization: Bearer with an integration key that has the scope fhir:read, or with the access token of a user' },
      resource: (Object.keys(SEARCHES) as ResourceType[]).map((type) => ({
        type,
        interaction: [{ code: 'read' }, { code: 'search-type' }],
        searchParam: [...SEARCHES[type]],
      })),
    },
  ],
});
