// Names that are string literals in the code and not part of a definition, found in all sources.
import { AUDIT_ACTIONS } from '../../../lib/audit/audit-actions.ts';
import { toCursor } from '../../../services/identity/audit-log/audit-cursor-rules.ts';
import { MAIL_KINDS } from '../../../services/messaging/mail/mail-texts-rules.ts';
import { REFERENCE_FIELDS } from '../../../services/messaging/outbound/reference-rules.ts';
import { isTest, readSources } from '../source.ts';
import { collect, type Names } from './names.ts';

const DERIVATION = /(?:deriveKey|linkToken)\([^)]*?['`](clinic [^'`]*)['`]/gs;
const KIND = /\bkind: '(\w+)',[^;]*?\breference\b(?:: (`[^`]*`|[^,}]+))?/g;
const REFERENCE = /\bconst reference(?:Of)? = [^`;]*(`[^`]*`)/g;

export function sourceNames(root: string): Names {
  const texts = readSources(root)
    .filter(({ file }) => /^(lib|services|gateway)\/.*\.ts$/.test(file) && !isTest(file))
    .map(({ text }) => text);
  const all = (pattern: RegExp) => texts.flatMap((text) => [...text.matchAll(pattern)]);
  const cursor = JSON.parse(Buffer.from(toCursor({ total: 1, shown: 1, after: {} }), 'base64url').toString()) as Record<string, unknown>;
  return {
    'Derivation labels': collect(all(DERIVATION).map(([, label = '']) => [withoutIdentifiers(label)] as const)),
    'Audit actions': collect(AUDIT_ACTIONS.map(({ entity, action, former }) => [entity, action, ...(former ? [former] : [])] as const)),
    'References of messages and mails': collect([
      ...texts.flatMap(referencesIn),
      ...Object.entries(REFERENCE_FIELDS).map(([kind, fields]) => [kind, fields.map(() => '<>').join('/')] as const),
    ]),
    'Cursor of the audit log': collect(Object.keys(cursor).map((field) => [field] as const)),
  };
}

/** Kinds of messages and mails with the parts of their references, which are defined beside the kind or before it. */
function referencesIn(text: string): (readonly [string, string])[] {
  const before = [...text.matchAll(REFERENCE)].map(([, reference = '']) => formatOf(reference));
  const kinds = [...text.matchAll(KIND)].filter(([, kind = '']) => MAIL_KINDS.includes(kind));
  return kinds.map(([, kind = '', beside]) => [kind, beside ? formatOf(beside) : (before[0] ?? '<>')] as const);
}

const withoutIdentifiers = (text: string) => text.replaceAll(/\$\{[^}]*\}/g, '<>');

/** The parts of a template; a single value is one part. */
const formatOf = (reference: string) => (reference.startsWith('`') ? withoutIdentifiers(reference.slice(1, -1)) : '<>');
