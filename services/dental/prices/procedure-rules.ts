// The catalogue of procedures: codes of the price list and of generated treatment plans.

export type Procedure = { code: string; nameEs: string; nameEn: string };

const procedure = (code: string, nameEs: string, nameEn: string): Procedure => ({ code, nameEs, nameEn });

export const PROCEDURES: readonly Procedure[] = [
  procedure('exam', 'Consulta y diagnóstico', 'Examination'),
  procedure('cleaning', 'Limpieza dental', 'Cleaning'),
  procedure('fluoride', 'Aplicación de flúor', 'Fluoride application'),
  procedure('sealant', 'Sellante de fosas y fisuras', 'Pit and fissure sealant'),
  procedure('filling_resin', 'Obturación de resina', 'Resin filling'),
  procedure('filling_amalgam', 'Obturación de amalgama', 'Amalgam filling'),
  procedure('filling_temporary', 'Obturación provisional', 'Temporary filling'),
  procedure('inlay', 'Incrustación', 'Inlay or onlay'),
  procedure('veneer', 'Carilla', 'Veneer'),
  procedure('root_canal', 'Tratamiento de conductos', 'Root canal treatment'),
  procedure('pulpotomy', 'Pulpotomía', 'Pulpotomy'),
  procedure('post', 'Endoposte', 'Post and core'),
  procedure('crown', 'Corona', 'Crown'),
  procedure('bridge', 'Puente fijo', 'Fixed bridge'),
  procedure('implant', 'Implante', 'Implant'),
  procedure('prosthesis', 'Prótesis removible', 'Removable prosthesis'),
  procedure('extraction', 'Extracción', 'Extraction'),
  procedure('surgical_extraction', 'Extracción quirúrgica', 'Surgical extraction'),
  procedure('scaling', 'Raspado y alisado radicular', 'Scaling and root planing'),
  procedure('splint', 'Ferulización', 'Splinting'),
  procedure('gum_graft', 'Injerto de encía', 'Gum graft'),
  procedure('night_guard', 'Férula de descarga', 'Night guard'),
  procedure('space_maintainer', 'Mantenedor de espacio', 'Space maintainer'),
  procedure('orthodontic_review', 'Valoración de ortodoncia', 'Orthodontic assessment'),
];

const byCode = new Map(PROCEDURES.map((one) => [one.code, one]));

export const procedureOf = (code: string): Procedure | undefined => byCode.get(code);
