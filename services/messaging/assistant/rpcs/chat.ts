// Streams the answer to a question. The question is stored before the answer begins, and the answer is stored however it ends. Once the answer has
// begun, a failure is an `error` event, and the stream ends with `done`.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, type Reason, toServiceError } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { clinicOf, type StreamCall } from '@clinic/lib/rpc/pipeline.ts';
import type { AssistantEventSchema, ChatRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import { DateTime } from 'luxon';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { type Content, loadHistory, type ModelHistory } from '../conversation-history.ts';
import { findKnownNames } from '../find-known-names.ts';
import { ModelError } from '../model.ts';
import { modelTurn } from '../model-turn.ts';
import { findPermissions } from '../permissions.ts';
import { maskText } from '../rules/mask-names.ts';
import { detectQuestionLanguage } from '../rules/parse-question.ts';
import { sizeOf, toStored } from '../rules/vocabulary.ts';
import { inLanguage } from '../rules/wording.ts';
import { parseMessage, rulesTurn } from '../rules-turn.ts';
import { appendMessage, findConversation, insertConversation } from '../sql/assistant-conversations.sql.ts';
import { findAssistantSettings } from '../sql/assistant-settings.sql.ts';
import { BudgetExceeded } from '../token-budget.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Source, Turn, TurnEvent } from '../turn.ts';

type Event = MessageInitShape<typeof AssistantEventSchema>;

const MAX_TITLE = 80;

type Text = [es: string, en: string];
const BY_RULES: Text = ['Respondo por reglas, sin modelo de lenguaje.', 'I answer by rules, without a language model.'];
const FALLBACK: Text = ['El modelo no responde por ahora; respondo por reglas.', 'The model does not answer at the moment; I answer by rules.'];
const BUDGET_FALLBACK: Text = [
  'El presupuesto del modelo para hoy se agotó; respondo por reglas.',
  "Today's budget for the model is used up; I answer by rules.",
];
const ERRORS: Partial<Record<Reason, Text>> = {
  ASSISTANT_BUDGET_SPENT: ['La clínica agotó por hoy el presupuesto del asistente.', 'The clinic has used up what the assistant may use today.'],
  ASSISTANT_UNAVAILABLE: [
    'El modelo no respondió o no terminó su respuesta. Intente de nuevo en un momento.',
    'The model did not answer, or did not finish its answer. Try again in a moment.',
  ],
};
const OTHER_ERROR: Text = ['Algo salió mal de nuestro lado. Intente de nuevo en un momento.', 'Something went wrong on our side. Try again in a moment.'];

/** The answer so far, in the form in which it will be stored. */
type Answer = { source: Source; content: Content & { tools: { name: string; summary: string }[]; actions: string[] } };
type Question = { turn: Turn; message: string; history: ModelHistory; isFirst: boolean };

export async function* chat(app: App, request: ChatRequest, call: StreamCall): AsyncGenerator<Event, void, void> {
  const question = await storeQuestion(app, request, call);
  const { turn } = question;
  const answer: Answer = { source: app.assistant.model ? 'model' : 'rules', content: { text: '', tools: [], actions: [] } };
  const timeout = AbortSignal.timeout(app.assistant.timeoutMs);
  try {
    yield {}; // the answer has begun
    for await (const event of writeAnswer(question, answer, AbortSignal.any([call.signal, timeout]))) yield addEvent(answer, event);
  } catch (thrown) {
    if (call.signal.aborted) return;
    const code = toCode(app, timeout.aborted ? new ModelError('slow', 'The answer took too long') : thrown);
    answer.content.error = code;
    yield { event: { case: 'error', value: { code, error: inLanguage(turn.context.language, ...(ERRORS[code] ?? OTHER_ERROR)) } } };
  } finally {
    await storeAnswer(turn, answer);
  }
  yield { event: { case: 'done', value: { conversationId: turn.conversationId, source: answer.source } } };
}

/** Throws NOT_FOUND if the conversation belongs to another user. */
async function storeQuestion(app: App, request: ChatRequest, call: StreamCall): Promise<Question> {
  const message = parseText('message', request.message, 4000);
  const clinic = clinicOf(call);
  const { may, currency } = await findPermissions(app, call);
  if (!may({ feature: 'assistant' })) fail('PLAN_UPGRADE_REQUIRED');
  const continuedId = request.conversationId === undefined ? undefined : parseUuid('conversationId', request.conversationId);
  const now = app.clock.now();
  const conversationId = continuedId ?? v7();
  const { sendNames, vocabulary, history, isFirst } = await inTenant(app.db, clinic.id, async (tx) => {
    if (continuedId) found(await findConversation(tx, continuedId, call.caller.id), 'Conversation');
    const { send_names } = await findAssistantSettings(tx);
    return { sendNames: send_names, ...(await loadHistory(tx, app.keys, conversationId, send_names)) };
  });
  const context: ToolContext = {
    app,
    clinic,
    may,
    asUser: callAs(call.caller),
    today: dateIn(clinic.timezone, now),
    time: DateTime.fromJSDate(now, { zone: clinic.timezone }).toFormat('HH:mm'),
    currency,
    language: detectQuestionLanguage(message),
    findReference: (name) => vocabulary.references.get(name),
  };
  const known = sizeOf(vocabulary);
  const named = sendNames || !app.assistant.model;
  const raw = named ? message : maskText(vocabulary, message, await findKnownNames(context, message));
  const content: Content = { text: message, raw, named, vocabulary: toStored(vocabulary, known) };
  await inTenant(app.db, clinic.id, async (tx) => {
    if (!continuedId)
      await insertConversation(tx, app.keys, { id: conversationId, userId: call.caller.id, title: [...message].slice(0, MAX_TITLE).join('') }, now);
    await appendMessage(tx, app.keys, { id: v7(), conversationId, role: 'user', source: null, content: JSON.stringify(content) }, now);
    await audit(tx, clinic.id, call.caller, { action: 'assistant_conversation.question_asked', entityId: conversationId });
  });
  const turn: Turn = { app, call, context, conversationId, vocabulary, stored: sizeOf(vocabulary), sendNames, citations: [], proposals: 0 };
  return { turn, message, history: [...history, { role: 'user', raw }], isFirst };
}

/** The model answers. Rules answer if there is no model, or if it fails before its first word and they understand the question. */
async function* writeAnswer({ turn, message, history, isFirst }: Question, answer: Answer, signal: AbortSignal): AsyncGenerator<TurnEvent, void, void> {
  const { app, context, call } = turn;
  if (app.assistant.model) {
    try {
      answer.content.raw = yield* modelTurn(turn, history, signal);
      answer.content.named = turn.sendNames;
      return;
    } catch (error) {
      const isModelFailure = error instanceof ModelError || error instanceof BudgetExceeded || (error as Error).name === 'TimeoutError';
      const isEmpty = answer.content.text === '' && answer.content.tools.length === 0;
      const parsed = parseMessage(turn, message);
      if (!isModelFailure || !isEmpty || !parsed || parsed === 'help') throw error;
      const fault = error instanceof ModelError ? error.fault : error instanceof BudgetExceeded ? 'budget' : 'slow';
      app.log.warn({ fault, requestId: call.caller.requestId }, 'assistant: the model failed; rules answer instead');
      answer.source = 'rules';
      const notice = error instanceof BudgetExceeded ? BUDGET_FALLBACK : FALLBACK;
      yield { kind: 'token', text: `${inLanguage(context.language, ...notice)}\n\n` };
    }
  } else if (isFirst) {
    yield { kind: 'token', text: `${inLanguage(context.language, ...BY_RULES)}\n\n` };
  }
  yield* rulesTurn(turn, message);
}

/** Adds an event to the answer, and returns it in the form in which it is sent. */
function addEvent({ content }: Answer, event: TurnEvent): Event {
  switch (event.kind) {
    case 'token':
      content.text += event.text;
      return { event: { case: 'token', value: { text: event.text } } };
    case 'tool':
      content.tools.push({ name: event.name, summary: event.summary });
      return { event: { case: 'tool', value: { name: event.name, summary: event.summary } } };
    case 'confirm':
      content.actions.push(event.actionId);
      return { event: { case: 'confirm', value: { actionId: event.actionId, summary: event.summary } } };
  }
}

async function storeAnswer({ app, context, conversationId, vocabulary, stored, citations }: Turn, { source, content }: Answer): Promise<void> {
  const complete: Content = { ...content, citations, vocabulary: toStored(vocabulary, stored) };
  const message = { id: v7(), conversationId, role: 'assistant' as const, source, content: JSON.stringify(complete) };
  await inTenant(app.db, context.clinic.id, (tx) => appendMessage(tx, app.keys, message, app.clock.now()));
}

function toCode(app: App, thrown: unknown): Reason {
  if (thrown instanceof BudgetExceeded) return 'ASSISTANT_BUDGET_SPENT';
  if (thrown instanceof ModelError) {
    app.log.warn({ fault: thrown.fault, message: thrown.message }, 'assistant: the model gave no answer');
    return 'ASSISTANT_UNAVAILABLE';
  }
  const { reason } = toServiceError(thrown, {});
  if (reason === 'INTERNAL') app.log.error({ err: thrown }, 'assistant: an answer failed');
  return reason;
}
