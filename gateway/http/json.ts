// Reads JSON bodies. A body must be one object of limited size and depth, without repeated member names or names that reach a prototype.
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import type { Request } from 'express';
import { readBytes } from './body.ts';

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 32;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The object in the body; an empty body is an empty object. */
export async function readJson(request: Request): Promise<Record<string, unknown>> {
  const { headers } = request;
  const bytes = await readBytes(request, MAX_BYTES);
  if (bytes.length === 0) return {};
  if (!isJson(headers['content-type']) || (headers['content-encoding'] ?? 'identity') !== 'identity') fail('UNSUPPORTED_MEDIA_TYPE');
  return parseObject(bytes);
}

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  return type.trim() === 'application/json' && parameters.every((one) => !one.includes('charset') || /charset="?utf-?8"?\s*$/.test(one));
}

/** Strict RFC 8259 with unique names (RFC 7493). */
function parseObject(bytes: Uint8Array): Record<string, unknown> {
  const text = decode(bytes);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) invalid('body', 'must be a JSON object');
  inspect(text);
  if (text.includes('\\u')) checkStrings(value, ''); // the raw text is well-formed here: only an escape can still encode a NUL or half a surrogate pair
  return value as Record<string, unknown>;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return fail('INVALID_JSON', 'The body is not valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail('INVALID_JSON');
  }
}

/** Checks the depth and the member names of text that is valid JSON. */
function inspect(text: string): void {
  const open: (Set<string> | undefined)[] = []; // the member names of each open object; undefined for an open array
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    switch (code) {
      case 0x7b: // {
      case 0x5b: // [
        open.push(code === 0x7b ? new Set() : undefined);
        if (open.length > MAX_DEPTH) invalid('body', `must not be nested deeper than ${MAX_DEPTH} levels`);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        break;
      case 0x22: {
        const end = endOfString(text, at);
        if (isName(text, end)) checkName(JSON.parse(text.slice(at, end + 1)) as string, open.at(-1));
        at = end;
      }
    }
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at++;
  }
}

/** In valid JSON only member names are followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === 0x3a;
}

function checkName(name: string, names: Set<string> | undefined): void {
  if (FORBIDDEN.has(name)) invalid('body', `must not have a member named ${name}`);
  if (names?.has(name)) invalid('body', 'must not repeat a member name');
  names?.add(name);
}

function checkStrings(value: unknown, path: string): void {
  if (typeof value === 'string') checkString(value, path);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    checkString(name, path || 'body');
    checkStrings(member, path ? `${path}.${name}` : name);
  }
}

/** PostgreSQL cannot store NUL or half a surrogate pair. */
export function checkString(text: string, path: string): void {
  if (text.includes('\0') || !text.isWellFormed()) invalid(path, 'must be well-formed text without NUL');
}
