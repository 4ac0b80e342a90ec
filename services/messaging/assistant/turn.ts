// One turn of a conversation with the assistant: its state, and the use of tools. Each use checks role and plan again, and is recorded in the audit
// log without personal data.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { findReason } from '@clinic/lib/rpc/reasons.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import type { Proposal } from './rules/proposal.ts';
import type { Reference, ToolOutput } from './rules/tool-output.ts';
import { referenceName, type Vocabulary, type VocabularySize } from './rules/vocabulary.ts';
import { inLanguage } from './rules/wording.ts';
import { insertAction } from './sql/assistant-actions.sql.ts';
import { TOOLS } from './tools/catalogue.ts';
import { type Tool, type ToolContext, ToolProblem } from './tools/tool.ts';

export type Source = 'model' | 'rules';

/** An event that the client receives while the answer is written. */
export type TurnEvent =
  | { kind: 'token'; text: string }
  | { kind: 'tool'; name: string; summary: string }
  | { kind: 'confirm'; actionId: string; summary: string };

export type Turn = {
  app: App;
  call: Call;
  context: ToolContext;
  conversationId: string;
  vocabulary: Vocabulary;
  /** The size of the vocabulary that was stored with the question. */
  stored: VocabularySize;
  sendNames: boolean;
  /** The records that the answer cites so far. */
  citations: Reference[];
  /** The number of proposals so far. */
  proposals: number;
};

/** The limit of a turn. A model that makes more proposals is probably following instructions that are not the user's. */
const MAX_PROPOSALS = 3;
const PROPOSAL_MS = 3_600_000;

type Problem = { code: string; message: string; options: ToolOutput };
/** `found` is the data that the tool loaded. */
export type ToolUse = { events: TurnEvent[] } & (
  | { tool: Tool; found: unknown; problem?: undefined }
  | { tool?: undefined; found?: undefined; problem: Problem }
);

/** Uses a tool for the user. `args` must be unmasked. A refusal or failure is not thrown but returned as a problem. */
export async function useTool(turn: Turn, source: Source, name: string, args: unknown): Promise<ToolUse> {
  const use = await attempt(turn, name, args);
  const proposal = use.tool?.propose?.(use.found);
  const action = proposal && { id: v7(), proposal };
  const known = TOOLS.some((one) => one.name === name) ? name : 'unknown';
  await record(turn, source, known, use.problem?.code ?? 'ok', action);
  if (!use.tool) return use;
  const events: TurnEvent[] = [{ kind: 'tool', name, summary: use.tool.summary(use.found, turn.context.language) }];
  if (action) events.push({ kind: 'confirm', actionId: action.id, summary: action.proposal.summary });
  return { ...use, events };
}

async function attempt(turn: Turn, name: string, args: unknown): Promise<ToolUse> {
  const { context } = turn;
  try {
    const tool = TOOLS.find((one) => one.name === name);
    if (!tool) throw new ToolProblem('unknown_tool', 'No existe esa herramienta.', 'There is no such tool.');
    if (!context.may(tool.requires)) throw notAllowed();
    const parsed = tool.args.safeParse(args);
    if (!parsed.success) {
      const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
      throw new ToolProblem('bad_arguments', 'Faltan datos para eso.', 'Something is missing for that.', faults);
    }
    if (tool.propose && turn.proposals >= MAX_PROPOSALS)
      throw new ToolProblem('too_many_proposals', 'Son demasiadas propuestas a la vez.', 'These are too many proposals at once.');
    const found = await tool.load(context, parsed.data);
    if (tool.propose) turn.proposals += 1;
    return { events: [], tool, found };
  } catch (error) {
    const { code, es, en, options } = error instanceof ToolProblem ? error : toProblem(turn, name, error);
    return { events: [], problem: { code, message: inLanguage(context.language, es, en), options } };
  }
}

const notAllowed = () => new ToolProblem('not_allowed', 'Su plan o su rol no incluye eso.', 'Your plan or your role does not include that.');

function toProblem({ app, call }: Turn, tool: string, error: unknown): ToolProblem {
  switch (findReason(error)) {
    case 'NOT_FOUND':
      return new ToolProblem('not_found', 'Ese registro no existe.', 'There is no such record.');
    case 'FORBIDDEN':
    case 'PLAN_UPGRADE_REQUIRED':
      return notAllowed();
    case 'VALIDATION_ERROR':
      return new ToolProblem('bad_arguments', 'Esos datos no son válidos.', 'That is not valid.');
    default:
      app.log.warn({ err: error, tool, requestId: call.caller.requestId }, 'assistant: a tool failed');
      return new ToolProblem('unavailable', 'Esa información no está disponible en este momento.', 'That is not available at the moment.');
  }
}

async function record(turn: Turn, source: Source, tool: string, outcome: string, action: { id: string; proposal: Proposal } | undefined): Promise<void> {
  const { app, call, context, conversationId } = turn;
  const now = app.clock.now();
  const clinicId = context.clinic.id;
  await inTenant(app.db, clinicId, async (tx) => {
    const changes = { tool, outcome, source };
    await audit(tx, clinicId, call.caller, { action: 'assistant_conversation.tool_used', entityId: conversationId, changes });
    if (!action) return;
    const { id, proposal } = action;
    const expiresAt = new Date(now.getTime() + PROPOSAL_MS);
    await insertAction(tx, app.keys, { id, conversationId, userId: call.caller.id, kind: proposal.kind, payload: JSON.stringify(proposal), expiresAt }, now);
    await audit(tx, clinicId, call.caller, { action: 'assistant_action.proposed', entityId: id, changes: { kind: proposal.kind, source } });
  });
}

/** Cites a record in the form that the model uses. */
export const citeIn = (turn: Turn) => (to: Reference) => `[${referenceName(turn.vocabulary, to)}]`;
