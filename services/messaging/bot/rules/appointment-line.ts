// The line that describes an appointment in messages of the bot, reminders and offers.
import { formatClockTime, formatLongDay, type Language } from '@clinic/lib/formats/day-text.ts';

/** `date` is YYYY-MM-DD, `time` HH:MM or HH:MM:SS, in the clinic's zone. */
export type AppointmentTime = { doctorName: string; date: string; time: string };

export const appointmentLine = ({ doctorName, date, time }: AppointmentTime, language: Language) =>
  `📅 ${formatLongDay(date, language)}, ${formatClockTime(time, language)}, ${doctorName}`;
