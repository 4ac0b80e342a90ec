// Determines from the words of a question which tool answers it, and with which arguments: enough for the common questions of a front desk, in
// Spanish and English.
import { foldClockTimes, type Language, parseDay, withoutClockTimes } from '@clinic/lib/formats/day-text.ts';
import { addDays, daysBetween, nextMonth } from '@clinic/lib/formats/local-date.ts';
import { containsPhrase, detectLanguage, foldPhrase } from '@clinic/lib/formats/phrases.ts';
import { findNameAfter, findSureName, takeDoctor } from './find-name.ts';

/**
 * A call of a tool. `appointmentOf`: the patient (and date) whose only matching appointment is to be found first and becomes the argument
 * `appointment`. `ifDoctor`: the call to make instead if the name is not that of a patient but of a doctor.
 */
export type ToolCall = {
  tool: string;
  args: Record<string, unknown>;
  appointmentOf?: { patient: string; date: string | undefined };
  ifDoctor?: ToolCall;
};

/** Whether the words contain one of the phrases, which are separated by vertical bars. */
const containsAny = (words: string, phrases: string) => phrases.split('|').some((phrase) => containsPhrase(words, phrase));

export const detectQuestionLanguage = (text: string): Language => detectLanguage(foldPhrase(text)) ?? 'es';

/** Like parseDay(), but also finds yesterday. */
function findDate(words: string, today: string, language: Language): string | undefined {
  return containsAny(words, 'ayer|yesterday') ? addDays(today, -1) : parseDay(words, today, language);
}

type Span = { from: string; to: string };

const monthOf = (day: string): Span => {
  const month = day.slice(0, 7);
  return { from: `${month}-01`, to: addDays(`${nextMonth(month)}-01`, -1) };
};

/** The week, month or day that the words name. */
function findSpan(words: string, today: string, language: Language): Span | undefined {
  const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
  const monday = addDays(today, -weekday);
  if (containsAny(words, 'proxima semana|semana que viene|next week')) return { from: addDays(monday, 7), to: addDays(monday, 13) };
  if (containsAny(words, 'semana pasada|last week')) return { from: addDays(monday, -7), to: addDays(monday, -1) };
  if (containsAny(words, 'esta semana|la semana|this week')) return { from: monday, to: addDays(monday, 6) };
  if (containsAny(words, 'mes pasado|ultimo mes|last month')) return monthOf(addDays(`${today.slice(0, 7)}-01`, -1));
  if (containsAny(words, 'este mes|del mes|this month')) return monthOf(today);
  const date = findDate(words, today, language);
  return date ? { from: date, to: date } : undefined;
}

/** HH:MM. */
const findTime = (text: string): string | undefined => {
  const [, digits, minute = '', half] = / (\d{1,2})h(\d{2})(am|pm)? /.exec(foldClockTimes(text)) ?? [];
  if (digits === undefined || minute > '59') return undefined;
  const hour = Number(digits);
  // Without am or pm, one to six o'clock is in the afternoon.
  const hours = half === 'pm' ? (hour % 12) + 12 : half === 'am' ? hour % 12 : hour >= 1 && hour <= 6 ? hour + 12 : hour;
  return hours < 24 ? `${String(hours).padStart(2, '0')}:${minute}` : undefined;
};

/** `help` if the question is what can be asked; undefined if the rules do not understand it. */
export function parseQuestion(text: string, today: string, language: Language): ToolCall | 'help' | undefined {
  const words = withoutClockTimes(text);
  return (
    parseRequest(text, words, today, language) ??
    parseQuery(text, words, today, language) ??
    (containsAny(words, 'ayuda|help|hola|hello|que puedes hacer|what can you do') ? 'help' : undefined)
  );
}

