// A turn answered by rules: the words of the question determine the tool, and the tool describes its data in words.
import { helpText, parseQuestion, type ToolCall } from './rules/parse-question.ts';
import { createUnmasker, listSources, referenceName } from './rules/vocabulary.ts';
import { inLanguage } from './rules/wording.ts';
import { appointmentReference } from './tools/appointments.ts';
import { citeIn, type ToolUse, type Turn, type TurnEvent, useTool } from './turn.ts';

export const parseMessage = ({ context }: Turn, message: string) => parseQuestion(message, context.today, context.language);

export async function* rulesTurn(turn: Turn, message: string): AsyncGenerator<TurnEvent, void, void> {
  const { context, vocabulary, citations } = turn;
  const { language, currency } = context;
  const call = parseMessage(turn, message);
  const unmasker = createUnmasker(vocabulary, citations);
  const toEvent = (text: string): TurnEvent => ({ kind: 'token', text: unmasker.push(text) + unmasker.end() + listSources(citations, language) });
  if (call === 'help') return yield toEvent(helpText(language));
  const use = call ? await follow(turn, call) : await useTool(turn, 'rules', 'faq', { question: message.slice(0, 500).toWellFormed() });
  yield* use.events;
  if (!call && !(use.found as { best?: object } | undefined)?.best) {
    return yield toEvent(`${inLanguage(language, 'No entendí la pregunta.', 'I did not understand the question.')} ${helpText(language)}`);
  }
  yield toEvent(use.tool ? use.tool.toText(use.found, language, citeIn(turn), currency) : use.problem.message);
}

type Appointments = { appointments: { id: string; date: string; startTime: string }[] };

async function follow(turn: Turn, { tool, args, appointmentOf, ifDoctor }: ToolCall): Promise<ToolUse> {
  if (!appointmentOf) {
    const use = await useTool(turn, 'rules', tool, args);
    const ofDoctor = ifDoctor && use.problem?.code === 'no_such_patient' ? await useTool(turn, 'rules', ifDoctor.tool, ifDoctor.args) : use;
    return ofDoctor.problem?.code === 'no_such_doctor' ? use : ofDoctor;
  }
  const use = await useTool(turn, 'rules', 'patient', { patient: appointmentOf.patient });
  if (!use.tool) return use;
  const appointments = (use.found as Appointments).appointments.filter(({ date }) => !appointmentOf.date || date === appointmentOf.date);
  const [only] = appointments;
  if (only && appointments.length === 1) {
    const next = await useTool(turn, 'rules', tool, { ...args, appointment: referenceName(turn.vocabulary, appointmentReference(only)) });
    return { ...next, events: [...use.events, ...next.events] };
  }
  const { language, currency } = turn.context;
  const which = inLanguage(language, '¿Cuál de estas citas? Diga también el día.', 'Which of these appointments? Say the day too.');
  const none = inLanguage(language, 'No encontré una cita próxima así.', 'I found no such upcoming appointment.');
  const list = use.tool.toText({ ...(use.found as object), appointments }, language, citeIn(turn), currency);
  return { events: use.events, problem: { code: 'which_appointment', message: only ? `${which}\n${list}` : none, options: null } };
}
