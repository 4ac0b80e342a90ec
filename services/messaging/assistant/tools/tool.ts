// What a tool is: it reads the clinic's own data as the person who asks, and tells it to a model or says it in words.
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import type { CallOptions } from '@connectrpc/connect';
import type { z } from 'zod';
import type { App } from '../../app.ts';
import type { Needs } from '../permissions.ts';
import type { Proposal } from '../rules/proposal.ts';
import type { Reference, Told } from '../rules/tool-output.ts';

export type Language = 'es' | 'en';

/** Who asks, when, and what the talk has spoken of so far. */
export type Asking = {
  app: App;
  clinic: CallerClinic;
  may: (needs: Needs) => boolean;
  /** Calls neighbours as the person who asks. */
  as: CallOptions;
  /** YYYY-MM-DD and HH:MM in the clinic's zone. */
  today: string;
  time: string;
  language: Language;
  /** The record that the talk calls by this word, for example cita-2. */
  recordOf: (word: string) => Reference | undefined;
};

export type Tool<A = unknown, F = unknown> = {
  name: string;
  /** For the model: what it gives and when to use it. */
  about: string;
  needs: Needs;
  args: z.ZodType<A>;
  read(asking: Asking, args: A): Promise<F>;
  tell(found: F): Told;
  /** A line for the person, without names. */
  summary(found: F, language: Language): string;
  /** The answer of the rules; `cite` marks the records that it rests on. */
  say(found: F, language: Language, cite: (to: Reference) => string): string;
  /** What the person is asked to confirm, for tools that change something. */
  propose?(found: F): Proposal;
};

/** Keeps the types of one tool together; the catalogue forgets them. */
export const tool = <A, F>(made: Tool<A, F>): Tool => made as unknown as Tool;

/** Why a tool has no answer: a code for the model, words for the person, and what there is to choose from. */
export class ToolProblem extends Error {
  readonly code: string;
  readonly options: Told;
  constructor(code: string, message: string, options: Told = null) {
    super(message);
    this.name = 'ToolProblem';
    this.code = code;
    this.options = options;
  }
}

/** One text for each language. */
export const in2 = (language: Language, es: string, en: string) => (language === 'es' ? es : en);
