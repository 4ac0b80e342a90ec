// Names that the bot sends and stores: ids of buttons, and states of conversations. They are found by running the bot: in every state that it
// reaches, every button is pressed and every sentence is sent.
import { listAlerts } from '../../../services/messaging/assistant/rules/briefing-text.ts';
import { type Effects, encodeSession, type Facts, type Input, type Session, type TurnResult } from '../../../services/messaging/bot/rules/session.ts';
import { takeTurn } from '../../../services/messaging/bot/rules/take-turn.ts';
import { EDITABLE, textsIn } from '../../../services/messaging/bot/rules/texts.ts';
import { MAIL_KINDS, missingParameters } from '../../../services/messaging/mail/mail-texts-rules.ts';
import { collect, type Names } from './names.ts';

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const TODAY = '2026-06-01';
const [DOCTOR, DRAFT, FAQ] = [id(1), id(2), id(3)];
const DAYS = Array.from({ length: 12 }, (_, n) => ({ date: `2026-06-${String(n + 2).padStart(2, '0')}`, free: 3 }));
const TIMES = Array.from({ length: 12 }, (_, n) => `${String(n + 8).padStart(2, '0')}:00`);
const SENTENCES = ['Hola', 'Quiero agendar una cita', 'Mis citas', 'Quiero mover mi cita', 'Quiero cancelar mi cita', 'Lista de espera', 'Rosa Díaz', '2'];
/** Buttons of reminders, notices and offers, which the bot sends on its own. */
const UNASKED = [
  `visit|confirm|${id(10)}`, // plain-words: visit is in stored button ids
  `visit|move|${id(10)}`, // plain-words: visit is in stored button ids
  `visit|drop|${id(10)}`, // plain-words: visit is in stored button ids
  `offer|yes|${id(20)}|${id(21)}`,
  `offer|no|${id(20)}|${id(21)}`,
  'do_book',
];
const PREFERENCES = ['marketing:stop', 'marketing:resume'];
const AT_REST: Session = { language: 'es', optedOut: false, step: { name: 'idle' } };

/** `family` is the number of people with the phone: with several, a patient and dependants. */
type World = { doctors: number; booked: number; family: number; types?: number; isFull?: boolean };

export function botNames(): Names {
  const buttons = new Set<string>();
  const states = new Map<string, string[]>();
  for (const world of [
    { doctors: 12, booked: 2, family: 0 },
    { doctors: 2, booked: 2, family: 2 },
    { doctors: 1, booked: 1, family: 0 },
    { doctors: 12, booked: 1, family: 0, types: 12 },
    { doctors: 2, booked: 1, family: 2, types: 2 },
    { doctors: 2, booked: 1, family: 2, isFull: true },
    { doctors: 2, booked: 1, family: 0, types: 2, isFull: true },
  ])
    explore(world, buttons, states);
  for (const button of UNASKED) {
    const known = answer({ doctors: 1, booked: 1, family: 0 }, AT_REST, { kind: 'choice', text: '', choice: button });
    const stale = answer({ doctors: 1, booked: 1, family: 0 }, AT_REST, { kind: 'choice', text: '', choice: 'none' });
    if (JSON.stringify(known.reply) !== JSON.stringify(stale.reply)) buttons.add(shapeOf(button));
  }
  const optedOut = (choice: string) => answer({ doctors: 1, booked: 1, family: 0 }, AT_REST, { kind: 'preference', text: '', choice }).session.optedOut;
  return {
    'Button ids': collect([...buttons].map((button) => [button] as const)),
    'Preferences of the provider': collect(PREFERENCES.map((choice) => [choice, `opted out: ${optedOut(choice)}`] as const)),
    'Conversation states': collect([['session', ...Object.keys(AT_REST)] as const, ...[...states].map(([name, fields]) => [name, ...fields] as const)]),
    'Text keys of clinics': collect(Object.entries(EDITABLE).map(([key, variables]) => [key, ...variables] as const)),
    'Alerts of the briefing': collect(alertCodes().map((code) => [code] as const)),
    'Kinds of mail': collect(MAIL_KINDS.map((kind) => [kind, ...missingParameters(kind, {})] as const)),
  };
}

