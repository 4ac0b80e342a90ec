// The catalogue of procedures: codes of the price list and of generated treatment plans.

type Procedure = { code: string; nameEs: string };

const procedure = (code: string, nameEs: string): Procedure => ({ code, nameEs });

export const PROCEDURES: readonly Procedure[] = [
  procedure('exam', 'Consulta y diagnóstico'),
  procedure('cleaning', 'Limpieza dental'),
  procedure('fluoride', 'Aplicación de flúor'),
  procedure('sealant', 'Sellante de fosas y fisuras'),
  procedure('filling_resin', 'Obturación de resina'),
  procedure('filling_amalgam', 'Obturación de amalgama'),
  procedure('filling_temporary', 'Obturación provisional'),
  procedure('inlay', 'Incrustación'),
  procedure('veneer', 'Carilla'),
  procedure('root_canal', 'Tratamiento de conductos'),
  procedure('pulpotomy', 'Pulpotomía'),
  procedure('post', 'Endoposte'),
  procedure('crown', 'Corona'),
  procedure('bridge', 'Puente fijo'),
  procedure('implant', 'Implante'),
  procedure('prosthesis', 'Prótesis removible'),
  procedure('extraction', 'Extracción'),
  procedure('surgical_extraction', 'Extracción quirúrgica'),
  procedure('scaling', 'Raspado y alisado radicular'),
  procedure('splint', 'Ferulización'),
  procedure('gum_graft', 'Injerto de encía'),
  procedure('night_guard', 'Férula de descarga'),
  procedure('space_maintainer', 'Mantenedor de espacio'),
  procedure('orthodontic_review', 'Valoración de ortodoncia'),
];

const byCode = new Map(PROCEDURES.map((one) => [one.code, one]));

export const procedureOf = (code: string): Procedure | undefined => byCode.get(code);