function parseRequest(text: string, words: string, today: string, language: Language): ToolCall | undefined {
  const message =
    /^\W*(?:env[ií]a(?:le)?|manda(?:le)?|escr[ií]be(?:le)?|send|write|text)(?:\s+(?:un|a))?(?:\s+(?:mensaje|message))?\s+(?:a|to)\s+([^:]{2,200}):\s*(.+)$/isu.exec(
      text,
    );
  if (message) return { tool: 'propose_message', args: { patient: findNameAfter(text, 'a', 'to') ?? message[1]?.trim(), text: message[2]?.trim() } };
  const { doctor, rest } = takeDoctor(text);
  if (containsAny(words, 'cancela|cancelar|cancelame|anula|anular|cancel')) {
    const patient = findNameAfter(rest, '(?:cita|visita)', '(?:cancela|cancelar|cancélame|anula|anular)\\s+a', 'cancel'); // plain-words: visit is what people type
    if (patient) return { tool: 'propose_cancel', args: {}, appointmentOf: { patient, date: findDate(words, today, language) } };
  }
  if (/^\W*(?:por favor\W+|please\W+)?(?:agenda|agendar|ag[eé]nda[lm]e|reserva|reservar|res[eé]rva[lm]e|book|schedule)\s/iu.test(text)) {
    const patient = findNameAfter(rest, '(?:agenda|agendar|reserva|reservar|cita|agéndame|agéndale|resérvame|resérvale)', 'book', 'schedule');
    const [time, date] = [findTime(text), findDate(words, today, language)];
    const phone = /\+\d{8,15}|\b\d{4}[- ]?\d{4}\b/.exec(text.replace(/\d{4}-\d{2}-\d{2}/g, ''))?.[0];
    if (patient && doctor && time && date) return { tool: 'propose_booking', args: { patient, doctor, date, time, ...(phone && { phone }) } };
  }
  return undefined;
}

const MONTHS =
  'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|january|february|march|april|may|june|july|august|september|october|november|december';
/** A day and a month, or a date in ISO 8601. */
const DATE = new RegExp(` (?:\\d{1,2} (?:de |of )?(?:${MONTHS})|(?:${MONTHS}) \\d{1,2}|(?:19|20)\\d{2} \\d{1,2} \\d{1,2})(?= )`);

/** Words of questions about one person. */
const PERSONAL =
  'cita|citas|telefono|numero|celular|datos|viene|vino|vuelve|vendra|llega|toca|control|appointment|appointments|phone|number|contact|coming|come|due|see|seen';

