// What every handler, consumer, job and loop of messaging is given.
import path from 'node:path';
import { createSignal, type Signal } from '@clinic/lib/background/signal.ts';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { type Db, openDb } from '@clinic/lib/db/db.ts';
import type { Constraints } from '@clinic/lib/errors/errors.ts';
import type { Clock } from '@clinic/lib/runtime/clock.ts';
import type { Start } from '@clinic/lib/runtime/service.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Transport } from '@connectrpc/connect';
import { createModel, type Model } from './assistant/model.ts';
import { type ChatProvider, createChatProvider } from './channel/chat-provider.ts';
import { type Clinics, createClinics } from './clinics/clinics.ts';
import { createStore, type Store } from './inbox/store.ts';
import { createMailer, type Mailer } from './mail/mailer.ts';
import type { Settings } from './settings.ts';

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
  mailer: Mailer;
  clinics: Clinics;
  neighbour: (service: string) => Transport;
  /** What the assistant thinks with: no model means rules. `timeoutMs` is for a whole answer. */
  assistant: { model: Model | undefined; tokensPerDay: number; timeoutMs: number };
  /** Rung when a delivery was stored. */
  arrived: Signal;
  /** Rung when something is to be sent. */
  toSend: Signal;
};

/** Of their own, so that nothing else can keep deliveries waiting. */
const DELIVERY_CONNECTIONS = 2;

export function createApp({ settings, db, clock, log, transportTo: neighbour }: Start<Settings>): App {
  const deliveries = openDb({ url: settings.DATABASE_URL, schema: 'messaging', max: DELIVERY_CONNECTIONS, log });
  const arrived = createSignal();
  return {
    db,
    store: createStore(deliveries, settings.ENCRYPTION_KEYS, arrived.notify),
    clock,
    log,
    constraints: { canned_replies_title_unique: 'CANNED_REPLY_EXISTS' },
    keys: settings.ENCRYPTION_KEYS,
    publicUrl: settings.PUBLIC_URL,
    chat: createChatProvider(settings.CHAT_API_BASE_URL, settings.CHAT_API_VERSION),
    mailer: createMailer({ smtpUrl: settings.SMTP_URL, from: settings.MAIL_FROM, folder: path.join(settings.DATA_DIR, 'mail') }),
    clinics: createClinics(neighbour('identity'), clock),
    neighbour,
    assistant: createAssistant(settings),
    arrived,
    toSend: createSignal(),
  };
}

function createAssistant(settings: Settings): App['assistant'] {
  const { ASSISTANT_BASE_URL: baseUrl, ASSISTANT_API_KEY: apiKey, ASSISTANT_MODEL: model } = settings;
  const timeoutMs = settings.ASSISTANT_TIMEOUT_SECONDS * 1000;
  return {
    model: baseUrl ? createModel({ baseUrl, apiKey, model, silenceMs: timeoutMs / 3 }) : undefined,
    tokensPerDay: settings.ASSISTANT_DAILY_TOKENS,
    timeoutMs,
  };
}
