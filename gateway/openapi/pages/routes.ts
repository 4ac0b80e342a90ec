// Writes the table of routes in docs/api.md from the rows.

import type { Area, Route } from '../../http/route.ts';
import { BY_HAND, TAGS } from '../by-hand.ts';

const START = '<!-- routes: written by node gateway/openapi/pages/write.ts -->';
const END = '<!-- end of routes -->';

/** The page with its table brought up to date; the words around the table stay. */
export function withRoutes(page: string, areas: Area[]): string {
  const [before, rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n${[...areas.map(section), ...TAGS.map(byHand)].join('')}\n${END}${after}`;
}

const table = (tag: string, rows: string[]) => `\n### ${tag}\n\n| Method | Path | Who | |\n|---|---|---|---|\n${rows.join('\n')}\n`;

const section = ({ tag, routes }: Area) => table(tag, routes.map(row));

function byHand({ name }: (typeof TAGS)[number]): string {
  const rows = BY_HAND.filter(({ tag }) => tag === name);
  return table(
    name,
    rows.map(({ method, path, who, summary }) => `| ${method.toUpperCase()} | \`${path}\` | ${who} | ${summary} |`),
  );
}

function row({ method, path, access, summary, feature, dental }: Route): string {
  const who = [WHO[access], feature && `plan with ${feature}`, dental && 'dental clinics'].filter(Boolean).join(', ');
  return `| ${method.toUpperCase()} | \`${path}\` | ${who} | ${summary} |`;
}

const WHO: Record<Route['access'], string> = { public: 'anyone', user: 'any user', admin: 'admin', superadmin: 'operator key' };
