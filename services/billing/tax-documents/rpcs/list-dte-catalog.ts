// Codes of a catalogue of the tax authority.
import { found } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import type { ListDteCatalogRequest } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import type { App } from '../../app.ts';
import { searchEntries } from '../rules/catalogs.ts';

export async function listDteCatalog(app: App, request: ListDteCatalogRequest) {
  const limit = parseInteger('limit', request.limit || 500, 1, 2000);
  const code = /^\d{3}$/.test(request.code) ? `CAT-${request.code}` : request.code.toUpperCase();
  const list = found(app.catalogs.get(code), 'Catalog');
  const ofDepartment = request.department ? list.filter(({ parent }) => parent === request.department) : list;
  const entries = searchEntries(ofDepartment, request.search);
  const limited = entries.slice(0, limit).map(({ code, value, parent }) => ({ code, value, ...(parent !== undefined && { department: parent }) }));
  return { code, entries: limited, total: entries.length };
}
