// One turn of a talk: what it is given, and how it uses a tool. Every use is checked anew for role and plan, and is in the audit
// log without saying about whom.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { findReason } from '@clinic/lib/rpc/reasons.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import type { Proposal } from './rules/proposal.ts';
import type { Reference, Told } from './rules/tool-output.ts';
import { refer, type Stored, type Vocabulary } from './rules/vocabulary.ts';
import { insertAction } from './sql/assistant-actions.sql.ts';
import { TOOLS } from './tools/catalogue.ts';
import { type Asking, in2, type Tool, ToolProblem } from './tools/tool.ts';

export type Source = 'model' | 'rules';

/** What the reader is told on the way. */
export type Said = { kind: 'token'; text: string } | { kind: 'tool'; name: string; summary: string } | { kind: 'confirm'; actionId: string; summary: string };

export type Turn = {
  app: App;
  call: Call;
  asking: Asking;
  conversationId: string;
  vocabulary: Vocabulary;
  /** What of it was stored with the question. */
  stored: Stored;
  sendNames: boolean;
  /** What the answer rests on so far. */
  citations: Reference[];
  /** How many proposals were made in this turn. */
  proposals: number;
};

/** A model that asks for more was told to by somebody else. */
const MOST_PROPOSALS = 3;
const PROPOSAL_MS = 3_600_000;

export type Used = { said: Said[]; problem?: { code: string; message: string; options: Told } } & (
  | { tool: Tool; found: unknown }
  | { tool?: undefined; found?: undefined }
);

/** Uses a tool for the person who asks. `args` are in real words. A refusal is an answer; nothing is thrown. */
export async function useTool(turn: Turn, source: Source, name: string, args: unknown): Promise<Used> {
  const used = await attempt(turn, name, args);
  const tool = TOOLS.find((one) => one.name === name);
  const proposal = used.tool?.propose?.(used.found);
  const actionId = proposal && v7();
  await record(turn, source, tool ? name : 'unknown', used.problem?.code ?? 'ok', proposal, actionId);
  if (!used.tool) return used;
  const said: Said[] = [{ kind: 'tool', name, summary: used.tool.summary(used.found, turn.asking.language) }];
  if (proposal && actionId) said.push({ kind: 'confirm', actionId, summary: proposal.summary });
  return { ...used, said };
}

async function attempt(turn: Turn, name: string, args: unknown): Promise<Used> {
  const { asking, app, call } = turn;
  const { language } = asking;
  const no = (code: string, es: string, en: string, options: Told = null): Used => ({ said: [], problem: { code, message: in2(language, es, en), options } });
  const tool = TOOLS.find((one) => one.name === name);
  if (!tool) return no('unknown_tool', 'No existe esa herramienta.', 'There is no such tool.');
  if (!asking.may(tool.needs)) return no('not_allowed', 'Su plan o su rol no incluye eso.', 'Your plan or your role does not include that.');
  const parsed = tool.args.safeParse(args);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return no('bad_arguments', 'Faltan datos para eso.', 'Something is missing for that.', faults);
  }
  if (tool.propose && turn.proposals >= MOST_PROPOSALS) {
    return no('too_many_proposals', 'Son demasiadas propuestas a la vez.', 'These are too many proposals at once.');
  }
  try {
    const found = await tool.read(asking, parsed.data);
    if (tool.propose) turn.proposals += 1;
    return { said: [], tool, found };
  } catch (error) {
    if (error instanceof ToolProblem) return { said: [], problem: { code: error.code, message: error.message, options: error.options } };
    const reason = findReason(error);
    if (reason === 'NOT_FOUND') return no('not_found', 'Ese registro no existe.', 'There is no such record.');
    if (reason === 'FORBIDDEN' || reason === 'PLAN_UPGRADE_REQUIRED')
      return no('not_allowed', 'Su plan o su rol no incluye eso.', 'Your plan or your role does not include that.');
    if (reason === 'VALIDATION_ERROR') return no('bad_arguments', 'Esos datos no son válidos.', 'That is not valid.');
    app.log.warn({ err: error, tool: name, requestId: call.caller.requestId }, 'a tool of the assistant failed');
    return no('unavailable', 'Esa información no está disponible en este momento.', 'That is not available at the moment.');
  }
}

async function record(turn: Turn, source: Source, name: string, outcome: string, proposal: Proposal | undefined, actionId: string | undefined): Promise<void> {
  const { app, call, asking, conversationId } = turn;
  const now = app.clock.now();
  await inTenant(app.db, asking.clinic.id, async (tx) => {
    await audit(tx, asking.clinic.id, call.caller, {
      action: 'assistant_conversation.tool_used',
      entityId: conversationId,
      changes: { tool: name, outcome, source },
    });
    if (!proposal || !actionId) return;
    const expiresAt = new Date(now.getTime() + PROPOSAL_MS);
    const action = { id: actionId, conversationId, userId: call.caller.id, kind: proposal.kind, payload: JSON.stringify(proposal), expiresAt };
    await insertAction(tx, app.keys, action, now);
    await audit(tx, asking.clinic.id, call.caller, {
      action: 'assistant_action.proposed',
      entityId: actionId,
      changes: { kind: proposal.kind, source },
    });
  });
}

/** The mark of a record in an answer. */
export const citeIn = (turn: Turn) => (to: Reference) => `[${refer(turn.vocabulary, to)}]`;

/** What the model is told of a use of a tool. */
export const tellModel = ({ tool, found, problem }: Used): Told =>
  tool ? tool.tell(found) : { error: problem?.code ?? 'failed', options: problem?.options ?? null };
