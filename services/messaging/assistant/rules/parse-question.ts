// What a question asks for, by its words: which tool, with what. Enough for the common questions of a front desk, in Spanish and
// English; whatever is beyond that is answered with what can be asked.
import { addDays, dayIn } from '@clinic/lib/formats/local-days.ts';
import { has, languageOf, plain } from '@clinic/lib/formats/words.ts';
import { plainWord } from './mask-names.ts';

export type Language = 'es' | 'en';

/** A call of a tool; `visitOf` asks for the one visit of a patient first, whose word then goes in as `visit`. */
export type Step = { tool: string; args: Record<string, unknown>; visitOf?: { patient: string; date: string | undefined } };

/** Whether one of the phrases, between bars, is said. */
const any = (said: string, phrases: string) => phrases.split('|').some((phrase) => has(said, phrase));

export const languageIn = (text: string): Language => languageOf(` ${plain(text).trim()} `) ?? 'es';

/** The day that is named; yesterday too. */
function dateIn(said: string, today: string, language: Language): string | undefined {
  return any(said, 'ayer|yesterday') ? addDays(today, -1) : dayIn(said, today, language);
}

type Span = { from: string; to: string };

const monthOf = (day: string): Span => {
  const next = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 1)).toISOString().slice(0, 10);
  return { from: `${day.slice(0, 7)}-01`, to: addDays(next, -1) };
};

/** The stretch that is named: a week, a month, a day; undefined when none is. */
function spanIn(said: string, today: string, language: Language): Span | undefined {
  const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
  const monday = addDays(today, -weekday);
  if (any(said, 'proxima semana|semana que viene|next week')) return { from: addDays(monday, 7), to: addDays(monday, 13) };
  if (any(said, 'semana pasada|last week')) return { from: addDays(monday, -7), to: addDays(monday, -1) };
  if (any(said, 'esta semana|la semana|this week')) return { from: monday, to: addDays(monday, 6) };
  if (any(said, 'mes pasado|ultimo mes|last month')) return monthOf(addDays(`${today.slice(0, 7)}-01`, -1));
  if (any(said, 'este mes|del mes|this month')) return monthOf(today);
  const date = dateIn(said, today, language);
  return date ? { from: date, to: date } : undefined;
}

const STOPS = 'hoy|mañana|pasado|ayer|el|la|las|los|este|esta|para|con|a las|today|tomorrow|yesterday|on|at|with|for|this|next';

/** Whom a phrase names: what stands behind one of these beginnings, up to a word of time or place. */
function nameAfter(text: string, ...beginnings: string[]): string | undefined {
  for (const beginning of beginnings) {
    const found = new RegExp(
      `(?:^|[^\\p{L}])(?:${beginning})\\s+([\\p{L}][\\p{L}\\p{M}'’. -]*?)(?=\\s+(?:${STOPS})(?:\\s|$)|[?!,;:.]*\\s*$|[?!,;:]|\\s\\d)`,
      'iu',
    ).exec(text);
    const name = found?.[1]?.trim().replace(/[.\s]+$/, '');
    if (name && !NOBODY.has(plainWord(name.split(/\s+/)[0] ?? ''))) return name;
  }
  return undefined;
}

const NOBODY = new Set(
  'hoy manana ayer la el las los un una cita citas esta este estos estas today tomorrow yesterday the a an my mi hay lista pacientes patients who quien'.split(
    ' ',
  ),
);

