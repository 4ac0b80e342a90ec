// A talk: a question is stored, answered by the model or by rules, and what was said is stored, however it ends. Once it has begun
// it ends with `done`, and whatever goes wrong is an `error` before it.
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
import type { App } from '../app.ts';
import { type Content, recall } from './conversation-history.ts';
import { calledIn } from './find-known-names.ts';
import { ModelError } from './model.ts';
import { modelTurn, type Spoken } from './model-turn.ts';
import { permissionsOf } from './permissions.ts';
import { maskText } from './rules/mask-names.ts';
import { languageIn } from './rules/parse-question.ts';
import { sizeOf, storeVocabulary } from './rules/vocabulary.ts';
import { rulesTurn, understood } from './rules-turn.ts';
import { appendMessage, findConversation, insertConversation } from './sql/assistant-conversations.sql.ts';
import { findAssistantSettings } from './sql/assistant-settings.sql.ts';
import { BudgetSpent } from './token-budget.ts';
import { in2, type Language } from './tools/tool.ts';
import type { Said, Source, Turn } from './turn.ts';

type Event = MessageInitShape<typeof AssistantEventSchema>;

const TITLE = 80;

/** What has been said so far, as it will be stored. */
type Answer = { source: Source; content: Content & { tools: { name: string; summary: string }[]; actions: string[] } };

export async function* talk(app: App, request: ChatRequest, call: StreamCall): AsyncGenerator<Event, void, void> {
  const message = parseText('message', request.message, 4000);
  const { turn, spoken, isFirst } = await begin(app, request, message, call);
  const answer: Answer = { source: app.assistant.model ? 'model' : 'rules', content: { text: '', tools: [], actions: [] } };
  const limit = AbortSignal.timeout(app.assistant.timeoutMs);
  const signal = AbortSignal.any([call.signal, limit]);
  try {
    yield {}; // it has begun
    for await (const said of saidIn(turn, message, spoken, isFirst, answer, signal)) yield note(answer, said);
  } catch (thrown) {
    if (call.signal.aborted) return;
    const code = codeOf(app, limit.aborted ? new ModelError('slow', 'The time is over') : thrown);
    answer.content.error = code;
    yield { event: { case: 'error', value: { code, error: sentenceOf(code, turn.asking.language) } } };
  } finally {
    await store(turn, answer);
  }
  yield { event: { case: 'done', value: { conversationId: turn.conversationId, source: answer.source } } };
}

/** Who asks what, with the question stored. NOT_FOUND for a conversation that is not this user's. */
async function begin(app: App, request: ChatRequest, message: string, call: StreamCall): Promise<{ turn: Turn; spoken: Spoken[]; isFirst: boolean }> {
  const clinic = clinicOf(call);
  const { may } = await permissionsOf(app, call);
  if (!may({ feature: 'assistant' })) fail('PLAN_UPGRADE_REQUIRED');
  const given = request.conversationId === undefined ? undefined : parseUuid('conversationId', request.conversationId);
  const now = app.clock.now();
  const conversationId = given ?? v7();
  const { sendNames, vocabulary, spoken, isFirst } = await inTenant(app.db, clinic.id, async (tx) => {
    if (given) found(await findConversation(tx, given, call.caller.id), 'Conversation');
    const { send_names } = await findAssistantSettings(tx);
    return { sendNames: send_names, ...(await recall(tx, app.keys, conversationId, send_names)) };
  });
  const local = DateTime.fromJSDate(now, { zone: clinic.timezone });
  const asking = {
    app,
    clinic,
    may,
    as: callAs(call.caller),
    today: dateIn(clinic.timezone, now),
    time: local.toFormat('HH:mm'),
    language: languageIn(message),
    recordOf: (word: string) => vocabulary.references.get(word),
  };
  const known = sizeOf(vocabulary);
  const raw = !app.assistant.model || sendNames ? message : maskText(vocabulary, message, await calledIn(asking, message));
  const content: Content = { text: message, raw, named: sendNames || !app.assistant.model, vocabulary: storeVocabulary(vocabulary, known) };
  await inTenant(app.db, clinic.id, async (tx) => {
    if (!given) await insertConversation(tx, app.keys, { id: conversationId, userId: call.caller.id, title: message.slice(0, TITLE) }, now);
    await appendMessage(tx, app.keys, { id: v7(), conversationId, role: 'user', source: null, content: JSON.stringify(content) }, now);
    await audit(tx, clinic.id, call.caller, { action: 'assistant_conversation.question_asked', entityId: conversationId });
  });
  const turn: Turn = { app, call, asking, conversationId, vocabulary, stored: sizeOf(vocabulary), sendNames, citations: [], proposals: 0 };
  return { turn, spoken: [...spoken, { role: 'user', raw }], isFirst };
}

