// What every handler and loop of messaging is given.
import type { Bell } from '@clinic/lib/background/bell.ts';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { Db } from '@clinic/lib/db/db.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Clock } from '@clinic/lib/runtime/clock.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Transport } from '@connectrpc/connect';
import type { Model } from './assistant/model.ts';
import type { Respond } from './bot/respond.ts';
import type { ChatProvider } from './channel/chat-provider.ts';
import type { Clinics } from './clinics/clinics.ts';
import type { Store } from './inbox/store.ts';
import type { Prepare } from './outbound/prepare.ts';

export type App = {
  db: Db;
  /** Where deliveries are kept. */
  store: Store;
  clock: Clock;
  log: Log;
  constraints: Constraints;
  /** Key ring that seals tokens, PINs, deliveries and mails. */
  keys: NamedKey[];
  /** Where clients reach the gateway, without a slash at the end. */
  publicUrl: string;
  chat: ChatProvider;
  clinics: Clinics;
  neighbour: (service: string) => Transport;
  /** The bot. */
  respond: Respond;
  /** Messages that are written at the moment of sending, by kind. */
  prepare: Record<string, Prepare>;
  /** What the assistant thinks with: no model means rules. `timeoutMs` is for a whole answer. */
  assistant: { model: Model | undefined; tokensPerDay: number; timeoutMs: number };
  /** Rung when a delivery was stored. */
  arrived: Bell;
  /** Rung when something is to be sent. */
  toSend: Bell;
};
