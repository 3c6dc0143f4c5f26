export const RESERVED_NAME_EXPLANATION =
  'cannot be "__proto__", a name that readers of JSON keep for themselves; choose another'

/** Whether a name is one that schemas pass over unchecked where it is a map's, so that it must be none of ours. */
export function isReservedName(name: string): boolean {
  return name === '__proto__'
}
