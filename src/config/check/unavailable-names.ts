import type { ConfigPath } from '../source/read-yaml.ts'

/** Names of the configuration that are reserved but not supported yet, by their section. */
const unavailable: Readonly<Record<string, readonly string[]>> = {
  '': [],
}

/**
 * Whether a later version will support the name at this path. Such a name gets an error of its own, not the error of an
 * unknown name.
 */
export function isUnavailable(section: ConfigPath, name: string): boolean {
  const pattern = section.map((step, depth) => (depth === 1 ? '*' : step)).join('.')
  return unavailable[pattern]?.includes(name) ?? false
}

/** Formats that channels will support. */
export const unavailableFormats: readonly string[] = ['completions', 'embeddings']
