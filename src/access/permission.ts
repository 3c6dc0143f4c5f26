/** The public names of models that a key or a group is granted, as the operator wrote them. */
export type ModelGrant =
  | { readonly type: 'all' }
  | {
      readonly type: 'named'
      readonly models: ReadonlySet<string>
      readonly patterns: readonly NamePattern[]
    }

/** The permission of a caller: the grant of its key and, if the key is in a group, that of the group as well. */
export type Permission =
  | ModelGrant
  | { readonly type: 'both'; readonly key: ModelGrant; readonly group: ModelGrant }

/** A name with stars. Each star matches any characters. */
export interface NamePattern {
  readonly text: string
  /** The texts between the stars, in order. There are at least two. */
  readonly parts: readonly string[]
}

export const noModels: ModelGrant = { type: 'named', models: new Set(), patterns: [] }

const STAR = '*'

/** Parses `["*"]` for every name, exact names and patterns such as `qwen*`. */
export function readGrant(names: readonly string[]): ModelGrant {
  if (names.includes(STAR)) return { type: 'all' }
  const [patterns, models] = [names.filter(isPattern), names.filter((name) => !isPattern(name))]
  return { type: 'named', models: new Set(models), patterns: [...new Set(patterns)].map(readPattern) }
}

/** The grant in the syntax of the configuration. `readGrant` turns it back into the same grant. */
export function writeGrant(grant: ModelGrant): readonly string[] {
  return grant.type === 'all' ? [STAR] : [...grant.models, ...grant.patterns.map(({ text }) => text)]
}

export function permits(permission: Permission, publicName: string): boolean {
  switch (permission.type) {
    case 'all':
      return true
    case 'named':
      return (
        permission.models.has(publicName) ||
        permission.patterns.some((pattern) => matchesPattern(pattern, publicName))
      )
    case 'both':
      return permits(permission.key, publicName) && permits(permission.group, publicName)
  }
}

function isPattern(name: string): boolean {
  return name.includes(STAR)
}

function readPattern(text: string): NamePattern {
  return { text, parts: text.split(/\*+/) }
}

/** Scans the name once, whatever the pattern, so no pattern is slow. */
export function matchesPattern({ parts }: NamePattern, name: string): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false
  const end = name.length - last.length
  let from = first.length
  for (const part of parts.slice(1, -1)) {
    const at = name.indexOf(part, from)
    if (at === -1 || at + part.length > end) return false
    from = at + part.length
  }
  return true
}
