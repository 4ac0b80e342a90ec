// Where someone is, by the codes of the authority. What were municipalities before 2024 are districts now, under the same
// codes, so the older schemas get the district where they say municipality.
import { type Catalogs, DEPARTMENTS, DISTRICTS, entryOf, MUNICIPALITIES } from './catalogs.ts';
import type { Generation } from './kinds.ts';

export type Address = { department: string; municipality: string; district: string; line: string };

export type Fault = { path: string; message: string };

export function addressFault(catalogs: Catalogs, path: string, { department, municipality, district, line }: Address): Fault | undefined {
  // 00 is abroad: whoever lives there has no address in a document.
  if (department === '00' || !entryOf(catalogs, DEPARTMENTS, department)) return { path: `${path}.department`, message: 'must be a code of CAT-012, 01 to 14' };
  if (!entryOf(catalogs, MUNICIPALITIES, municipality, department))
    return { path: `${path}.municipality`, message: 'must be a code of CAT-013 in this department' };
  if (!entryOf(catalogs, DISTRICTS, district, department)) return { path: `${path}.district`, message: 'must be a code of CAT-008 in this department' };
  if (line.trim().length < 5 || line.trim().length > 200) return { path: `${path}.line`, message: 'must have 5 to 200 characters' };
  return undefined;
}

/** An address of a document, of either generation, as people read it. */
export type WrittenAddress = { departamento: string; municipio: string; distrito?: string; complemento: string };

export function formatAddress(catalogs: Catalogs, { departamento, municipio, distrito, complemento }: WrittenAddress): string {
  const district = entryOf(catalogs, DISTRICTS, distrito ?? municipio, departamento)?.value;
  return [complemento, district, entryOf(catalogs, DEPARTMENTS, departamento)?.value].filter(Boolean).join(', ');
}

export function writeAddress({ department, municipality, district, line }: Address, generation: Generation) {
  const complemento = line.trim();
  if (generation === 'legacy') return { departamento: department, municipio: district, complemento };
  return { departamento: department, municipio: municipality, distrito: district, complemento };
}
