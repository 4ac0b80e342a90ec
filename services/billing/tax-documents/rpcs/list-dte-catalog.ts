// Codes of a catalogue of the authority.

import { found } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import type { ListDteCatalogRequest } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import type { App } from '../../app.ts';
import { search } from '../rules/catalogs.ts';

export async function listDteCatalog(app: App, request: ListDteCatalogRequest) {
  const limit = parseInteger('limit', request.limit || 500, 1, 2000);
  const code = /^\d{3}$/.test(request.code) ? `CAT-${request.code}` : request.code.toUpperCase();
  const list = found(app.catalogs.lists.get(code), 'Catalog');
  const ofDepartment = request.department ? list.filter(({ parent }) => parent === request.department) : list;
  const entries = search(ofDepartment, request.search);
  const shown = entries.slice(0, limit).map(({ code, value, parent }) => ({ code, value, ...(parent !== undefined && { department: parent }) }));
  return { code, entries: shown, total: entries.length };
}
