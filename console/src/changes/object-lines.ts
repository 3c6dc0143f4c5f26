/** The first character of a masked secret. The last characters of the secret follow. */
const MASK = '…'

type Section = 'channels' | 'models' | 'groups' | 'users' | 'budgets' | 'settings'

/** Sections of the configuration that are lists. The others are maps by name. */
const lists: readonly Section[] = ['channels', 'budgets']

/** Fields of responses that do not exist in the configuration file. */
const readOnly: ReadonlySet<string> = new Set(['owner', 'members', 'managers', 'keys', 'capture', 'problems'])

type Named = Readonly<Record<string, unknown>> & { readonly name: string }

/** An object as lines of the configuration file, with a variable in place of each secret. */
export function objectLines(section: Section, object: Named, variable = variableOf(object.name)): unknown {
  const { name, ...fields } = Object.fromEntries(
    Object.entries(object).filter(
      ([field, value]) => !readOnly.has(field) && !(field === 'disabled' && value === false),
    ),
  )
  const written = replaceMasked(fields, variable)
  if (section === 'settings') return { [String(name)]: isWord(written) ? written.value : written }
  if (lists.includes(section)) return { [section]: [{ name, ...asObject(written) }] }
  return { [section]: { [String(name)]: written } }
}

export function variableOf(name: string): string {
  return `${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_KEY`
}

/** A setting that is a single word is shown as a field of that name. */
function isWord(written: unknown): written is { readonly value: unknown } {
  return typeof written === 'object' && written !== null && Object.keys(written).join() === 'value'
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function replaceMasked(value: unknown, variable: string): unknown {
  if (typeof value === 'string') return value.startsWith(MASK) ? `\${${variable}}` : value
  if (Array.isArray(value)) return value.map((each) => replaceMasked(each, variable))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaceMasked(each, variable)]),
  )
}
