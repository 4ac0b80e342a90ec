// Lists free slots as scheduling offers them.
import { counted } from '@clinic/lib/formats/counted.ts';
import { formatClockTime, formatLongDay } from '@clinic/lib/formats/day-text.ts';
import { addDays } from '@clinic/lib/formats/local-date.ts';
import { z } from 'zod';
import { person, queryReference, reference } from '../rules/tool-output.ts';
import { inLanguage } from '../rules/wording.ts';
import { optionalDay, optionalDoctor } from './argument-schemas.ts';
import { appointmentArg, findOpenAppointment, toMove } from './find-appointment.ts';
import { doctorReference, findDoctors } from './find-people.ts';
import { defineTool } from './tool.ts';

const MAX_DOCTORS = 8;
const MAX_DAYS = 7;
const MAX_STARTS_IN_TEXT = 8;

const slotsReference = (doctorId: string, date: string) =>
  queryReference(`slots ${doctorId} ${date}`, `/api/doctors/${doctorId}/slots?date=${date}`, `Espacios libres ${date}`);

export const freeSlots = defineTool({
  name: 'free_slots',
  description: 'Starts that can be booked, by doctor and day, from a day on. Use it before you propose a booking or a move.',
  requires: {},
  args: z.object({
    date: optionalDay,
    days: z.number().int().min(1).max(MAX_DAYS).optional().describe('How many days; 1 by default'),
    doctor: optionalDoctor,
    appointment: appointmentArg.optional().describe('Before a move: reference of the appointment, whose length and own time are taken into account'),
  }),
  async load(context, { date = context.today, days = 1, doctor, appointment }) {
    const all = await findDoctors(context, doctor);
    const doctors = all.slice(0, MAX_DOCTORS);
    const move = appointment ? toMove(await findOpenAppointment(context, appointment)) : {};
    const dates = Array.from({ length: days }, (_, index) => addDays(date, index));
    const found = await Promise.all(
      dates.flatMap((on) =>
        doctors.map(async ({ id, fullName }) => {
          const { slots } = await context.app.scheduling.doctors.listSlots({ doctorId: id, date: on, ...move }, context.asUser);
          return { id, fullName, date: on, starts: slots.map(({ startTime }) => startTime.slice(0, 5)) };
        }),
      ),
    );
    return { found, otherDoctors: all.length - doctors.length };
  },
  toModel: ({ found, otherDoctors }) => ({
    days: found.map(({ id, fullName, date, starts }) => ({
      source: reference(slotsReference(id, date)),
      doctor: { ref: reference(doctorReference({ id, fullName })), name: person(fullName) },
      date,
      starts,
    })),
    doctors_not_shown: otherDoctors,
  }),
  summary({ found }, language) {
    const total = found.reduce((sum, { starts }) => sum + starts.length, 0);
    return inLanguage(language, `Espacios libres: ${total}`, `Free slots: ${total}`);
  },
  toText({ found, otherDoctors }, language, cite) {
    const lines = found.map(({ id, fullName, date, starts }) => {
      const shown = starts.slice(0, MAX_STARTS_IN_TEXT).map((start) => formatClockTime(start, language));
      const rest = starts.length - shown.length;
      const more = rest > 0 ? inLanguage(language, ` y ${rest} más`, ` and ${rest} more`) : '';
      const free = starts.length === 0 ? inLanguage(language, 'nada libre', 'nothing free') : `${shown.join(', ')}${more}`;
      return `- ${fullName}, ${formatLongDay(date, language)}: ${free} ${cite(slotsReference(id, date))}`;
    });
    if (lines.length === 0) return inLanguage(language, 'No hay doctores activos.', 'There are no active doctors.');
    const others = inLanguage(
      language,
      `Hay ${counted(otherDoctors, 'doctor más', 'doctores más')}: pregunte por su nombre.`,
      `There ${otherDoctors === 1 ? 'is' : 'are'} ${counted(otherDoctors, 'more doctor', 'more doctors')}: ask by name.`,
    );
    return [inLanguage(language, 'Espacios libres:', 'Free slots:'), ...lines, ...(otherDoctors > 0 ? [others] : [])].join('\n');
  },
});