function parseQuery(question: string, words: string, today: string, language: Language): ToolCall | undefined {
  const { doctor, rest: text } = takeDoctor(question);
  const withDoctor = doctor ? { doctor } : {};
  const named = findSpan(words, today, language);
  if (!named && DATE.test(words)) return undefined; // there is no such date
  const span = named ?? { from: today, to: today };
  const listOf = (status: string): ToolCall => ({ tool: 'appointments', args: { ...span, status, ...withDoctor } });
  const someone = findSureName(text);

  if (containsAny(words, 'lista de espera|waitlist|waiting list')) return { tool: 'waitlist', args: {} };
  if (containsAny(words, 'planes de tratamiento|plan de tratamiento|tratamientos|treatment plan|treatment plans')) {
    const patient = findNameAfter(text, 'tratamientos?\\s+(?:de|para)', 'treatment plans?\\s+(?:of|for)') ?? someone;
    return { tool: 'treatment_plans', args: patient ? { patient } : {} };
  }
  if (containsAny(words, 'quien debe|quienes deben|deben|debe|vencidos|vencidas|vencido|mora|morosos|overdue|owes|owe|owed')) {
    const patient = findNameAfter(text, 'debe', 'does') ?? someone;
    return patient ? { tool: 'payments', args: { patient } } : { tool: 'payments', args: { status: 'overdue' } };
  }
  if (containsAny(words, 'comision|comisiones|commission|commissions')) return { tool: 'commissions', args: named ? { month: named.from.slice(0, 7) } : {} };
  if (containsAny(words, 'horas pico|hora pico|horas con mas|peak hours|busiest')) return { tool: 'peak_hours', args: named ?? {} };
  if (
    containsAny(
      words,
      'ingresos|ocupacion|ausentismo|pacientes nuevos|nuevos pacientes|new patients|revenue|occupancy|cifras|figures|facturado|no show rate|estadisticas|statistics|ganamos|vendimos|sales|earned',
    ) ||
    (named && containsAny(words, 'cobrado|cobramos|collected'))
  ) {
    return { tool: 'figures', args: named ?? {} };
  }
  if (containsAny(words, 'pagos|cobrado|cobrar|saldo|saldos|payments|collected|balance|cuentas por cobrar')) {
    const patient = findNameAfter(text, '(?:pagos|saldo)\\s+de', '(?:payments|balance)\\s+(?:of|for)') ?? someone;
    return { tool: 'payments', args: patient ? { patient } : {} };
  }
  if (containsAny(words, 'recall|control|controles|no han venido|no han vuelto|deberian volver|come back|checkup|check up'))
    return { tool: 'recall', args: {} };
  if (containsAny(words, 'chats|chat|conversaciones|mensajes|sin responder|sin leer|conversations|messages|unanswered|unread'))
    return { tool: 'waiting_chats', args: {} };
  if (
    containsAny(
      words,
      'sin confirmar|por confirmar|falta confirmar|faltan confirmar|no confirmadas|no ha confirmado|no han confirmado|unconfirmed|not confirmed',
    )
  )
    return listOf('pending');
  if (containsAny(words, 'canceladas|cancelaciones|cancelaron|cancelled|canceled|cancellations')) return listOf('cancelled');
  if (
    containsAny(words, 'no llegaron|no llego|no vinieron|ausencias|ausentes|faltaron|inasistencias|no show|no shows|missed') ||
    (!someone && containsAny(words, 'no vino|falto'))
  )
    return listOf('no_show');
  if (containsAny(words, 'atendidas|atendidos|atendimos|atendieron|completadas|completed')) return listOf('completed');
  if (containsAny(words, 'hueco|huecos|libre|libres|disponible|disponibles|disponibilidad|espacio|espacios|free|available|availability|slots|openings')) {
    const days = Math.min(7, 1 + daysBetween(span.from, span.to));
    const from = span.from < today && span.to >= today ? today : span.from;
    return { tool: 'free_slots', args: { date: from, days, ...withDoctor } };
  }
  const person =
    findNameAfter(text, '(?:busca|buscar|búscame|encuentra|muéstrame a|(?:tel[eé]fono|n[uú]mero|celular|datos|ficha|expediente) de|paciente)') ??
    findNameAfter(
      text,
      'cu[aá]ndo\\s+(?:viene|vuelve|vendr[aá]|tiene|le\\s+toca)',
      'citas? de',
      '(?:find|look up|(?:phone|number|record|details) of|search for|who is)',
    ) ??
    findNameAfter(text, '(?:when (?:does|is|will)|appointments? (?:of|for))') ??
    (containsAny(words, PERSONAL) ? someone : undefined);
  const toDay = (of: { doctor?: string }): ToolCall =>
    span.from === span.to ? { tool: 'agenda', args: { date: span.from, ...of } } : { tool: 'appointments', args: { ...span, ...of } };
  if (person) return { tool: 'patient', args: { patient: person }, ifDoctor: toDay({ doctor: person }) };
  const isAboutDay = named !== undefined && containsAny(words, 'pacientes|patients') && !containsAny(words, 'cumplen|cumple|cumpleanos|birthday|birthdays');
  if (
    isAboutDay ||
    containsAny(
      words,
      // plain-words: visits is what people type
      'agenda|cita|citas|quien viene|quienes vienen|calendario|appointment|appointments|visits|schedule|who is coming|pacientes de hoy|pacientes hoy|quien sigue|proximo paciente|next patient',
    )
  ) {
    return toDay(withDoctor);
  }
  return undefined;
}

/** Lists examples of questions that can be asked. */
export function helpText(language: Language): string {
  return language === 'es'
    ? `Puede preguntarme, por ejemplo:
- ¿Qué citas hay hoy? ¿Cuáles están sin confirmar mañana?
- ¿Qué espacios libres hay el lunes con la Dra. Rivas?
- Busca a María López. ¿Qué planes de tratamiento tiene?
- ¿Quién debe? ¿Cuánto se ha cobrado?
- ¿Quién está en lista de espera? ¿Qué chats esperan respuesta?
- ¿Quién debería volver a control? ¿Cuáles son los ingresos del mes?
- Cancela la cita de María López. Agenda a María López con la Dra. Rivas mañana a las 9:00. Envía un mensaje a María López: …`
    : `You can ask me, for example:
- Which appointments are there today? Which are unconfirmed tomorrow?
- Which slots are free on Monday with Dr. Rivas?
- Find María López. Which treatment plans does she have?
- Who is overdue? How much was collected?
- Who is on the waitlist? Which chats wait for an answer?
- Who should come back? What is this month's revenue?
- Cancel the appointment of María López. Book María López with Dr. Rivas tomorrow at 9:00. Send a message to María López: …`;
}
