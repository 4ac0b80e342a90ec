// Lists the entries of the waitlist.
import { z } from 'zod';
import { person, queryReference, reference } from '../rules/tool-output.ts';
import { inLanguage, listLines } from '../rules/wording.ts';
import { patientToModel } from './find-people.ts';
import { defineTool } from './tool.ts';

const MAX_ENTRIES = 30;

const waitlistReference = queryReference('waitlist', '/api/waitlist?status=waiting', 'Lista de espera');

export const waitlist = defineTool({
  name: 'waitlist',
  description: 'Who waits for an earlier slot, in the order of their arrival.',
  requires: {},
  args: z.object({}),
  load: ({ app, asUser }) => app.scheduling.waitlist.listWaitlist({ status: 'waiting', page: 1, limit: MAX_ENTRIES }, asUser),
  toModel: ({ entries, total }) => ({
    source: reference(waitlistReference),
    total,
    entries: entries.map(({ patients, doctors, dateFrom, dateTo, timeFrom, timeTo }) => ({
      patient: patients && patientToModel(patients),
      doctor: person(doctors?.fullName),
      from: dateFrom,
      to: dateTo,
      time_from: timeFrom?.slice(0, 5) ?? null,
      time_to: timeTo?.slice(0, 5) ?? null,
    })),
  }),
  summary: ({ total }, language) => inLanguage(language, `Lista de espera: ${total}`, `Waitlist: ${total}`),
  toText({ entries, total }, language, cite) {
    const head = inLanguage(language, `En lista de espera: ${total}`, `On the waitlist: ${total}`);
    const any = inLanguage(language, 'cualquier doctor', 'any doctor');
    const lines = entries.map(
      ({ patients, doctors, dateFrom, dateTo }) => `- ${patients?.fullName ?? ''}: ${dateFrom} – ${dateTo}, ${doctors?.fullName ?? any}`,
    );
    return [`${head} ${cite(waitlistReference)}`, ...listLines(lines, total, language)].join('\n');
  },
});