/** The model, and rules where there is none, or where it fails before it has said a word and they know what was asked. */
async function* saidIn(turn: Turn, message: string, spoken: Spoken[], isFirst: boolean, answer: Answer, signal: AbortSignal): AsyncGenerator<Said, void, void> {
  const { app, asking, call } = turn;
  if (app.assistant.model) {
    try {
      answer.content.raw = yield* modelTurn(turn, spoken, signal);
      answer.content.named = turn.sendNames;
      return;
    } catch (error) {
      const failed = error instanceof ModelError || error instanceof BudgetSpent || (error as Error).name === 'TimeoutError';
      const isSilent = answer.content.text === '' && answer.content.tools.length === 0;
      const step = understood(turn, message);
      if (!failed || !isSilent || !step || step === 'help') throw error;
      app.log.warn({ fault: error instanceof ModelError ? error.fault : 'budget', requestId: call.caller.requestId }, 'rules answer instead of the model');
      answer.source = 'rules';
      const spent = error instanceof BudgetSpent;
      yield { kind: 'token', text: insteadOf(spent, asking.language) };
    }
  } else if (isFirst) {
    yield { kind: 'token', text: in2(asking.language, 'Respondo por reglas, sin modelo de lenguaje.\n\n', 'I answer by rules, without a language model.\n\n') };
  }
  yield* rulesTurn(turn, message);
}

function insteadOf(spent: boolean, language: Language): string {
  if (spent)
    return in2(
      language,
      'El presupuesto del modelo para hoy se agotó; respondo por reglas.\n\n',
      "Today's budget for the model is used up; I answer by rules.\n\n",
    );
  return in2(language, 'El modelo no responde por ahora; respondo por reglas.\n\n', 'The model does not answer at the moment; I answer by rules.\n\n');
}

/** Keeps what is said, and makes an event of it. */
function note({ content }: Answer, said: Said): Event {
  switch (said.kind) {
    case 'token':
      content.text += said.text;
      return { event: { case: 'token', value: { text: said.text } } };
    case 'tool':
      content.tools.push({ name: said.name, summary: said.summary });
      return { event: { case: 'tool', value: { name: said.name, summary: said.summary } } };
    case 'confirm':
      content.actions.push(said.actionId);
      return { event: { case: 'confirm', value: { actionId: said.actionId, summary: said.summary } } };
  }
}

async function store({ app, asking, conversationId, vocabulary, stored: since, citations }: Turn, { source, content }: Answer): Promise<void> {
  const stored: Content = { ...content, citations, vocabulary: storeVocabulary(vocabulary, since) };
  const message = { id: v7(), conversationId, role: 'assistant' as const, source, content: JSON.stringify(stored) };
  await inTenant(app.db, asking.clinic.id, (tx) => appendMessage(tx, app.keys, message, app.clock.now()));
}

function codeOf(app: App, thrown: unknown): Reason {
  if (thrown instanceof BudgetSpent) return 'ASSISTANT_BUDGET_SPENT';
  if (thrown instanceof ModelError) {
    app.log.warn({ fault: thrown.fault, message: thrown.message }, 'the model gave no answer');
    return 'ASSISTANT_UNAVAILABLE';
  }
  const { reason } = toServiceError(thrown, {});
  if (reason === 'INTERNAL') app.log.error({ err: thrown }, 'the assistant failed');
  return reason;
}

function sentenceOf(code: Reason, language: Language): string {
  if (code === 'ASSISTANT_BUDGET_SPENT')
    return in2(language, 'La clínica agotó por hoy el presupuesto del asistente.', 'The clinic has used up what the assistant may use today.');
  if (code === 'ASSISTANT_UNAVAILABLE') {
    return in2(
      language,
      'El modelo no respondió o no terminó su respuesta. Intente de nuevo en un momento.',
      'The model did not answer, or not to the end. Try again in a moment.',
    );
  }
  return in2(language, 'Algo salió mal de nuestro lado. Intente de nuevo en un momento.', 'Something went wrong on our side. Try again in a moment.');
}
