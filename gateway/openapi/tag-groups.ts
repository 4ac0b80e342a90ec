// The groups of the reference and their tags, in the order of the reference. Tags that are not listed here are appended to the last group.
const GROUPS: Record<string, string[]> = {
  'Front desk': [
    ...['Agenda', 'Appointments', 'Appointment series', 'Slot drafts', 'Waitlist', 'Check-in', 'Doctors', 'Appointment types', 'Chairs and rooms'],
    ...['Online booking', 'Calendar feeds', 'Import of past appointments'],
  ],
  Patients: [
    ...['Patients', 'Patients in bulk', 'Timeline', 'Medical alerts', 'Clinical notes', 'Search of clinical notes', 'Files', 'Prescriptions'],
    ...['Shared prescriptions', 'Form templates', 'Forms of patients', 'Forms of the clinic', 'Forms on the phone', 'Proposed medical alerts'],
  ],
  Dental: ['Dental charts', 'Treatment plans', 'Dental recall'],
  Money: ['Payment plans', 'Balances', 'Import of balances', 'Commission rules', 'Commissions', 'Tax documents', 'Tax profiles'],
  Chat: ['Conversations', 'Chat channel', 'Chat bot', 'FAQ', 'Canned replies'],
  Clinic: ['Sessions', 'Users', 'Clinic', 'Plan', 'Analytics', 'Assistant', 'Audit log'],
  Platform: ['Integration keys', 'Outbound webhooks', 'Live events'],
};

/** The value of `x-tagGroups`, an extension that several OpenAPI renderers support. */
export function groupTags(tags: string[]): { name: string; tags: string[] }[] {
  const placed = new Set(Object.values(GROUPS).flat());
  const others = tags.filter((tag) => !placed.has(tag));
  return Object.entries(GROUPS).map(([name, own], index, { length }) => ({ name, tags: index === length - 1 ? [...own, ...others] : own }));
}
