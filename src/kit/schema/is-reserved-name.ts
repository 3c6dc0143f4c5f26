import { withFact } from './input-fact.ts'

export const RESERVED_NAME_EXPLANATION = withFact(
  'cannot be "__proto__", a name that readers of JSON keep for themselves; choose another',
  { code: 'reserved_name', values: {} },
)

export const DOT_NAME_EXPLANATION = withFact(
  'cannot be "." or "..", which programs remove from the path of an address; choose another',
  { code: 'reserved_name', values: {} },
)

/** Whether schemas skip a map key with this name without checking it. No name that we accept may be one of these. */
export function isReservedName(name: string): boolean {
  return name === '__proto__'
}

/** Whether clients remove the name from the path of an address, so that the admin API cannot be asked for it. */
export function isDotName(name: string): boolean {
  return name === '.' || name === '..'
}
