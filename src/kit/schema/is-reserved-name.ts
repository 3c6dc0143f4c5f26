export const RESERVED_NAME_EXPLANATION =
  'cannot be "__proto__", a name that readers of JSON keep for themselves; choose another'

/** Whether a name is one that schemas pass over unchecked where it is a map's, so that no name of ours may be one. */
export function isReservedName(name: string): boolean {
  return name === '__proto__'
}
