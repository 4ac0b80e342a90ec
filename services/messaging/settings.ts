// Where messages and mails go.
import { z } from 'zod';

const url = (protocol: RegExp, error: string) => z.url({ protocol, error });

export const settings = {
  /** The Graph API; with or without the version in its path. */
  CHAT_API_BASE_URL: url(/^https?$/, 'must be an http:// or https:// URL').default('https://graph.facebook.com'),
  /** Put behind CHAT_API_BASE_URL unless that ends in a version. */
  CHAT_API_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/, 'must be a version, for example v25.0')
    .default('v25.0'),
  /** Where clients reach the gateway: links in mails begin with it. */
  PUBLIC_URL: url(/^https?$/, 'must be an http:// or https:// URL')
    .default('http://localhost:8080')
    .transform((given) => given.replace(/\/+$/, '')),
  /** Without it mails are written into files below DATA_DIR/mail. */
  SMTP_URL: url(/^smtps?$/, 'must be an smtp:// or smtps:// URL').optional(),
  MAIL_FROM: z.string().min(3).max(200).default('Clínica <no-reply@localhost>'),
  DATA_DIR: z.string().default('.data'),
};
