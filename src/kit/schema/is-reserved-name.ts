import { withFact } from './input-fact.ts'

export const RESERVED_NAME_EXPLANATION = withFact(
  'cannot be "__proto__", a name that readers of JSON keep for themselves; choose another',
  { code: 'reserved_name', values: {} },
)

/** Whether a name is one that schemas pass over unchecked where it is a map's, so that no name of ours may be one. */
export function isReservedName(name: string): boolean {
  return name === '__proto__'
}
