// Ids of buttons and list rows. An id says all that the button means, so that one of an old message still works. Ids stay on
// phones for good: every id ever sent must decode (docs/persisted-names.md).

const MENU = ['do_book', 'do_mine', 'do_move', 'do_cancel', 'do_faq', 'do_person', 'do_menu', 'keep'] as const;
const ANSWERS = ['yes', 'no', 'other', 'name'] as const;
const APPOINTMENT_ACTIONS = ['show', 'confirm', 'move', 'cancel', 'drop'] as const;

/** `keep` leaves an appointment as it is. */
export type MenuEntry = (typeof MENU)[number];
/** `name` takes the name of the sender's profile, `other` asks for another name. */
export type Answer = (typeof ANSWERS)[number];
/** `cancel` asks whether to cancel, `drop` cancels. */
export type AppointmentAction = (typeof APPOINTMENT_ACTIONS)[number];

/** What a button does. `move` is the id of the appointment that is being moved; absent for a new one. `date` is YYYY-MM-DD, `time` HH:MM. */
export type ButtonAction =
  | { kind: MenuEntry }
  | { kind: 'doctors'; page: number }
  | { kind: 'doctor'; doctorId: string }
  | { kind: 'days' | 'day'; doctorId: string; date: string; move?: string | undefined }
  | { kind: 'times'; doctorId: string; date: string; page: number; move?: string | undefined }
  | { kind: 'time'; doctorId: string; date: string; time: string; move?: string | undefined }
  | { kind: 'answer'; answer: Answer; nonce: string }
  | { kind: 'whom'; patientId: string; nonce: string }
  | { kind: 'appointment'; action: AppointmentAction; appointmentId: string }
  | { kind: 'faq'; faqId: string }
  | { kind: 'offer'; accept: boolean; entryId: string; offerId: string };

export function encodeButtonId(action: ButtonAction): string {
  switch (action.kind) {
    case 'doctors':
      return join('doctors', action.page);
    case 'doctor':
      return join('doctor', action.doctorId);
    case 'days':
    case 'day':
      return join(action.kind, action.doctorId, action.date, action.move);
    case 'times':
      return join('times', action.doctorId, action.date, action.page, action.move);
    case 'time':
      return join('time', action.doctorId, action.date, action.time, action.move);
    case 'answer':
      return join(action.answer, action.nonce);
    case 'whom':
      return join('whom', action.patientId, action.nonce);
    case 'appointment':
      return join('visit', action.action, action.appointmentId); // plain-words: visit is stored
    case 'faq':
      return join('faq', action.faqId);
    case 'offer':
      return join('offer', action.accept ? 'yes' : 'no', action.entryId, action.offerId);
    default:
      return action.kind;
  }
}

const join = (...parts: (string | number | undefined)[]) => parts.filter((part) => part !== undefined).join('|');

/** Undefined for an id that no release has sent. */
export function decodeButtonId(id: string): ButtonAction | undefined {
  const [tag, first = '', second = '', third = '', fourth] = id.split('|');
  switch (tag) {
    case 'doctors':
      return { kind: 'doctors', page: pageOf(first) };
    case 'doctor':
      return { kind: 'doctor', doctorId: first };
    case 'days':
    case 'day':
      return isDate(second) ? { kind: tag, doctorId: first, date: second, move: third || undefined } : undefined;
    case 'times':
      return isDate(second) ? { kind: 'times', doctorId: first, date: second, page: pageOf(third), move: fourth } : undefined;
    case 'time':
      return isDate(second) && isTime(third) ? { kind: 'time', doctorId: first, date: second, time: third, move: fourth } : undefined;
    // plain-words: visit is stored
    case 'visit': {
      const action = APPOINTMENT_ACTIONS.find((one) => one === first);
      return action && { kind: 'appointment', action, appointmentId: second };
    }
    case 'whom':
      return { kind: 'whom', patientId: first, nonce: second };
    case 'faq':
      return { kind: 'faq', faqId: first };
    case 'offer':
      return first === 'yes' || first === 'no' ? { kind: 'offer', accept: first === 'yes', entryId: second, offerId: third } : undefined;
    default: {
      const answer = ANSWERS.find((one) => one === tag);
      if (answer) return { kind: 'answer', answer, nonce: first };
      const kind = MENU.find((one) => one === tag);
      return kind && { kind };
    }
  }
}

const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);
const isTime = (text: string) => /^\d{2}:\d{2}$/.test(text);
const pageOf = (text: string) => (/^\d{1,6}$/.test(text) ? Number(text) : 0);