function alertCodes(): string[] {
  const none = { total: 0, confirmed: 0, pending: 0, completed: 0, no_show: 0, cancelled: 0 };
  const facts = {
    date: TODAY,
    today: TODAY,
    appointments: none,
    doctors_working: 1,
    first_start: null,
    last_end: null,
    gaps: { count: 1, minutes: 30 },
    waitlist: { total: 1, suits_day: 1 },
    chats_waiting: 0,
    currency: 'USD',
    overdue: null,
    recalls_due: null,
    yesterday: { ...none, unmarked: 1 },
  };
  return listAlerts(facts, { appointmentsOnVacation: 1, channelFailed: true, daysLeft: 1, unavailable: ['recalls_due'] }).map(({ code }) => code);
}

function explore(world: World, buttons: Set<string>, states: Map<string, string[]>): void {
  const seen = new Set<string>();
  const open: { session: Session; choices: string[] }[] = [{ session: AT_REST, choices: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { session, choices } = next;
    const { name, ...fields } = JSON.parse(JSON.stringify(encodeSession(session).step));
    states.set(name, [...new Set([...(states.get(name) ?? []), ...Object.entries(fields).flatMap(fieldNames)])]);
    for (const choice of choices) buttons.add(shapeOf(choice));
    const inputs: Input[] = [
      ...SENTENCES.map((text): Input => ({ kind: 'text', text, choice: '' })),
      ...choices.map((choice): Input => ({ kind: 'choice', text: '', choice })),
    ];
    for (const input of inputs) {
      const { session: after, reply } = answer(world, session, input);
      const found = { session: after, choices: choicesOf(reply) };
      const shape = shapeOf(JSON.stringify([after.step, [...new Set(found.choices.map(shapeOf))].sort()]));
      if (seen.has(shape)) continue;
      seen.add(shape);
      open.push(found);
    }
  }
}

const fieldNames = ([name, value]: [string, unknown]): string[] =>
  typeof value === 'object' && value !== null ? [name, ...Object.keys(value).map((inner) => `${name}.${inner}`)] : [name];

/** The text with its variable parts (ids, dates, times and numbers) replaced. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, '<date>')
    .replaceAll(/\d{2}:\d{2}/g, '<time>')
    .replaceAll(/(?<=[|:])\d+/g, '<n>');
}

const choicesOf = (reply: TurnResult['reply']): string[] => reply?.choices?.map(({ id }) => id) ?? [];

function answer(world: World, session: Session, input: Input): TurnResult {
  const facts: Facts = {
    now: new Date(`${TODAY}T15:00:00Z`),
    sentAt: new Date(`${TODAY}T15:00:00Z`),
    zone: 'America/El_Salvador',
    patientName: world.family > 0 ? 'Rosa' : null,
    profileName: 'Rosa',
    sayIn: (language) => textsIn(language, 'Clínica'),
  };
  const turn = takeTurn(session, input, facts);
  let next = turn.next();
  while (!next.done) next = turn.next(resultOf(world, next.value.kind));
  return next.value;
}

function resultOf({ doctors, booked, family, types = 0, isFull = false }: World, kind: keyof Effects): Effects[keyof Effects]['result'] {
  const appointment = (n: number) => ({
    id: id(10 + n),
    doctorId: DOCTOR,
    doctorName: 'Dra. Rivas',
    patientName: 'Rosa',
    date: '2026-06-20',
    time: '09:00',
    status: 'confirmed',
  });
  const results: { [K in keyof Effects]: Effects[K]['result'] } = {
    doctors: Array.from({ length: doctors }, (_, n) => ({ id: n === 0 ? DOCTOR : id(100 + n), name: `Dra. ${n}`, specialty: '' })),
    types: Array.from({ length: types }, (_, n) => ({ id: id(200 + n), name: `Tipo ${n}`, minutes: 30, doctorIds: [] })),
    days: DAYS,
    times: isFull ? [] : TIMES,
    workingHours: [{ from: '08:00', to: '17:00' }],
    clinic: { phone: null, address: null, hours: [] },
    offered: undefined,
    appointments: Array.from({ length: booked }, (_, n) => appointment(n)),
    family: Array.from({ length: family }, (_, n) => ({ id: id(30 + n), name: `Rosa ${n}` })),
    faqs: [{ id: FAQ, question: '¿Hay parqueo?', answer: 'Sí', keywords: ['parqueo'], created_at: new Date(0) }],
    openQuestion: undefined,
    hold: { ok: true, draftId: DRAFT },
    drop: { ok: true },
    confirm: { ok: true },
    book: { ok: true },
    move: { ok: true },
    join: { ok: true },
    status: { ok: true },
    offer: { ok: true, appointment: appointment(0) },
    recall: { ok: true },
  };
  return results[kind];
}
