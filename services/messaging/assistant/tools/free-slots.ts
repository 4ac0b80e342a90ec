// Free slots: what can be booked, as scheduling itself offers it.

import { formatClockTime, formatLongDay } from '@clinic/lib/formats/day-text.ts';
import { addDays } from '@clinic/lib/formats/local-date.ts';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { createClient } from '@connectrpc/connect';
import { z } from 'zod';
import { person, type Reference, reference } from '../rules/tool-output.ts';
import { optionalDay } from './argument-schemas.ts';
import { doctorReference, doctorsNamed } from './find-people.ts';
import { in2, tool } from './tool.ts';

const MOST_DOCTORS = 8;
const MOST_DAYS = 7;
const MOST_SAID = 8;

const slotsReference = (doctorId: string, date: string): Reference => ({
  kind: 'consulta',
  id: `slots ${doctorId} ${date}`,
  href: `/api/doctors/${doctorId}/slots?date=${date}`,
  label: `Espacios libres ${date}`,
});

export const freeSlots = tool({
  name: 'free_slots',
  about: 'Starts that can be booked, by doctor and day, from a day on. Use it before you propose a booking or a move.',
  needs: {},
  args: z.object({
    date: optionalDay,
    days: z.number().int().min(1).max(MOST_DAYS).optional().describe('How many days; 1 unless told'),
    doctor: z.string().max(200).optional().describe('Name or reference of a doctor; absent for all'),
  }),
  async read(asking, { date = asking.today, days = 1, doctor }) {
    const doctors = (await doctorsNamed(asking, doctor)).slice(0, MOST_DOCTORS);
    const client = createClient(DoctorService, asking.app.neighbour('scheduling'));
    const dates = Array.from({ length: days }, (_, index) => addDays(date, index));
    return Promise.all(
      dates.flatMap((on) =>
        doctors.map(async ({ id, fullName }) => {
          const { slots } = await client.listSlots({ doctorId: id, date: on }, asking.as);
          return { id, fullName, date: on, starts: slots.map(({ startTime }) => startTime.slice(0, 5)) };
        }),
      ),
    );
  },
  tell: (found) =>
    found.map(({ id, fullName, date, starts }) => ({
      source: reference(slotsReference(id, date)),
      doctor: { ref: reference(doctorReference({ id, fullName })), name: person(fullName) },
      date,
      starts,
    })),
  summary(found, language) {
    const n = found.reduce((sum, { starts }) => sum + starts.length, 0);
    return in2(language, `Espacios libres: ${n}`, `Free slots: ${n}`);
  },
  say(found, language, cite) {
    const lines = found.map(({ id, fullName, date, starts }) => {
      const shown = starts.slice(0, MOST_SAID).map((start) => formatClockTime(start, language));
      const more = starts.length > MOST_SAID ? in2(language, ` y ${starts.length - MOST_SAID} más`, ` and ${starts.length - MOST_SAID} more`) : '';
      const free = starts.length === 0 ? in2(language, 'nada libre', 'nothing free') : `${shown.join(', ')}${more}`;
      return `- ${fullName}, ${formatLongDay(date, language)}: ${free} ${cite(slotsReference(id, date))}`;
    });
    if (lines.length === 0) return in2(language, 'No hay doctores activos.', 'There are no active doctors.');
    return [in2(language, 'Espacios libres:', 'Free slots:'), ...lines].join('\n');
  },
});
