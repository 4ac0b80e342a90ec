// The definition of a tool, which loads data of the clinic as the user who asks, and returns it for a model or describes it in words.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import type { CallOptions } from '@connectrpc/connect';
import type { z } from 'zod';
import type { App } from '../../app.ts';
import type { Requirements } from '../permissions.ts';
import type { Proposal } from '../rules/proposal.ts';
import type { Reference, ToolOutput } from '../rules/tool-output.ts';

/** The user, the time, the language, and the records of the conversation so far. */
export type ToolContext = {
  app: App;
  clinic: CallerClinic;
  may: (requirements: Requirements) => boolean;
  /** Options for calls to other services as the user who asks. */
  asUser: CallOptions;
  /** YYYY-MM-DD and HH:MM in the clinic's zone. */
  today: string;
  time: string;
  /** ISO 4217. */
  currency: string;
  language: Language;
  /** The record with a reference name such as cita-2. */
  findReference: (name: string) => Reference | undefined;
};

/** Returns the text that cites a record in an answer of the rules. */
export type Cite = (to: Reference) => string;

export type Tool<A = unknown, F = unknown> = {
  name: string;
  /** For the model: what the tool returns, and when to use it. */
  description: string;
  requires: Requirements;
  args: z.ZodType<A>;
  load(context: ToolContext, args: A): Promise<F>;
  toModel(found: F): ToolOutput;
  /** One line for the user, without names. */
  summary(found: F, language: Language): string;
  /** The data in words, as the answer of the rules. */
  toText(found: F, language: Language, cite: Cite, currency: string): string;
  /** Only for tools that propose a change. */
  propose?(found: F): Proposal;
};

/** Checks that the types of a tool match each other. In the list of all tools they are unknown. */
export const defineTool = <A, F>(tool: Tool<A, F>): Tool => tool as unknown as Tool;

/** Why a tool has no result: a code for the model, a message for the user in Spanish and English, and the options to choose from. */
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
