// Settings of messaging: chat provider, mail, and the assistant's model.
import { decimal, integer } from '@clinic/lib/config/config.ts';
import { publicUrlSettings } from '@clinic/lib/config/public-url.ts';
import { z } from 'zod';

const SECONDS = 'must be a number of seconds from 0.3 to 600';

const url = (protocol: RegExp, error: string) => z.url({ protocol, error });

/** The services that it calls by RPC. */
export const dependencies = ['identity', 'scheduling', 'dental', 'platform'];

export const settings = {
  /** URL of the Graph API, with or without the version in its path. */
  CHAT_API_BASE_URL: url(/^https?$/, 'must be an http:// or https:// URL').default('https://graph.facebook.com'),
  /** Appended to CHAT_API_BASE_URL unless that ends in a version. */
  CHAT_API_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/, 'must be a version, for example v25.0')
    .default('v25.0'),
  /** Hosts, other than that of CHAT_API_BASE_URL, from which pictures and documents of patients are downloaded. */
  CHAT_MEDIA_HOSTS: z
    .string()
    .regex(/^[\w.-]+(, ?[\w.-]+)*$/, 'must be host names separated by commas, for example lookaside.fbsbx.com')
    .default('lookaside.fbsbx.com')
    .transform((text) => text.toLowerCase().split(/, ?/)),
  ...publicUrlSettings,
  /** Without it mails are written to files in DATA_DIR/mail. */
  SMTP_URL: url(/^smtps?$/, 'must be an smtp:// or smtps:// URL').optional(),
  MAIL_FROM: z
    .string()
    .max(200, 'must have at most 200 characters')
    .regex(/^([^<>]*<[^@\s<>]+@[^@\s<>]+>|[^@\s<>]+@[^@\s<>]+)$/, 'must be an address, for example Clínica <no-reply@clinic.example>')
    .default('Clínica <no-reply@localhost>'),
  /** URL of an OpenAI-compatible server, for example https://api.openai.com/v1. Without it, rules answer for the assistant. */
  ASSISTANT_BASE_URL: url(/^https?$/, 'must be an http:// or https:// URL').optional(),
  /** Not needed by many self-hosted servers. */
  ASSISTANT_API_KEY: z.string().max(500).optional(),
  ASSISTANT_MODEL: z.string().max(200).default('gpt-5-mini'),
  /** The limit of a whole answer. A call of the model fails if nothing is received for a third of it. */
  ASSISTANT_TIMEOUT_SECONDS: decimal(0.3, 600, SECONDS).default(60),
  /** The limit of a clinic per day. */
  ASSISTANT_DAILY_TOKENS: integer(0, 1_000_000_000, 'must be 0 to 1000000000').default(300_000),
  DATA_DIR: z.string().default('.data'),
};

export type Settings = z.infer<z.ZodObject<typeof settings>>;
