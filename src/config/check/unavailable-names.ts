import type { ConfigPath } from '../source/read-yaml.ts'

/** Names of the configuration that are fixed but not served yet, by the section they stand in. */
const unavailable: Readonly<Record<string, readonly string[]>> = {
  '': [],
}

/** Whether a later version will know the name here, so that it is refused by that word and not as a mistake. */
export function isUnavailable(section: ConfigPath, name: string): boolean {
  const pattern = section.map((step, depth) => (depth === 1 ? '*' : step)).join('.')
  return unavailable[pattern]?.includes(name) ?? false
}

/** Formats that channels will speak. */
export const unavailableFormats: readonly string[] = ['completions', 'embeddings']
