// Ids of buttons and list rows. An id contains everything that the button means, so that a button of an old message still works. Ids stay
// on phones permanently: every id ever sent must decode (docs/persisted-names.md).

const MENU = ['do_book', 'do_mine', 'do_move', 'do_cancel', 'do_faq', 'do_person', 'do_menu', 'keep'] as const;
const ANSWERS = ['yes', 'no', 'other', 'name'] as const;
const APPOINTMENT_ACTIONS = ['show', 'confirm', 'move', 'cancel', 'drop'] as const;

/** `keep` leaves an appointment as it is. */
export type MenuEntry = (typeof MENU)[number];
/** `name` uses the name of the sender's profile, `other` asks for another name. */
export type Answer = (typeof ANSWERS)[number];
/** `cancel` asks whether to cancel, `drop` cancels. */
export type AppointmentAction = (typeof APPOINTMENT_ACTIONS)[number];

/** What a slot is for: the appointment `move` that is being moved, or a new one of a type, if the clinic has types that patients can book. */
export type Purpose = { move?: string | undefined; typeId?: string | undefined };

/** When a patient on the waitlist could come: on a day (YYYY-MM-DD), or in the coming weeks. */
export type Wait = string;
export const WEEKS: Wait = 'weeks';

/** What a button does. `date` is YYYY-MM-DD, `time` HH:MM. If `wait` is set, a type or a doctor is chosen for the waitlist. */
export type ButtonAction =
  | { kind: MenuEntry }
  | { kind: 'types'; page: number; wait?: Wait | undefined }
  | { kind: 'type'; typeId: string; wait?: Wait | undefined }
  | { kind: 'doctors'; page: number; typeId?: string | undefined; wait?: Wait | undefined }
  | { kind: 'doctor'; doctorId: string; typeId?: string | undefined }
  | { kind: 'wait'; doctorId: string; wait: Wait; typeId?: string | undefined }
  | ({ kind: 'days' | 'day'; doctorId: string; date: string } & Purpose)
  | ({ kind: 'times'; doctorId: string; date: string; page: number } & Purpose)
  | ({ kind: 'time'; doctorId: string; date: string; time: string } & Purpose)
  | { kind: 'answer'; answer: Answer; nonce: string }
  | { kind: 'whom'; patientId: string; nonce: string }
  | { kind: 'appointment'; action: AppointmentAction; appointmentId: string }
  | { kind: 'faq'; faqId: string }
  | { kind: 'offer'; accept: boolean; entryId: string; offerId: string };

export function encodeButtonId(action: ButtonAction): string {
  switch (action.kind) {
    case 'types':
      return joinParts('types', action.page, action.wait);
    case 'type':
      return joinParts('type', action.typeId, action.wait);
    case 'doctors':
      return joinParts('doctors', action.page, action.wait === undefined ? action.typeId : (action.typeId ?? ''), action.wait);
    case 'wait':
      return joinParts('wait', action.doctorId, action.wait, action.typeId);
    case 'doctor':
      return joinParts('doctor', action.doctorId, action.typeId);
    case 'days':
    case 'day':
      return joinParts(action.kind, action.doctorId, action.date, ...purposeOf(action));
    case 'times':
      return joinParts('times', action.doctorId, action.date, action.page, ...purposeOf(action));
    case 'time':
      return joinParts('time', action.doctorId, action.date, action.time, ...purposeOf(action));
    case 'answer':
      return joinParts(action.answer, action.nonce);
    case 'whom':
      return joinParts('whom', action.patientId, action.nonce);
    case 'appointment':
      return joinParts('visit', action.action, action.appointmentId); // plain-words: visit is stored
    case 'faq':
      return joinParts('faq', action.faqId);
    case 'offer':
      return joinParts('offer', action.accept ? 'yes' : 'no', action.entryId, action.offerId);
    default:
      return action.kind;
  }
}

const purposeOf = ({ move, typeId }: Purpose) => (typeId === undefined ? [move] : [move ?? '', typeId]);

const joinParts = (...parts: (string | number | undefined)[]) => parts.filter((part) => part !== undefined).join('|');

/** Undefined for an id that no release has sent. */
export function decodeButtonId(id: string): ButtonAction | undefined {
  const [tag, first = '', second = '', third = '', fourth = '', fifth = ''] = id.split('|');
  switch (tag) {
    case 'types':
      return { kind: 'types', page: pageOf(first), wait: waitOf(second) };
    case 'type':
      return { kind: 'type', typeId: first, wait: waitOf(second) };
    case 'doctors':
      return { kind: 'doctors', page: pageOf(first), typeId: second || undefined, wait: waitOf(third) };
    case 'wait': {
      const wait = waitOf(second);
      return wait === undefined ? undefined : { kind: 'wait', doctorId: first, wait, typeId: third || undefined };
    }
    case 'doctor':
      return { kind: 'doctor', doctorId: first, typeId: second || undefined };
    case 'days':
    case 'day':
      return isDate(second) ? { kind: tag, doctorId: first, date: second, ...purpose(third, fourth) } : undefined;
    case 'times':
      return isDate(second) ? { kind: 'times', doctorId: first, date: second, page: pageOf(third), ...purpose(fourth, fifth) } : undefined;
    case 'time':
      return isDate(second) && isTime(third) ? { kind: 'time', doctorId: first, date: second, time: third, ...purpose(fourth, fifth) } : undefined;
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

const purpose = (move: string, typeId: string): Purpose => ({ move: move || undefined, typeId: typeId || undefined });
const waitOf = (text: string): Wait | undefined => (text === WEEKS || isDate(text) ? text : undefined);
const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);
const isTime = (text: string) => /^\d{2}:\d{2}$/.test(text);
const pageOf = (text: string) => (/^\d{1,6}$/.test(text) ? Number(text) : 0);
