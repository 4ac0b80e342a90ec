// Addresses in El Salvador, by the codes of the tax authority. What was a municipality before 2024 is a district
// today, under the same code, so the legacy schemas get the district as their municipality.
import { type Catalogs, DEPARTMENTS, DISTRICTS, findEntry, MUNICIPALITIES } from './catalogs.ts';
import type { Generation } from './kinds.ts';

export type Address = { department: string; municipality: string; district: string; line: string };

/** The first thing that is wrong with an input: path of the field and message. */
export type Fault = { path: string; message: string };

export function addressFault(catalogs: Catalogs, path: string, { department, municipality, district, line }: Address): Fault | undefined {
  // 00 stands for other countries, whose addresses a document does not contain.
  if (department === '00' || !findEntry(catalogs, DEPARTMENTS, department))
    return { path: `${path}.department`, message: 'must be a code of CAT-012, 01 to 14' };
  if (!findEntry(catalogs, MUNICIPALITIES, municipality, department))
    return { path: `${path}.municipality`, message: 'must be a code of CAT-013 in this department' };
  if (!findEntry(catalogs, DISTRICTS, district, department)) return { path: `${path}.district`, message: 'must be a code of CAT-008 in this department' };
  if (line.trim().length < 5 || line.trim().length > 200) return { path: `${path}.line`, message: 'must have 5 to 200 characters' };
  return undefined;
}

/** An address in a document, of either generation. */
export type WrittenAddress = { departamento: string; municipio: string; distrito?: string; complemento: string };

/** The address in one line, with the names of district and department. */
export function formatAddress(catalogs: Catalogs, { departamento, municipio, distrito, complemento }: WrittenAddress): string {
  const district = findEntry(catalogs, DISTRICTS, distrito ?? municipio, departamento)?.value;
  return [complemento, district, findEntry(catalogs, DEPARTMENTS, departamento)?.value].filter(Boolean).join(', ');
}

export function toDireccion({ department, municipality, district, line }: Address, generation: Generation) {
  const complemento = line.trim();
  if (generation === 'legacy') return { departamento: department, municipio: district, complemento };
  return { departamento: department, municipio: municipality, distrito: district, complemento };
}
