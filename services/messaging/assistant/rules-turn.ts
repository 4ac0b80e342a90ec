// A turn by rules: the words of the question choose the tool, and the tool says in words what it found.
import { helpText, readQuestion, type Step } from './rules/parse-question.ts';
import type { Told } from './rules/tool-output.ts';
import { answerReader, citedList, refer } from './rules/vocabulary.ts';
import { in2 } from './tools/tool.ts';
import { visitReference } from './tools/appointments.ts';
import { citeIn, type Said, type Turn, type Used, useTool } from './turn.ts';

/** What the rules make of a question; undefined when they do not know. */
export const understood = ({ asking }: Turn, message: string) => readQuestion(message, asking.today, asking.language);

export async function* rulesTurn(turn: Turn, message: string): AsyncGenerator<Said, void, void> {
  const { asking, vocabulary, citations } = turn;
  const { language } = asking;
  const step = understood(turn, message);
  const reader = answerReader(vocabulary, citations);
  const say = (text: string): Said => ({ kind: 'token', text: reader.push(text) + reader.end() + citedList(citations, language) });
  if (step === 'help') return yield say(helpText(language));
  const used = step ? await take(turn, step) : await useTool(turn, 'rules', 'faq', { question: message.slice(0, 500) });
  yield* used.said;
  if (!step && !(used.found as { best?: object } | undefined)?.best) {
    return yield say(`${in2(language, 'No entendí la pregunta.', 'I did not understand the question.')} ${helpText(language)}`);
  }
  yield say(used.tool ? used.tool.say(used.found, language, citeIn(turn)) : (used.problem?.message ?? ''));
}

type Visits = { visits: { id: string; date: string; startTime: string }[] };

async function take(turn: Turn, { tool, args, visitOf }: Step): Promise<Used> {
  if (!visitOf) return useTool(turn, 'rules', tool, args);
  const looked = await useTool(turn, 'rules', 'patient', { patient: visitOf.patient });
  if (!looked.tool) return looked;
  const visits = (looked.found as Visits).visits.filter(({ date }) => !visitOf.date || date === visitOf.date);
  const [only] = visits;
  if (only && visits.length === 1) {
    const used = await useTool(turn, 'rules', tool, { ...args, visit: refer(turn.vocabulary, visitReference(only)) });
    return { ...used, said: [...looked.said, ...used.said] };
  }
  const { language } = turn.asking;
  const which = in2(language, '¿Cuál de estas citas? Diga también el día.', 'Which of these visits? Say the day too.');
  const none = in2(language, 'El paciente no tiene una cita así.', 'The patient has no such visit.');
  const listed = looked.tool.say({ ...(looked.found as object), visits }, language, citeIn(turn));
  const options: Told = null;
  return { said: looked.said, problem: { code: 'which_visit', message: visits.length > 0 ? `${which}\n${listed}` : none, options } };
}
