// The line that describes an appointment in messages of the bot, reminders and offers.
import { formatClockTime, formatLongDay, type Language } from '@clinic/lib/formats/day-text.ts';

/** `date` is YYYY-MM-DD, `time` HH:MM or HH:MM:SS, in the clinic's zone. `person` is named if the appointment is not the recipient's own. */
type AppointmentTime = { doctorName: string; date: string; time: string; person?: string | undefined };

export const appointmentLine = ({ doctorName, date, time, person }: AppointmentTime, language: Language) =>
  [`📅 ${formatLongDay(date, language)}`, formatClockTime(time, language), doctorName, ...(person ? [person] : [])].join(', ');
