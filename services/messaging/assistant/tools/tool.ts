// A tool loads the clinic's own data as the user who asks, and returns it for a model or puts it into words.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import type { CallOptions } from '@connectrpc/connect';
import type { z } from 'zod';
import type { App } from '../../app.ts';
import type { Requirements } from '../permissions.ts';
import type { Proposal } from '../rules/proposal.ts';
import type { Reference, ToolOutput } from '../rules/tool-output.ts';

/** Who asks, when, in which language, and the records of the conversation so far. */
export type ToolContext = {
  app: App;
  clinic: CallerClinic;
  may: (requirements: Requirements) => boolean;
  /** Options of calls to other services as the user who asks. */
  asUser: CallOptions;
  /** YYYY-MM-DD and HH:MM in the clinic's zone. */
  today: string;
  time: string;
  language: Language;
  /** The record with a name such as cita-2. */
  findReference: (name: string) => Reference | undefined;
};

/** Marks in an answer of the rules that it rests on a record. */
export type Cite = (to: Reference) => string;

export type Tool<A = unknown, F = unknown> = {
  name: string;
  /** For the model: what the tool returns and when to use it. */
  description: string;
  requires: Requirements;
  args: z.ZodType<A>;
  load(context: ToolContext, args: A): Promise<F>;
  toModel(found: F): ToolOutput;
  /** One line for the user, without names. */
  summary(found: F, language: Language): string;
  /** The answer of the rules. */
  toText(found: F, language: Language, cite: Cite): string;
  /** For tools that propose a change. */
  propose?(found: F): Proposal;
};

/** Checks the types of one tool against each other; the list of all tools has them as unknown. */
export const defineTool = <A, F>(tool: Tool<A, F>): Tool => tool as unknown as Tool;

/** Why a tool has no result: a code for the model, a message for the user in Spanish and English, and what there is to choose from. */
export class ToolProblem extends Error {
  readonly code: string;
  readonly es: string;
  readonly en: string;
  readonly options: ToolOutput;
  constructor(code: string, es: string, en: string, options: ToolOutput = null) {
    super(en);
    this.name = 'ToolProblem';
    this.code = code;
    this.es = es;
    this.en = en;
    this.options = options;
  }
}