/** The doctor whom a question names by a title: «con la Dra. Rivas». */
const doctorIn = (text: string) => /(?:^|[^\p{L}])[Dd](?:ra?|octora?)\.?\s+(\p{L}[\p{L}\p{M}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}'’-]*)*)/u.exec(text)?.[1];

const timeIn = (text: string): string | undefined => {
  const found = /(?:a las?|at)\s+(\d{1,2})(?::(\d{2}))?\s*([ap])?\.?\s?m?/i.exec(text);
  if (!found) return undefined;
  const [hour, half] = [Number(found[1]), found[3]?.toLowerCase()];
  // Without am or pm: nobody books a visit between one and six in the night.
  const hours = half === 'p' ? (hour % 12) + 12 : half === 'a' ? hour % 12 : hour >= 1 && hour <= 6 ? hour + 12 : hour;
  return hours < 24 ? `${String(hours).padStart(2, '0')}:${found[2] ?? '00'}` : undefined;
};

/** What is asked, or undefined when the rules do not know. `help` asks what can be asked. */
export function readQuestion(text: string, today: string, language: Language): Step | 'help' | undefined {
  const said = plain(text);
  return (
    asksToDo(text, said, today, language) ??
    asksToKnow(text, said, today, language) ??
    (any(said, 'ayuda|help|hola|hello|que puedes hacer|what can you do') ? 'help' : undefined)
  );
}

function asksToDo(text: string, said: string, today: string, language: Language): Step | undefined {
  const message =
    /^\W*(?:env[ií]a(?:le)?|manda(?:le)?|escr[ií]be(?:le)?|send|write|text)(?:\s+(?:un|a))?(?:\s+(?:mensaje|message))?\s+(?:a|to)\s+([^:]{2,200}):\s*(.+)$/isu.exec(
      text,
    );
  if (message) return { tool: 'propose_message', args: { patient: message[1]?.trim(), text: message[2]?.trim() } };
  if (any(said, 'cancela|cancelar|cancelame|anula|anular|cancel')) {
    const patient = nameAfter(text, '(?:cita|visita)\\s+de', '(?:appointment|visit)\\s+(?:of|for)', '(?:cancela|cancelar|anula|anular)\\s+a', 'cancel');
    if (patient) return { tool: 'propose_cancel', args: {}, visitOf: { patient, date: dateIn(said, today, language) } };
  }
  if (/^\W*(?:agenda|agendar|ag[eé]ndame|reserva|reservar|res[eé]rvame|book|schedule)\s/iu.test(text)) {
    const patient = nameAfter(
      text,
      '(?:agenda|agendar|reserva|reservar|cita|agéndame|resérvame)\\s+(?:a|para)',
      'book(?:\\s+an?\\s+(?:appointment|visit))?(?:\\s+for)?',
      'schedule',
    );
    const [doctor, time, date] = [doctorIn(text) ?? nameAfter(text, 'con', 'with'), timeIn(text), dateIn(said, today, language)];
    const phone = /\+\d{8,15}|\b\d{4}[- ]?\d{4}\b/.exec(text.replace(/\d{4}-\d{2}-\d{2}/g, ''))?.[0];
    if (patient && doctor && time && date) return { tool: 'propose_booking', args: { patient, doctor, date, time, ...(phone && { phone }) } };
  }
  return undefined;
}

function asksToKnow(text: string, said: string, today: string, language: Language): Step | undefined {
  const doctor = doctorIn(text);
  const withDoctor = doctor ? { doctor } : {};
  const named = spanIn(said, today, language);
  const span = named ?? { from: today, to: today };
  const listed = (status: string): Step => ({ tool: 'appointments', args: { ...span, status, ...withDoctor } });

  if (any(said, 'lista de espera|waitlist|waiting list')) return { tool: 'waitlist', args: {} };
  if (any(said, 'planes de tratamiento|plan de tratamiento|tratamientos|treatment plan|treatment plans')) {
    const patient = nameAfter(text, '(?:tratamientos?)\\s+(?:de|para)', 'treatment plans?\\s+(?:of|for)');
    return { tool: 'treatment_plans', args: patient ? { patient } : {} };
  }
  if (any(said, 'quien debe|quienes deben|deben|debe|vencidos|vencidas|vencido|mora|morosos|overdue|owes|owe|owed')) {
    const patient = nameAfter(text, '(?:cu[aá]nto\\s+)?debe', 'does');
    return patient ? { tool: 'payments', args: { patient } } : { tool: 'payments', args: { status: 'overdue' } };
  }
  if (any(said, 'comision|comisiones|commission|commissions')) return { tool: 'commissions', args: named ? { month: named.from.slice(0, 7) } : {} };
  if (any(said, 'horas pico|hora pico|horas con mas|peak hours|busiest')) return { tool: 'peak_hours', args: named ?? {} };
  if (
    any(said, 'ingresos|ocupacion|ausentismo|revenue|occupancy|cifras|figures|facturado|no show rate|estadisticas|statistics|ganamos|vendimos|sales|earned') ||
    (named && any(said, 'cobrado|cobramos|collected'))
  ) {
    return { tool: 'figures', args: named ?? {} };
  }
  if (any(said, 'pagos|cobrado|cobrar|saldo|saldos|payments|collected|balance|cuentas por cobrar')) {
    const patient = nameAfter(text, '(?:pagos|saldo)\\s+de', '(?:payments|balance)\\s+(?:of|for)');
    return { tool: 'payments', args: patient ? { patient } : {} };
  }
  if (any(said, 'recall|control|controles|no han venido|no han vuelto|deberian volver|come back|checkup|check up')) return { tool: 'recall', args: {} };
  if (any(said, 'chats|chat|conversaciones|mensajes|sin responder|sin leer|conversations|messages|unanswered|unread'))
    return { tool: 'waiting_chats', args: {} };
  if (any(said, 'sin confirmar|por confirmar|no confirmadas|no han confirmado|unconfirmed|not confirmed')) return listed('pending');
  if (any(said, 'canceladas|canceladas|cancelaciones|cancelaron|cancelled|canceled|cancellations')) return listed('cancelled');
  if (any(said, 'no llegaron|no llego|no vinieron|ausencias|ausentes|faltaron|inasistencias|no show|no shows|missed')) return listed('no_show');
  if (any(said, 'atendidas|atendidos|completadas|completed')) return listed('completed');
  if (any(said, 'hueco|huecos|libre|libres|disponible|disponibles|disponibilidad|espacio|espacios|free|available|availability|slots|openings')) {
    const days = Math.min(7, 1 + Math.round((Date.parse(span.to) - Date.parse(span.from)) / 86_400_000));
    const from = span.from < today && span.to >= today ? today : span.from;
    return { tool: 'free_slots', args: { date: from, days, ...withDoctor } };
  }
  const person =
    nameAfter(text, '(?:busca|buscar|búscame|encuentra|tel[eé]fono de|datos de|ficha de|paciente)(?:\\s+(?:a|al paciente|a la paciente))?') ??
    nameAfter(
      text,
      '(?:cu[aá]ndo (?:viene|vuelve|tiene cita|le toca(?:\\s+a)?)|citas? de)',
      '(?:find|phone of|search for|who is|when does|when is|appointments? of)',
    );
  if (person) return { tool: 'patient', args: { patient: person } };
  const isAboutDay = named !== undefined && any(said, 'pacientes|patients');
  if (
    isAboutDay ||
    any(
      said,
      'agenda|cita|citas|quien viene|quienes vienen|calendario|appointment|appointments|visits|schedule|who is coming|pacientes de hoy|pacientes hoy|quien sigue|proximo paciente|next patient',
    )
  ) {
    return span.from === span.to ? { tool: 'agenda', args: { date: span.from, ...withDoctor } } : { tool: 'appointments', args: { ...span, ...withDoctor } };
  }
  return undefined;
}

/** What can be asked, for the person. */
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
