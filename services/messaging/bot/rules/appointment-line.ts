// The line that describes an appointment in messages of the bot, reminders and offers.
import { formatClockTime, formatLongDay, type Language } from '@clinic/lib/formats/day-text.ts';

/** `date` is YYYY-MM-DD, `time` HH:MM or HH:MM:SS, in the clinic's zone. `person` is named if the appointment is not the recipient's own. */
type AppointmentTime = { doctorName: string; date: string; time: string; person?: string | undefined };

export const appointmentLine = ({ doctorName, date, time, person }: AppointmentTime, language: Language) =>
  [`📅 ${formatLongDay(date, language)}`, formatClockTime(time, language), doctorName, ...(person ? [person] : [])].join(', ');

/** Begins the note of an appointment for somebody who is not a patient; the name follows. */
export const NOTE_OF_OTHER = 'Por chat, para: ';
/** The notes with which appointments by chat and online bookings of scheduling begin. */
const NOTES_OF_OTHER = [NOTE_OF_OTHER, 'En línea, para: '];

/** The name of the person for whom an appointment was booked by chat or online, if it is not the patient. */
export function otherName(notes = ''): string | undefined {
  const prefix = NOTES_OF_OTHER.find((one) => notes.startsWith(one));
  return (prefix && notes.slice(prefix.length).split('\n', 1)[0]?.trim()) || undefined;
}
