// The notes of a booking by chat or online for another person than the patient who has the phone.

/** How the note begins, by where the name was given; the name follows. */
const BEGINNINGS = { chat: 'Por chat, para: ', online: 'En línea, para: ' } as const;

export type NoteSource = keyof typeof BEGINNINGS;

export const noteOfOther = (source: NoteSource, name: string, notes: string | null): string =>
  [`${BEGINNINGS[source]}${name}`, notes].filter(Boolean).join('\n');

/** The name of the person in such a note. */
export function otherName(notes = ''): string | undefined {
  const beginning = Object.values(BEGINNINGS).find((one) => notes.startsWith(one));
  return (beginning && notes.slice(beginning.length).split('\n', 1)[0]?.trim()) || undefined;
}
